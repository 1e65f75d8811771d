import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../helpers/people-service.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/** Situations with keys in which administrators of command-line tools have sent the wrong key, or none. */

const cli = createCommandRunner('', { scriptsFirstRead: true });
const [STORED, OTHER] = ['stored-key-0123456789', 'production-key-0123456789'];
const FINDINGS = ['findings', 'list', '--all'];

/** A service, and a profile for it with a stored key. */
async function withProfile(profile: string) {
  const { service, run } = await cli.scripted(() => ({ body: [] }));
  mkdirSync(cli.file('config'), { mode: 0o700 });
  const write = (file: string, value: object) =>
    writeFileSync(cli.file(`config/${file}`), JSON.stringify({ profiles: { [profile]: value } }), { mode: 0o600 });
  write('config.json', { 'base-url': service.url });
  write('credentials.json', { apiKey: STORED, baseUrl: service.url });
  const inEnv = (argv: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    run(argv, { env: { PATH: process.env.PATH ?? '', ORGADM_BASE_URL: '', ...env } });
  return { service, run: inEnv, keys: () => service.requests.map(({ headers }) => headers['x-api-key']) };
}

describe('a job that has a key in its environment, on a machine with a profile', () => {
  it.each<[person: string, profile: string, env: Record<string, string>]>([
    ['the key of production in the job, and staging chosen by a variable', 'staging', { ORGADM_PROFILE: 'staging' }],
    ['the key of another tenant in the job, and a login of last year on the machine', 'default', {}],
  ])('stops before it sends either key: %s', async (_, profile, env) => {
    const { run, keys, service } = await withProfile(profile);
    const { code, stdout, stderr } = await run(FINDINGS, { ORGADM_API_KEY: OTHER, ...env });
    expect({ code, stdout, keys: keys() }).toEqual({ code: 2, stdout: '', keys: [] });
    expect(stderr).toBe(
      `error: ORGADM_API_KEY is set, and profile ${profile} also has a key for ${service.url}\n` +
        'hint: Nothing was sent. To use the key of the profile, unset ORGADM_API_KEY. To use ORGADM_API_KEY, set ORGADM_BASE_URL to the service that it belongs to.\n',
    );
  });

  it('sends the key of the job if the job says where it belongs, by a variable or an option', async () => {
    const { run, keys, service } = await withProfile('default');
    expect((await run(FINDINGS, { ORGADM_API_KEY: OTHER, ORGADM_BASE_URL: service.url })).code).toBe(0);
    expect((await run([...FINDINGS, '--base-url', service.url], { ORGADM_API_KEY: OTHER })).code).toBe(0);
    expect(keys()).toEqual([OTHER, OTHER]);
  });

  it('sends the key of a file, or of a profile that an option names', async () => {
    const { run, keys } = await withProfile('staging');
    writeFileSync(cli.file('key.txt'), `${OTHER}\n`, { mode: 0o600 });
    const both = { ORGADM_API_KEY: 'third-key-0123456789', ORGADM_PROFILE: 'staging' };
    expect((await run([...FINDINGS, '--key-file', cli.file('key.txt')], both)).code).toBe(0);
    expect((await run([...FINDINGS, '--profile', 'staging'], both)).code).toBe(0);
    expect(keys()).toEqual([OTHER, STORED]);
  });

  it('stops before it continues a run of the profile with the key of the job', async () => {
    const { service, run } = await cli.scripted(addsMembers(), {});
    const env = { ORGADM_BASE_URL: '', ORGADM_API_KEY: '' };
    mkdirSync(cli.file('config'), { mode: 0o700 });
    const write = (file: string, value: object) =>
      writeFileSync(cli.file(`config/${file}`), JSON.stringify({ profiles: { default: value } }), { mode: 0o600 });
    write('config.json', { 'base-url': service.url });
    write('credentials.json', { apiKey: STORED, baseUrl: service.url });
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
    expect((await run(['people', 'bulk-add', cli.file('members.csv'), '--limit', '1'], { env })).code).toBe(3);
    const [first] = (await run(['runs', 'list', '--json'], { env })).json() as [{ id: string }];
    const sent = service.requests.length;
    const result = await run(['runs', 'resume', first.id], { env: { ...env, ORGADM_API_KEY: OTHER } });
    expect({ code: result.code, sent: service.requests.length }).toEqual({ code: 2, sent });
    expect(result.stderr).toContain('ORGADM_API_KEY is set, and profile default also has a key for');
    expect((await run(['runs', 'resume', first.id], { env })).code).toBe(0);
  });
});

describe('a key of any characters', () => {
  it.each([
    '$aact_prod_000MzkwODA2',
    '17|plainTextToken',
    'JBSWY3DPEHPK3PXP====',
    'key:with:colons',
    `a$\{b}c`,
    '50%off%',
  ])('is sent as it is: %s', async (key) => {
    const { run, service, keys } = await withProfile('default');
    expect((await run(FINDINGS, { ORGADM_API_KEY: key, ORGADM_BASE_URL: service.url })).code).toBe(0);
    expect(keys()).toEqual([key]);
  });
});

describe('a key in place of the name of its file', () => {
  it.each([OTHER, `${OTHER}/xyz`, `/etc/hosts/${OTHER}`, OTHER.repeat(200)])(
    'is not repeated by the error',
    async (key) => {
      for (const argv of [FINDINGS, ['auth', 'login', '--base-url', 'https://api.example.com']]) {
        const { code, stderr } = await cli.plain([...argv, '--key-file', key], { env: { ORGADM_API_KEY: '' } });
        expect(code).toBe(2);
        expect(stderr).toBe(
          'error: --key-file: there is no such file\nhint: Pass the path of a file that contains the key, not the key itself.\n',
        );
      }
    },
  );
});

describe('a base URL of several lines, which a URL parser would join to another address', () => {
  it.each([
    'https://api.example.com\nhttps://staging.example.com',
    'https://api.exam\n  ple.com',
    'https://api.\texample.com',
  ])('is rejected: %j', async (ORGADM_BASE_URL) => {
    const { code, stderr } = await cli.plain(FINDINGS, { env: { ORGADM_API_KEY: OTHER, ORGADM_BASE_URL } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: ORGADM_BASE_URL is not a valid URL\n/);
  });
});

describe('a variable that orgadm does not know, for which it would use another service or key', () => {
  it.each(['ORGADM_BASEURL', 'ORGADM_APIKEY', 'ORGADM_NOINPUT', 'ORGADM_API_KEY_STAGING'])(
    'is rejected, with the names of the others: %s',
    async (variable) => {
      const { run, keys } = await withProfile('default');
      const { code, stderr } = await run(FINDINGS, { ORGADM_API_KEY: '', [variable]: OTHER });
      expect({ code, keys: keys() }).toEqual({ code: 2, keys: [] });
      expect(stderr).toMatch(
        new RegExp(`^error: orgadm does not know the variable ${variable}\nhint: .* ORGADM_API_KEY,`),
      );
      expect(stderr).not.toContain(OTHER);
    },
  );
});

describe('an empty ORGADM_API_KEY, as a compose file passes on a variable that nobody has set', () => {
  it('is named if the command needs a key and finds no other', async () => {
    const { service, run } = await cli.scripted([]);
    for (const ORGADM_API_KEY of ['', ' \r\n']) {
      const { code, stderr } = await run(FINDINGS, { env: { ORGADM_API_KEY, ORGADM_BASE_URL: service.url } });
      expect(code).toBe(4);
      expect(stderr).toContain(', and ORGADM_API_KEY is empty\n');
    }
  });

  it('does not matter next to another key, or to a command that needs none', async () => {
    const { run, keys } = await withProfile('default');
    expect((await run(FINDINGS, { ORGADM_API_KEY: '' })).code).toBe(0);
    expect(keys()).toEqual([STORED]);
    expect((await run([...FINDINGS, '--sandbox'], { ORGADM_API_KEY: '' })).code).toBe(0);
    expect((await run(['runs', 'list'], { ORGADM_API_KEY: '' })).code).toBe(0);
  });
});

describe('the hint about a key', () => {
  it('names the profile after auth logout', async () => {
    const { run } = await withProfile('staging');
    await run(['auth', 'logout', '--profile', 'staging']);
    const { code, stderr } = await run(FINDINGS, { ORGADM_PROFILE: 'staging' });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: .* in profile staging\b/);
    expect(stderr).toContain('orgadm auth login --profile staging.');
  });
});
