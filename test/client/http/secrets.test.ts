import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { getDomainStatus } from '../../../src/client/domain-status.ts';
import type { RequestSpec } from '../../../src/client/service-client.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { CANARY_KEY, failureOf, testClient } from '../../helpers/test-client.ts';

const POST: RequestSpec = {
  method: 'POST',
  path: ['v1', 'people', 'bulk'],
  body: { note: `my key is ${CANARY_KEY}` },
  retry: 'none',
};

const opened = closeAfterTests();

/** Everything that anyone could print of an error: its fields, hidden ones too, and those of its causes. */
const complete = (error: unknown) => inspect(error, { depth: null, showHidden: true, maxStringLength: null });

describe('a redirect', () => {
  it.each([301, 307])('is not followed with the status %i: the other origin receives nothing', async (status) => {
    const other = opened(await startScriptedService([]));
    const service = opened(
      await startScriptedService([{ status, headers: { location: `${other.url}/v1/people/bulk` } }]),
    );
    const error = await failureOf(opened(testClient(service.url)).request({ ...POST, retry: 'safe' }));
    expect(error).toMatchObject({ kind: 'redirect', exitCode: 1, status });
    expect(error.hint).toBe(`If you trust that address, set --base-url to ${other.url}`);
    expect(other.connections()).toBe(0);
  });
});

describe('the key', () => {
  const echo = { 'x-request-id': `id-${CANARY_KEY}`, 'set-cookie': 'session=hush', 'x-echo': CANARY_KEY };
  it.each<[string, Reply | RawReply]>([
    [
      'echoed in a message',
      { status: 401, headers: echo, body: { message: `Bad key ${CANARY_KEY}`, code: CANARY_KEY } },
    ],
    ['echoed as the only word', { status: 400, headers: echo, body: { code: CANARY_KEY } }],
    [
      'echoed in a page',
      { status: 502, headers: { ...echo, 'content-type': 'text/html' }, body: `<title>${CANARY_KEY}</title>` },
    ],
    [
      'echoed in a redirect',
      { status: 302, headers: { ...echo, location: `https://x.test/${CANARY_KEY}/v1/people/bulk?k=${CANARY_KEY}` } },
    ],
    ['echoed in a response that is not HTTP', { raw: `220 ${CANARY_KEY}\r\n`, after: 'end' }],
    ['echoed before a cut', { raw: `HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n${CANARY_KEY}`, after: 'end' }],
    ['echoed in broken compression', { headers: { 'content-encoding': 'gzip' }, body: CANARY_KEY }],
    ['echoed as an encoding', { headers: { 'content-encoding': CANARY_KEY }, body: 'x' }],
    ['sent and lost', { raw: '', after: 'reset' }],
  ])('appears in no error and no trace if it is %s', async (_name, reply) => {
    const service = opened(await startScriptedService([reply]));
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    const error = await failureOf(opened(testClient(service.url, { trace })).request(POST));
    expect(service.requests[0]?.headers['x-api-key']).toBe(CANARY_KEY);
    expect(complete(error)).not.toContain('canary');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.join('\n')).not.toContain('canary');
    expect(lines.join('\n')).not.toContain('hush');
  });

  it.each(['', 'with blank', 'line\nbreak', 'schlüssel'])('rejects %j without repeating it', (apiKey) => {
    let error: unknown;
    try {
      testClient('https://api.example.com', { apiKey });
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ exitCode: 2 });
    if (apiKey.trim() !== '') expect(complete(error)).not.toContain(apiKey);
  });
});

describe('the password of a proxy', () => {
  const PASSWORD = 'hush/é+9';
  const TOKEN = Buffer.from(`ada:${PASSWORD}`).toString('base64');
  const echo = { 'x-echo': `Basic ${TOKEN}`, 'x-request-id': TOKEN };

  it.each<[string, Reply]>([
    ['an error', { status: 407, headers: echo, body: { message: `ada:${PASSWORD} is wrong: ${TOKEN}` } }],
    ['a page', { status: 502, headers: { ...echo, 'content-type': 'text/html' }, body: `<title>${PASSWORD}</title>` }],
    ['a redirect', { status: 302, headers: { ...echo, location: `http://x.test/${encodeURIComponent(PASSWORD)}` } }],
    ['a page instead of JSON', { headers: echo, body: `<pre>proxy-authorization: Basic ${TOKEN}, ${PASSWORD}</pre>` }],
  ])('appears in no error and no trace if the proxy echoes it in %s', async (_name, reply) => {
    const proxy = opened(await startScriptedService([reply]));
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    const settings = { http: `http://ada:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}` };
    const client = opened(testClient('http://service.test', { allowHttp: true, proxy: settings, trace }));
    const error = await failureOf(getDomainStatus(client, 'trust.example.com', { singleAttempt: true }));
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${TOKEN}`);
    const printed = [complete(error), ...lines].join('\n');
    for (const secret of [PASSWORD, 'hush', TOKEN]) expect(printed).not.toContain(secret);
  });
});

describe('the trace', () => {
  const traced = async (reply: Reply, spec: RequestSpec) => {
    const service = opened(await startScriptedService([reply]));
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    await opened(testClient(service.url, { trace }))
      .request(spec)
      .catch(() => {});
    return { url: service.url, lines };
  };

  it('has one line per request', async () => {
    const { url, lines } = await traced(
      { headers: { 'x-request-id': 'req-7' }, body: [] },
      { method: 'GET', path: ['v1', 'findings'], query: { taskId: 'tsk_1' }, retry: 'none' },
    );
    const requests = lines.filter((line) => line.includes(' -> '));
    expect(requests).toEqual([`GET ${url}/v1/findings?taskId=tsk_1 -> 200, request id req-7 (0 ms)`]);
  });

  it('truncates long bodies', async () => {
    const { lines } = await traced(
      { body: 'y'.repeat(5_000) },
      { method: 'POST', path: ['v1'], rawBody: 'x'.repeat(10_000), retry: 'none' },
    );
    expect(lines).toContain(`> ${'x'.repeat(4_096)} [5904 more characters]`);
    expect(lines).toContain(`< ${'y'.repeat(4_096)} [904 more characters]`);
  });
});
