import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { type Handler, isFirstRead, type RawReply, type Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { createAutoClock, createTestClock } from '../../helpers/test-clock.ts';

/*
 * Before the first row is sent, an import reads the findings of a task that does not exist. A base URL that leads to anything
 * but the API ends the command before any row can have an unknown outcome.
 */

const cli = createCommandRunner(CANARY_KEY, { scriptsFirstRead: true });
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
const FIND = ['findings', 'list', '--task', 'orgadm-key-check', '--json'];
const READ = '/v1/findings?taskId=orgadm-key-check';
const PAGE = '<!doctype html><title>Sign in</title>';
const HTML = { 'content-type': 'text/html' };

/** Responds to the read, and adds the people of any other request. */
function reading(reply: Reply | RawReply): Handler {
  const add = addsMembers();
  return (request, response) => (isFirstRead(request.path) ? reply : add(request, response));
}

describe('the read before the first write', () => {
  it('is a request for the findings of a task that does not exist', async () => {
    const { service, run } = await cli.scripted(reading({ body: [] }));
    expect((await run(ADD, { stdin: LIST })).code).toBe(0);
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${READ}`,
      'POST /v1/people/bulk',
    ]);
  });

  it('uses the name of the parameter that is set for the service', async () => {
    const { service, run } = await cli.scripted(reading({ body: [] }));
    await run(['config', 'set', 'wire.findings.task', 'task_id']);
    await run(ADD, { stdin: LIST });
    expect(service.requests[0]?.path).toBe('/v1/findings?task_id=orgadm-key-check');
  });

  it('is not made for a dry run, nor to show a finished run again', async () => {
    const { service, run } = await cli.scripted(reading({ body: [] }));
    await run([...ADD, '--dry-run'], { stdin: LIST });
    expect(service.requests).toHaveLength(0);
    await run(ADD, { stdin: LIST });
    await run(ADD, { stdin: LIST });
    expect(service.requests).toHaveLength(2);
  });

  it('is not made while another import into the service makes its own', async () => {
    const reply = reading({ body: [] });
    const { service, run } = await cli.scripted(async (request, response) => {
      if (service.requests.length === 1) {
        const second = await run([...ADD, '--restart'], { stdin: LIST });
        expect({ code: second.code, error: errorOf(second) }).toMatchObject({ code: 2, error: { code: 'in-use' } });
      }
      return reply(request, response);
    });
    expect((await run(ADD, { stdin: LIST })).code).toBe(0);
    expect(service.requests).toHaveLength(2);
  });
});

describe('an import whose read gets no response from the API', () => {
  it.each<{ name: string; reply: Reply | RawReply; code: number; requests: number; error: object }>([
    {
      name: 'a web page',
      reply: { headers: HTML, body: PAGE },
      code: 1,
      requests: 1,
      error: {
        code: 'invalid-response',
        message: expect.stringMatching(/^the response \(200\) is not JSON/),
        hint: expect.stringContaining('Check the base URL: '),
      },
    },
    {
      name: 'a redirect',
      reply: { status: 302, headers: { location: 'https://login.example.com/' }, body: { message: 'Found' } },
      code: 1,
      requests: 1,
      error: { code: 'redirect' },
    },
    {
      name: 'a list that is cut off',
      reply: {
        raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"data":[',
        after: 'end',
      },
      code: 6,
      requests: 5,
      error: { code: 'interrupted' },
    },
    {
      name: 'a gateway that cannot reach its service',
      reply: { status: 502, body: { message: 'bad gateway' } },
      code: 6,
      requests: 5,
      error: { code: 'service-failed', message: expect.stringContaining('(502): bad gateway') },
    },
    {
      name: 'a 401',
      reply: { status: 401, body: { message: 'Invalid API key' } },
      code: 4,
      requests: 1,
      error: { code: 'unauthorized', message: expect.stringContaining('(401): Invalid API key') },
    },
    {
      name: 'a 403 page of a gateway',
      reply: { status: 403, headers: HTML, body: PAGE },
      code: 4,
      requests: 1,
      error: { code: 'gateway' },
    },
    {
      name: 'a 404 page',
      reply: { status: 404, headers: HTML, body: PAGE },
      code: 5,
      requests: 1,
      error: { code: 'not-found' },
    },
    {
      name: 'a gateway without its service',
      reply: { status: 503, body: { message: 'no upstream' } },
      code: 6,
      requests: 5,
      error: { code: 'service-failed', message: expect.stringContaining('(503): no upstream') },
    },
    {
      name: 'a reset of every connection',
      reply: { raw: '', after: 'reset' },
      code: 6,
      requests: 5,
      error: { code: 'interrupted' },
    },
  ])('ends as findings list does, and leaves no run behind: $name', async ({ reply, code, requests, error }) => {
    const { service, run } = await cli.scripted(reading(reply));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(errorOf(result)).toMatchObject(error);
    expect(service.requests.map(({ path }) => path)).toEqual(Array(requests).fill(READ));
    const listed = await run(FIND);
    expect({ code: listed.code, error: errorOf(listed) }).toMatchObject({
      code,
      error: { code: errorOf(result).code },
    });
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('ends with exit 6 after four retries if the connection is refused', async () => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const clock = createAutoClock();
    const result = await run(ADD, { stdin: LIST, clock });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 6, stdout: '' });
    expect(errorOf(result)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('5 attempts'),
    });
    expect(clock.sleeps).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('ends with exit 6 after the timeout if the service is silent', async () => {
    const requests = new EventEmitter();
    const { service, run } = await cli.scripted(() => {
      requests.emit('arrived');
      return { raw: '', after: 'hang' };
    });
    const clock = createTestClock();
    const arrived = once(requests, 'arrived');
    const ended = run([...ADD, '--retries', '0'], { stdin: LIST, clock });
    await arrived;
    await clock.advance(30_000);
    const result = await ended;
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 6, stdout: '' });
    expect(errorOf(result)).toMatchObject({ code: 'timeout' });
    expect(service.requests.map(({ path }) => path)).toEqual([READ]);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('rejects an empty response', async () => {
    const { run } = await cli.scripted(reading({ body: '' }));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorOf(result)).toMatchObject({ code: 'invalid-response', status: 200 });
  });

  it('leaves an unfinished run as it was', async () => {
    let reads = 0;
    const add = addsMembers();
    const { run } = await cli.scripted((request, response) => {
      if (!isFirstRead(request.path)) return add(request, response);
      return reads++ === 0 ? { body: [] } : { status: 401, body: { message: 'Invalid API key' } };
    });
    await run([...ADD, '--limit', '1'], { stdin: LIST });
    const before = (await run(['runs', 'list', '--json'])).json();
    expect((await run(ADD, { stdin: LIST })).code).toBe(4);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual(before);
  });
});

describe('an import whose read gets a response of the API', () => {
  it.each<[string, Reply]>([
    ['a 403 in JSON', { status: 403, body: { message: 'Missing right findings:read' } }],
    ['a 404 in JSON', { status: 404, body: { message: 'Task not found' } }],
    ['a 400 in JSON', { status: 400, body: { message: ['taskId must be a UUID'] } }],
    ['a 500 in JSON', { status: 500, body: { message: 'Task not found' } }],
    ['a 429 in JSON', { status: 429, body: { message: 'Too many requests' } }],
    ['an error in a 200', { body: { error: 'no such task' } }],
    ['null', { body: 'null' }],
    ['a list of something else', { body: ['tsk_1'] }],
    ['all findings', { body: { data: [{ id: 'fnd_1' }], total: 900 } }],
  ])('sends the rows: %s', async (_, reply) => {
    const { run } = await cli.scripted(reading(reply));
    const result = await run(ADD, { stdin: LIST });
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({ summary: { created: 2 } });
  });
});
