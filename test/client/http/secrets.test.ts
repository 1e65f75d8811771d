import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../../src/client/service-client.ts';
import { holdsKey, JSON_WRITERS, textSpellings } from '../../helpers/key-spellings.ts';
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
  it.each([301, 302, 303, 307, 308])(
    'is not followed with the status %i: the other origin receives nothing',
    async (status) => {
      const other = opened(await startScriptedService([]));
      const service = opened(
        await startScriptedService([{ status, headers: { location: `${other.url}/v1/people/bulk` } }]),
      );
      const error = await failureOf(opened(testClient(service.url)).request({ ...POST, retry: 'safe' }));
      expect(error).toMatchObject({ kind: 'redirect', exitCode: 1, status });
      expect(error.hint).toBe(`If you trust that address, set --base-url to ${other.url}`);
      expect(other.connections()).toBe(0);
    },
  );
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
    const trace = { request: (line: string) => lines.push(line), detail: (line: string) => lines.push(line) };
    const error = await failureOf(opened(testClient(service.url, { trace })).request(POST));
    expect(service.requests[0]?.headers['x-api-key']).toBe(CANARY_KEY);
    expect(complete(error)).not.toContain('canary');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.join('\n')).not.toContain('canary');
    expect(lines.join('\n')).not.toContain('hush');
  });

  const spellings = textSpellings(CANARY_KEY).map(([, text]) => text);
  /** Those that a header can hold. */
  const inHeader = spellings.filter((text) => /^[\x20-\x7e]*$/.test(text)).join(' ');
  const writers = [...JSON_WRITERS, ['HTML', (text: string) => `<title>${text}</title>`] as const];

  it.each(writers)(
    'appears in no response, error or trace, in any spelling, if the service writes %s',
    async (_name, write) => {
      const lists = `{"message":[${spellings.map(write)}],"detail":${write(spellings.join(' '))}}`;
      const service = opened(
        await startScriptedService([
          { headers: { 'x-request-id': inHeader }, body: lists },
          { status: 400, headers: { 'x-request-id': inHeader }, body: lists },
          { status: 502, headers: { 'content-type': 'text/html' }, body: write(spellings.join(' ')) },
        ]),
      );
      const lines: string[] = [];
      const trace = { request: (line: string) => lines.push(line), detail: (line: string) => lines.push(line) };
      const client = opened(testClient(service.url, { trace }));
      const response = await client.request(POST);
      const errors = [await failureOf(client.request(POST)), await failureOf(client.request(POST))];
      expect(errors.map(({ status }) => status)).toEqual([400, 502]);
      for (const text of [complete(response), ...errors.map(complete), lines.join('\n')]) {
        expect(holdsKey(text, CANARY_KEY)).toBe(false);
      }
    },
  );

  it('appears in no error of a service that does not exist', async () => {
    const gone = await startScriptedService([]);
    await gone.close();
    const error = await failureOf(opened(testClient(gone.url)).request(POST));
    expect(error).toMatchObject({ kind: 'unreachable', processed: 'no', exitCode: 6 });
    expect(error.message).toContain('the connection was refused');
    expect(complete(error)).not.toContain('canary');
  });

  it.each(['', 'with blank', 'line\nbreak', 'tab\t', 'schlüssel', 'nul\0', ' padded '])(
    'rejects %j without repeating it',
    (apiKey) => {
      let error: unknown;
      try {
        testClient('https://api.example.com', { apiKey });
      } catch (caught) {
        error = caught;
      }
      expect(error).toMatchObject({ exitCode: 2 });
      if (apiKey.trim() !== '') expect(complete(error)).not.toContain(apiKey);
    },
  );
});

describe('the trace', () => {
  const traced = async (reply: Reply, spec: RequestSpec) => {
    const service = opened(await startScriptedService([reply]));
    const requests: string[] = [];
    const details: string[] = [];
    const trace = { request: (line: string) => requests.push(line), detail: (line: string) => details.push(line) };
    await opened(testClient(service.url, { trace }))
      .request(spec)
      .catch(() => {});
    return { url: service.url, requests, details };
  };

  it('has one line per request', async () => {
    const { url, requests } = await traced(
      { headers: { 'x-request-id': 'req-7' }, body: [] },
      { method: 'GET', path: ['v1', 'findings'], query: { taskId: 'tsk_1' }, retry: 'none' },
    );
    expect(requests).toEqual([`GET ${url}/v1/findings?taskId=tsk_1 -> 200, request id req-7 (0 ms)`]);
  });

  it('has headers and bodies in detail, with secrets masked', async () => {
    const { url, details } = await traced(
      { headers: { 'set-cookie': ['a=1', 'b=2'] }, body: { created: [] } },
      { method: 'POST', path: ['v1'], body: { members: [] }, retry: 'none' },
    );
    expect(details.slice(0, 9)).toEqual([
      `> POST ${url}/v1`,
      '> x-api-key: ***',
      '> accept: application/json',
      '> accept-encoding: gzip, br, deflate',
      '> user-agent: orgadm/test',
      '> content-type: application/json',
      '> {"members":[]}',
      '< content-type: application/json',
      '< set-cookie: ***',
    ]);
    expect(details.at(-1)).toBe('< {"created":[]}');
  });

  it('truncates long bodies', async () => {
    const { details } = await traced(
      { body: 'y'.repeat(5_000) },
      { method: 'POST', path: ['v1'], rawBody: 'x'.repeat(10_000), retry: 'none' },
    );
    expect(details).toContain(`> ${'x'.repeat(4_096)} [5904 more characters]`);
    expect(details).toContain(`< ${'y'.repeat(4_096)} [904 more characters]`);
  });

  it('contains the response of a rejection, and the name of a failure', async () => {
    const { details } = await traced(
      { status: 400, body: { message: 'no' } },
      { method: 'POST', path: ['v1'], retry: 'none' },
    );
    expect(details.at(-1)).toBe('< {"message":"no"}');
    const gone = await startScriptedService([]);
    await gone.close();
    const requests: string[] = [];
    await failureOf(
      opened(testClient(gone.url, { retries: 1, trace: { request: (line) => requests.push(line) } })).request({
        method: 'GET',
        path: ['v1'],
        retry: 'safe',
      }),
    );
    expect(requests).toEqual([`GET ${gone.url}/v1 -> unreachable (0 ms)`, `GET ${gone.url}/v1 -> unreachable (0 ms)`]);
  });
});
