import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { addsMembers } from '../../helpers/people-service.ts';
import { errorOf, reportOf } from '../../helpers/report.ts';
import { type Handler, isFirstRead, type RawReply, type Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

/*
 * Before the first row is sent, an import reads the findings of a task that does not exist. A base URL that leads to anything
 * but the API ends the command before any row can have an unknown outcome.
 */

const cli = createCommandRunner(API_KEY, { scriptsFirstRead: true });
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
const READ = 'GET /v1/findings?taskId=orgadm-key-check';
const page = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Sign in</title>',
});
const json = (status: number): Reply => ({ status, body: { message: 'no' } });

/** Responds to the read, and adds the people of any other request. */
function reading(reply: Reply | RawReply): Handler {
  const add = addsMembers();
  return (request, response) => (isFirstRead(request.path) ? reply : add(request, response));
}

describe('the read before the first write', () => {
  it('is a request for the findings of a task that does not exist', async () => {
    const { service, run } = await cli.scripted(reading({ body: [] }));
    expect((await run(ADD, { stdin: LIST })).code).toBe(0);
    const requests = service.requests.map(({ method, path }) => `${method} ${path}`);
    expect(requests).toEqual([READ, 'POST /v1/people/bulk']);
    await run(['config', 'set', 'wire.findings.task', 'task_id']);
    await run([...ADD, '--restart'], { stdin: LIST });
    expect(service.requests[2]?.path).toBe('/v1/findings?task_id=orgadm-key-check');
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
        expect({ code: second.code, error: errorOf(second).code }).toEqual({ code: 2, error: 'in-use' });
      }
      return reply(request, response);
    });
    expect((await run(ADD, { stdin: LIST })).code).toBe(0);
    expect(service.requests).toHaveLength(2);
  });
});

describe('an import whose read gets no response from the API', () => {
  // biome-ignore format: a table
  it.each<{ name: string; reply: Reply | RawReply; code: number; error: string; requests?: number }>([
    { name: 'a web page', reply: page(200), code: 1, error: 'invalid-response' },
    { name: 'an empty response', reply: { body: '' }, code: 1, error: 'invalid-response' },
    { name: 'a redirect', reply: { ...json(302), headers: { location: 'https://login.example.com/' } }, code: 1, error: 'redirect' },
    { name: 'a 401', reply: json(401), code: 4, error: 'unauthorized' },
    { name: 'a 403 page', reply: page(403), code: 4, error: 'gateway' },
    { name: 'a 404 page', reply: page(404), code: 5, error: 'not-found' },
    { name: 'a gateway that cannot reach its service', reply: json(502), code: 6, error: 'service-failed', requests: 5 },
    { name: 'a reset of every connection', reply: { raw: '', after: 'reset' }, code: 6, error: 'interrupted', requests: 5 },
    { name: 'a list that is cut off', reply: { raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"data":[', after: 'end' }, code: 6, error: 'interrupted', requests: 5 },
  ])('sends nothing, and leaves no run behind: $name', async ({ reply, code, error, requests = 1 }) => {
    const { service, run } = await cli.scripted(reading(reply));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(errorOf(result).code).toBe(error);
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(requests).fill(READ));
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('leaves an unfinished run as it was', async () => {
    let reads = 0;
    const add = addsMembers();
    const { run } = await cli.scripted((request, response) => {
      if (!isFirstRead(request.path)) return add(request, response);
      return reads++ === 0 ? { body: [] } : json(401);
    });
    await run([...ADD, '--limit', '1'], { stdin: LIST });
    const before = (await run(['runs', 'list', '--json'])).json();
    expect((await run(ADD, { stdin: LIST })).code).toBe(4);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual(before);
  });
});

describe('an import whose read gets a response of the API', () => {
  it.each<[string, Reply]>([
    ['a 403 in JSON', json(403)],
    ['a 404 in JSON', json(404)],
    ['a 400 in JSON', json(400)],
    ['a 500 in JSON', json(500)],
    ['a 429 in JSON', json(429)],
    ['an error in a 200', { body: { error: 'no such task' } }],
    ['null', { body: 'null' }],
    ['all findings', { body: { data: [{ id: 'fnd_1' }], total: 900 } }],
  ])('sends the rows: %s', async (_, reply) => {
    const { run } = await cli.scripted(reading(reply));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, created: reportOf(result).summary.created }).toEqual({ code: 0, created: 2 });
  });
});
