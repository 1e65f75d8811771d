import { describe, expect, it } from 'vitest';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const COMMANDS = [
  { command: 'role update', argv: ['role', 'update', 'rol_1', '--name', 'QA'] },
  { command: 'domain status', argv: ['domain', 'status', 'trust.acme.test'] },
  { command: 'findings list', argv: ['findings', 'list', '--task', 'tsk_1'] },
];
const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html' };
const CUT: RawReply = {
  raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n[{"id":"a"},',
  after: 'end',
};
const nest = (status: number, message: string | string[], headers = {}): Reply => ({
  status,
  headers,
  body: { statusCode: status, message },
});

interface Case {
  name: string;
  reply: Reply | RawReply;
  code: number;
  error: Record<string, unknown>;
  /** In the message, where the service said something. */
  message?: string;
  /** Whether it is worth another attempt. */
  again?: boolean;
}

const CASES: Case[] = [
  {
    name: '400 with an array of messages',
    reply: nest(400, ['name must be longer', 'name is taken']),
    code: 1,
    error: { code: 'rejected', status: 400 },
    message: 'name must be longer; name is taken',
  },
  {
    name: '401',
    reply: nest(401, 'Invalid or expired API key', { 'x-request-id': 'req_7' }),
    code: 4,
    error: { code: 'unauthorized', status: 401, requestId: 'req_7' },
    message: 'Invalid or expired API key',
  },
  {
    name: '403',
    reply: nest(403, "Cannot grant 'control:delete' permission - you don't have this permission"),
    code: 4,
    error: { code: 'forbidden', status: 403 },
    message: "Cannot grant 'control:delete' permission",
  },
  {
    name: '404',
    reply: nest(404, 'Not found'),
    code: 5,
    error: { code: 'not-found', status: 404 },
    message: 'Not found',
  },
  {
    name: '404 of a gateway, as html',
    reply: { status: 404, headers: HTML, body: '<html><h1>Not here</h1></html>' },
    code: 5,
    error: { code: 'not-found', status: 404 },
  },
  {
    name: '409',
    reply: nest(409, 'Role was modified'),
    code: 1,
    error: { code: 'conflict', status: 409 },
    message: 'Role was modified',
  },
  {
    name: '422 as problem+json',
    reply: { status: 422, body: { title: 'Invalid', detail: 'No such thing' } },
    code: 1,
    error: { code: 'rejected', status: 422 },
    message: 'No such thing',
  },
  {
    again: true,
    name: '429, again and again',
    reply: nest(429, 'Too many requests', { 'retry-after': '1' }),
    code: 6,
    error: { code: 'rate-limited', status: 429 },
    message: 'Too many requests',
  },
  {
    again: true,
    name: '500, again and again',
    reply: nest(500, 'Internal server error'),
    code: 6,
    error: { code: 'service-failed', status: 500 },
    message: 'Internal server error',
  },
  {
    again: true,
    name: '503 with an empty body',
    reply: { status: 503 },
    code: 6,
    error: { code: 'service-failed', status: 503 },
  },
  {
    name: 'a page of a proxy with status 200',
    reply: { headers: HTML, body: '<html>Please log in</html>' },
    code: 1,
    error: { code: 'invalid-response', status: 200 },
  },
  {
    name: 'JSON of another shape',
    reply: { headers: JSON_TYPE, body: '"fine"' },
    code: 1,
    error: { code: 'invalid-response', status: 200 },
  },
  { name: 'a truncated response', reply: CUT, code: 6, error: { code: 'interrupted' } },
  {
    again: true,
    name: 'a lost connection, again and again',
    reply: { raw: '', after: 'reset' },
    code: 6,
    error: { code: 'interrupted' },
  },
  {
    name: 'a redirect, which is not followed',
    reply: { status: 302, headers: { location: 'https://login.acme.test/?next=/v1' } },
    code: 1,
    error: { code: 'redirect', status: 302 },
    message: 'https://login.acme.test/',
  },
];

describe.each(COMMANDS)('$command with a response that is', ({ argv }) => {
  it.each(CASES)(
    '$name, exits $code with nothing on standard output',
    async ({ reply, code, error, message, again = false }) => {
      const { service, run } = await cli.scripted(() => reply);
      const result = await run([...argv, '--json', '--retries', '2']);
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
      const reported = JSON.parse(lastLine(result.stderr));
      expect(reported).toMatchObject({ error: { ...error, hint: expect.any(String) } });
      expect(reported.error.message).toContain(message ?? '');
      // The start of a truncated response may have been printed: a list is not requested again.
      if (reply !== CUT) expect(service.requests.length > 1).toBe(again);
    },
  );
});

describe('a service that is not there', () => {
  it.each(COMMANDS)('$command exits 6 and names the address', async ({ argv }) => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`127.0.0.1:${service.port}`);
    expect(stderr).toMatch(/\nhint: /);
  });
});

describe('an empty success', () => {
  it('is not a domain status', async () => {
    const { run } = await cli.scripted([{ status: 200 }]);
    expect((await run(['domain', 'status', 'trust.acme.test'])).code).toBe(1);
  });

  it('is not a finding', async () => {
    const { run } = await cli.scripted([{ status: 200 }]);
    expect(await run(['findings', 'list', '--all', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

describe('what a service says is shown without its control characters', () => {
  it.each(['table', 'json'])('as %s', async (format) => {
    const { run } = await cli.scripted([nest(400, 'no\u001b[2J\u202e\u009b1mway')]);
    const { stderr } = await run(['role', 'update', 'rol_1', '--name', 'QA', '-o', format]);
    expect(stderr).toContain('way');
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
