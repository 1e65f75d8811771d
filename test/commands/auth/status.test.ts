import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../../helpers/opened.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { partLike } from '../../helpers/text-like.ts';

const opened = closeAfterTests();
const folder = temporaryFolder();
const KEYS = 'config/credentials.json';
const ACCEPTED: Reply = { body: [] };
const REJECTED: Reply = { status: 401, body: { message: 'Invalid or expired API key' } };

const auth = (argv: readonly string[], env: Record<string, string> = {}) =>
  runCli(folder.path, ['auth', ...argv], { stdin: CANARY_KEY, env });

/** A service that accepts the key at login and then returns the given responses. */
async function loggedIn(...then: (Reply | RawReply)[]): Promise<string> {
  const { url } = opened(await startScriptedService([ACCEPTED, ...then], { scriptsFirstRead: true }));
  expect((await auth(['login', '--base-url', url, '--key-file', '-'])).code).toBe(0);
  return url;
}

describe('auth status', () => {
  it('asks the service, and shows the source of each value in six lines', async () => {
    const url = await loggedIn(ACCEPTED, ACCEPTED);
    const { code, stdout, stderr } = await auth(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`check         result
profile       default
base URL      ${url} (profile default)
key           from profile default
API responds  yes
key accepted  yes
`);
    expect((await auth(['status', '--json'])).json()).toEqual({
      profile: 'default',
      baseUrl: url,
      baseUrlFrom: 'profile default',
      keyFrom: 'profile default',
      responds: true,
      verified: 'yes',
      detail: null,
    });
  });

  it('accepts a key without permission to read findings, unverified, with the message of the service', async () => {
    const forbidden = { status: 403, body: { message: 'Missing \u001b[1mpermission' } };
    await loggedIn(forbidden, forbidden);
    const table = await auth(['status']);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(
      /^key accepted +not allowed to read findings \(403\).*: Missing \\u001b\[1mpermission$/m,
    );
    expect(table.stderr).toMatch(/^.* key .*\n$/);
    const json = await auth(['status', '--json']);
    expect(json.code).toBe(0);
    expect(json.json()).toMatchObject({
      keyFrom: 'profile default',
      responds: true,
      verified: 'no-permission',
      detail: 'not allowed to read findings (403), so other commands may also fail: Missing \u001b[1mpermission',
    });
  });

  it('gives no reason for a missing permission if the service gives none', async () => {
    await loggedIn({ status: 403, body: {} });
    expect((await auth(['status', '--json'])).json()).toMatchObject({
      verified: 'no-permission',
      detail: 'not allowed to read findings (403), so other commands may also fail',
    });
  });

  it('exits with 4 for a rejected key, which stays stored', async () => {
    await loggedIn(REJECTED);
    const before = readFileSync(folder.file(KEYS), 'utf8');
    const result = await auth(['status', '--json']);
    expect(result.code).toBe(4);
    expect(result.json()).toMatchObject({
      keyFrom: 'profile default',
      responds: true,
      verified: 'no',
      detail: 'the service rejected the API key (401): Invalid or expired API key',
    });
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'unauthorized', status: 401 } });
    expect(readFileSync(folder.file(KEYS), 'utf8')).toBe(before);
  });

  it('keeps the key when another command is rejected', async () => {
    await loggedIn(REJECTED);
    const before = readFileSync(folder.file(KEYS), 'utf8');
    expect((await runCli(folder.path, ['findings', 'list', '--all'])).code).toBe(4);
    expect(readFileSync(folder.file(KEYS), 'utf8')).toBe(before);
  });

  it.each<[string, Reply | RawReply, number, boolean]>([
    ['fails', { status: 500, body: { message: 'Oops' } }, 6, true],
    ['is gone', { raw: '', after: 'reset' }, 6, false],
    ['returns a page', { headers: { 'content-type': 'text/html' }, body: '<title>Hi</title>' }, 1, false],
  ])('reports the key as unknown, with the problem, if the service %s', async (_name, reply, exitCode, responds) => {
    await loggedIn(reply);
    const result = await auth(['status', '--json']);
    expect(result.code).toBe(exitCode);
    expect(result.json()).toMatchObject({ responds, verified: 'unknown' });
    expect(JSON.parse(result.stderr).error.hint).toEqual(expect.any(String));
  });

  it('prints the fix of each problem if neither a base URL nor a key is set', async () => {
    expect(await auth(['status'])).toMatchObject({
      code: 4,
      stdout: `check     result
profile   default
base URL  none
key       none
`,
      stderr: `warning: no base URL
Set ORGADM_BASE_URL, pass --base-url https://api.example.com, or store one with orgadm auth login.
error: no API key
hint: Set ORGADM_API_KEY, pass a file with --key-file, or store a key with orgadm auth login. To try orgadm without an account, add --sandbox.
`,
    });
  });

  it('shows the status, then the error, if the profile and the environment have a key each', async () => {
    await loggedIn();
    const result = await auth(['status'], { ORGADM_API_KEY: 'other' });
    expect(result.code).toBe(2);
    expect(result.stdout).toMatch(/^key +from ORGADM_API_KEY and profile default$/m);
    expect(result.stderr).toMatch(/^error: ORGADM_API_KEY is set, and profile default also has a key/);
  });

  it('does not use a key that is bound to another URL, and exits with 4 and the reason', async () => {
    const url = await loggedIn();
    const result = await auth(['status', '--base-url', 'https://other.example.com', '--json']);
    expect(result.code).toBe(4);
    expect(result.json()).toEqual({
      profile: 'default',
      baseUrl: 'https://other.example.com',
      baseUrlFrom: '--base-url',
      keyFrom: null,
      responds: null,
      verified: null,
      detail: null,
    });
    expect(JSON.parse(result.stderr)).toEqual({
      error: {
        code: 'no-key',
        message: expect.any(String),
        hint: expect.stringMatching(
          partLike(
            `The key of the profile belongs to ${url}, and orgadm sends it nowhere else. … with orgadm auth login --profile <name> --base-url https://other.example.com.`,
          ),
        ),
      },
    });
  });

  it('names a profile of its own for a service that the profile without a key does not belong to', async () => {
    await loggedIn();
    await auth(['logout']);
    const { code, stderr } = await auth(['status', '--base-url', 'https://other.example.com', '--json']);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('orgadm auth login --profile <name> --base-url https://other.example.com.'),
    });
  });

  it('prints the same fields as csv and ndjson', async () => {
    const url = await loggedIn(ACCEPTED, ACCEPTED);
    expect((await auth(['status', '-o', 'csv'])).stdout).toBe(
      'profile,baseUrl,baseUrlFrom,keyFrom,responds,verified,detail\n' +
        `default,${url},profile default,profile default,true,yes,\n`,
    );
    expect((await auth(['status', '-o', 'ndjson'])).json()).toMatchObject({ baseUrl: url });
  });
});

describe('auth logout', () => {
  it('deletes the key and keeps the URL, and changes nothing the second time', async () => {
    const url = await loggedIn();
    expect(await auth(['logout'])).toMatchObject({ code: 0, stderr: 'profile default: removed the key\n' });
    expect(await auth(['logout'])).toMatchObject({ code: 0, stderr: 'profile default: no key is stored\n' });
    expect((await runCli(folder.path, ['config', 'list', '-o', 'csv'])).stdout).toContain(
      `base-url,${url},profile default\n`,
    );
    expect(JSON.parse(readFileSync(folder.file(KEYS), 'utf8'))).toEqual({ profiles: {} });
    expect((await runCli(folder.path, ['findings', 'list', '--all'])).code).toBe(4);
  });

  it('keeps the keys of other profiles', async () => {
    const url = await loggedIn(ACCEPTED);
    await auth(['login', '--base-url', url, '--key-file', '-', '--profile', 'staging']);
    const result = await auth(['logout', '--profile', 'staging', '--json']);
    expect(result.json()).toEqual({ profile: 'staging', removed: true });
    expect(JSON.parse(readFileSync(folder.file(KEYS), 'utf8'))).toEqual({
      profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } },
    });
  });

  it('warns that a variable is still set', async () => {
    expect(await auth(['logout'], { ORGADM_API_KEY: 'other' })).toMatchObject({
      code: 0,
      stderr: 'profile default: no key is stored\nwarning: ORGADM_API_KEY is still set and in use\n',
    });
  });
});
