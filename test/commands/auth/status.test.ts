import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { errorOf } from '../../helpers/report.ts';
import type { RawReply, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner(API_KEY, { scriptsFirstRead: true });
const ACCEPTED: Reply = { body: [] };
const RESET: RawReply = { raw: '', after: 'reset' };
const PAGE: Reply = { headers: { 'content-type': 'text/html' }, body: '<title>Hi</title>' };

const auth = (argv: readonly string[], env: Record<string, string> = {}) =>
  cli.plain(['auth', ...argv], { stdin: API_KEY, env });
const keys = (): unknown => JSON.parse(readFileSync(cli.file('config/credentials.json'), 'utf8')).profiles;

/** A service that accepts the key at login and then returns the given responses. */
async function loggedIn(...then: (Reply | RawReply)[]): Promise<string> {
  const { service } = await cli.scripted([ACCEPTED, ...then]);
  expect((await auth(['login', '--base-url', service.url, '--key-file', '-'])).code).toBe(0);
  return service.url;
}

describe('auth status', () => {
  it('asks the service, and shows the source of each value in six lines', async () => {
    const url = await loggedIn(ACCEPTED);
    const { code, stdout, stderr } = await auth(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`check         result
profile       default
base URL      ${url} (profile default)
key           from profile default
API responds  yes
key accepted  yes
`);
  });

  // biome-ignore format: a table
  it.each<[situation: string, reply: Reply | RawReply, exit: number, responds: boolean, verified: string, detail: RegExp | null, error?: string]>([
    ['accepts the key', ACCEPTED, 0, true, 'yes', null],
    ['does not let it read findings', { status: 403, body: { message: 'No \u001b[1mright' } }, 0, true, 'no-permission', /^not allowed to read findings \(403\).*: No \u001b\[1mright$/],
    ['does not say why', { status: 403, body: {} }, 0, true, 'no-permission', /^not allowed to read findings \(403\), [^:]*$/],
    ['rejects the key', { status: 401, body: { message: 'Expired' } }, 4, true, 'no', /\(401\): Expired$/, 'unauthorized'],
    ['fails', { status: 500, body: { message: 'Oops' } }, 6, true, 'unknown', /\(500\): Oops$/, 'service-failed'],
    ['is gone', RESET, 6, false, 'unknown', /./, 'interrupted'],
    ['is a web page', PAGE, 1, false, 'unknown', /./, 'invalid-response'],
  ])('says whether the service %s, and keeps the key', async (_situation, reply, exit, responds, verified, detail, error) => {
    const baseUrl = await loggedIn(reply);
    const result = await auth(['status', '--json']);
    expect(result.code).toBe(exit);
    expect(result.json()).toEqual({
      ...{ profile: 'default', baseUrl, baseUrlFrom: 'profile default', keyFrom: 'profile default' },
      ...{ responds, verified, detail: detail === null ? null : expect.stringMatching(detail) },
    });
    if (error !== undefined) expect(errorOf(result)).toMatchObject({ code: error, hint: expect.any(String) });
    expect(keys()).toEqual({ default: { apiKey: API_KEY, baseUrl } });
  });

  it('prints the fix of each problem if neither a base URL nor a key is set', async () => {
    expect(await auth(['status'])).toMatchObject({
      code: 4,
      stdout: 'check     result\nprofile   default\nbase URL  none\nkey       none\n',
      stderr: expect.stringMatching(
        textLike('warning: …\nhint: … --base-url …\nerror: no API key\nhint: … --key-file, … --sandbox.\n'),
      ),
    });
  });

  it('shows the status, then the error, if the profile and the environment have a key each', async () => {
    await loggedIn();
    const result = await auth(['status'], { ORGADM_API_KEY: 'other' });
    expect(result.code).toBe(2);
    expect(result.stdout).toMatch(/^key +from ORGADM_API_KEY and profile default$/m);
    expect(result.stderr).toMatch(/^error: ORGADM_API_KEY is set, /);
  });

  it('does not use a key that is bound to another URL, and says where the key belongs', async () => {
    const url = await loggedIn();
    const result = await auth(['status', '--base-url', 'https://other.example.com', '--json']);
    expect(result.code).toBe(4);
    expect(result.json()).toEqual({
      ...{ profile: 'default', baseUrl: 'https://other.example.com', baseUrlFrom: '--base-url' },
      ...{ keyFrom: null, responds: null, verified: null, detail: null },
    });
    const { code, hint } = errorOf(result);
    expect(code).toBe('no-key');
    expect(hint).toContain(` ${url},`);
    expect(hint).toContain('orgadm auth login --profile <name> --base-url https://other.example.com.');
  });
});

describe('auth logout', () => {
  it('deletes the key of one profile, keeps its URL, and changes nothing the second time', async () => {
    const url = await loggedIn(ACCEPTED);
    await auth(['login', '--base-url', url, '--key-file', '-', '--profile', 'staging']);
    const logout = ['logout', '--profile', 'staging', '--json'];
    expect((await auth(logout)).json()).toEqual({ profile: 'staging', removed: true });
    expect((await auth(logout)).json()).toEqual({ profile: 'staging', removed: false });
    expect(keys()).toEqual({ default: { apiKey: API_KEY, baseUrl: url } });
    const { stdout } = await cli.plain(['config', 'list', '-o', 'csv', '--profile', 'staging']);
    expect(stdout).toContain(`base-url,${url},profile staging\napi-key,,\n`);
  });

  it('warns that a variable is still set', async () => {
    const { code, stderr } = await auth(['logout'], { ORGADM_API_KEY: 'other' });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: ORGADM_API_KEY is still set/m);
  });
});
