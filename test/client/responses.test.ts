import { getDefaultHighWaterMark } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { errorOf } from '../helpers/report.ts';
import { type RawReply, type Reply, startScriptedService } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

/* What orgadm asks for, and what a response of any kind means, whatever the command. */

const cli = createCommandRunner();
const opened = closeAfterTests();

const CHANGE = ['api', 'POST', 'v1/x', '--json'];
const READ = ['api', 'GET', 'v1/x', '--json', '--retries', '0'];

const said = (status: number): Reply => ({ status, body: { message: 'No' } });
const raw = (bytes: string, after: RawReply['after'] = 'end'): RawReply => ({ raw: bytes, after });
const to = (location: string): Reply => ({ status: 302, headers: { location } });

describe('a request', () => {
  it('asks for JSON that is not compressed, and for the present state of the service', async () => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    await run(['findings', 'list', '--all']);
    expect(service.requests[0]?.headers).toMatchObject({
      ...{ accept: 'application/json', 'accept-encoding': 'identity', 'cache-control': 'no-cache' },
    });
  });
});

describe('a response that is no success', () => {
  // biome-ignore format: a table
  it.each<[name: string, reply: Reply | RawReply, exit: number, code: string, isAmbiguous: boolean]>([
    ['a 400', said(400), 1, 'rejected', false],
    ['a 401', said(401), 4, 'unauthorized', false],
    ['a 403', said(403), 4, 'forbidden', false],
    ['a 401 that is no JSON', { status: 401, body: 'Sign in' }, 4, 'gateway', false],
    ['a 403 that is no JSON', { status: 403, body: 'Blocked' }, 4, 'gateway', false],
    ['a 404', said(404), 5, 'not-found', false],
    ['a 407', said(407), 6, 'unreachable', false],
    ['a 408', said(408), 6, 'timeout', true],
    ['a 409', said(409), 1, 'conflict', true],
    ['a 413', said(413), 1, 'too-large', false],
    ['a 425', said(425), 1, 'rejected', true],
    ['a 429', said(429), 6, 'rate-limited', false],
    ['a 499', said(499), 1, 'rejected', true],
    ['a 500', said(500), 6, 'service-failed', true],
    ['a 599', said(599), 6, 'service-failed', true],
    ['a redirect', to('/login'), 1, 'redirect', true],
    ['a redirect to nowhere', { status: 307 }, 1, 'redirect', true],
    ['a 304', { status: 304 }, 1, 'invalid-response', true],
    ['a 600', raw('HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n'), 1, 'invalid-response', true],
    ['nothing', raw(''), 6, 'interrupted', true],
    ['a reset', raw('', 'reset'), 6, 'interrupted', true],
    ['half a status line', raw('HTTP/1.1 20'), 6, 'interrupted', true],
    ['half a body', raw('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"created":['), 6, 'interrupted', true],
    ['half a body before a reset', raw('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{', 'reset'), 6, 'interrupted', true],
    ['half a body in chunks', raw('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cre\r\n'), 6, 'interrupted', true],
    ['half a rejection', raw('HTTP/1.1 400 Bad Request\r\nContent-Length: 500\r\n\r\nonly this much'), 6, 'interrupted', true],
    ['another protocol', raw('SSH-2.0-OpenSSH_9.6\r\n'), 1, 'invalid-response', true],
    ['headers without end', raw(`HTTP/1.1 200 OK\r\n${'x-filler: 0123456789\r\n'.repeat(4_000)}`, 'hang'), 1, 'invalid-response', true],
  ])('%s has the exit code and the error of its kind', async (_name, reply, exit, code, isAmbiguous) => {
    const { run } = await cli.scripted([reply, reply]);
    const result = await run(CHANGE);
    const [error, errorOfRead] = [errorOf(result), errorOf(await run(READ))];
    // Only after a change does the hint say that the service may have made it.
    expect([result.code, error.code, error.hint !== errorOfRead.hint]).toEqual([exit, code, isAmbiguous]);
  });

  it.each([301, 307])('is not followed if it is a redirect (%i): the other origin receives nothing', async (status) => {
    const other = opened(await startScriptedService([]));
    const location = `${other.url}/v1/x`;
    const { run } = await cli.scripted([{ status, headers: { location } }]);
    expect(errorOf(await run(CHANGE)).message).toContain(` to ${location},`);
    expect(other.connections()).toBe(0);
  });

  it('is named by its origin and path alone if it is a redirect, because the rest may be secret', async () => {
    const { run } = await cli.scripted([to('https://user:secret@example.com/x?k=secret#secret')]);
    const { stderr } = await run(CHANGE);
    expect(stderr).toContain(' to https://example.com/x,');
    expect(stderr).not.toContain('secret');
  });
});

describe('the message of a service is quoted', () => {
  const LONG = 'x'.repeat(2_000);
  const DEEP = `${'{"error":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`;

  // biome-ignore format: a table
  it.each<[name: string, body: unknown, quoted: string]>([
    ['a text', { message: 'Gone', error: 'Unauthorized', statusCode: 401 }, ': Gone'],
    ['a list', { message: ['too short', 'taken'] }, ': too short; taken'],
    ['a long list', { message: Array.from({ length: 40 }, (_, row) => `row ${row}`) }, '; row 9; and 30 more'],
    ['a list of long texts', { message: ['a', 'b', 'c'].map((text) => text.repeat(420)) }, `${'b'.repeat(420)}; and 1 more`],
    ['problem+json', { type: 'about:blank', title: 'Forbidden', detail: 'No such right' }, ': Forbidden: No such right'],
    ['problem+json with errors', { title: 'Invalid', errors: { name: ['taken'] } }, ': Invalid; {"name":["taken"]}'],
    ['an object', { error: { code: 'E1', message: 'Slow down' } }, ': Slow down'],
    ['an object without a message', { error: { code: 'E1' } }, ': {"error":{"code":"E1"}}'],
    ['an empty message next to an error', { message: '', error: 'Bad Request' }, ': Bad Request'],
    ['a bare text', 'upstream connect error\n', ': upstream connect error'],
    ['the title of a page', '<html><head><title lang="en">Bad\n Gateway</title></head><body>x</body></html>', ': Bad Gateway'],
    ['a page without a title', '<h1>Oops</h1>', ' (400)'],
    ['nothing', '', ' (400)'],
    ['a long text', { message: LONG }, `: ${LONG.slice(0, 1_000)}…`],
    ['JSON that is nested too deeply', DEEP, `: ${DEEP.slice(0, 1_000)}…`],
  ])('if it is %s', async (_name, body, quoted) => {
    const { run } = await cli.scripted([{ status: 400, body }]);
    const { message } = errorOf(await run(CHANGE));
    expect(message.endsWith(quoted), message).toBe(true);
  });
});

describe('a complete response', () => {
  /** Fills the buffer of a reader that does not read, with nothing left in that of the connection. */
  const BODY = 'x'.repeat(getDefaultHighWaterMark(false) + 4_000);
  const LENGTH = `content-length: ${BODY.length}\r\n`;

  it.each([
    ['without a length', ''],
    ['with a length', LENGTH],
    ['with a length and an announced end', `${LENGTH}connection: close\r\n`],
  ])('may end with its connection, %s', async (_name, headers) => {
    const { run } = await cli.scripted([raw(`HTTP/1.1 200 OK\r\n${headers}\r\n${BODY}`)]);
    expect(await run(['api', 'GET', 'v1/x'])).toMatchObject({ code: 0, stdout: BODY });
  });

  it('may split a character and begin with a byte order mark', async () => {
    const { run } = await cli.scripted([
      (_request, response) => {
        response.setHeader('content-type', 'application/json');
        for (const byte of Buffer.from('\uFEFF["Zoë 🦊"]')) response.write(Buffer.of(byte));
        response.end();
        return undefined;
      },
    ]);
    expect((await run(['api', 'GET', 'v1/x', '--jq', '.[0]', '-r'])).stdout).toBe('Zoë 🦊\n');
  });
});

describe('Retry-After', () => {
  // biome-ignore format: a table
  it.each<[value: string, waitMs: number]>([
    [' 7 ', 7_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 1_000],
    // Not understood.
    ['-1', 1_000],
    ['10abc', 1_000],
    ['2026-01-01', 1_000],
    ['Thu, 99 Jan 2026 00:00:30 GMT', 1_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT+01:00', 1_000],
  ])('of %j is a wait of %i ms', async (value, waitMs) => {
    const { run } = await cli.scripted([{ status: 429, headers: { 'retry-after': value } }, { body: [] }]);
    const clock = createAutoClock();
    expect((await run(['findings', 'list', '--all'], { clock })).code).toBe(0);
    expect(clock.sleeps).toEqual([waitMs]);
  });
});
