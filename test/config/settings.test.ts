import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type GlobalFlags, readSettingSources, resolveSettings, type Settings } from '../../src/config/settings.ts';
import { makeCertificates } from '../helpers/certificates.ts';
import { memoryHost, temporaryCliDirectory } from '../helpers/run-cli.ts';

const folder = temporaryCliDirectory();

const DEFAULT_URL = 'https://default.example.com';
const PROD_URL = 'https://prod.example.com';
const VARIABLE_URL = 'https://variable.example.com';
const FLAG_URL = 'https://flag.example.com';

const PROFILES = {
  default: { 'base-url': DEFAULT_URL, timeout: '11s', retries: 1, 'wire.findings.task': 'task_id' },
  prod: { 'base-url': PROD_URL, timeout: '22s', retries: 2, 'wire.findings.task': 'task' },
  bare: { 'wire.findings.scope': 'area' },
};
const KEYS = {
  default: { apiKey: 'key-of-default', baseUrl: DEFAULT_URL },
  prod: { apiKey: 'key-of-prod', baseUrl: PROD_URL },
};

function write(config: object = PROFILES, keys: object = KEYS): void {
  mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(folder.file('config/config.json'), JSON.stringify({ profiles: config }));
  writeFileSync(folder.file('config/credentials.json'), JSON.stringify({ profiles: keys }), { mode: 0o600 });
}

async function resolve(flags: GlobalFlags, env: Record<string, string> = {}): Promise<Settings> {
  const { host } = memoryHost(folder.path, { env });
  return resolveSettings(await readSettingSources(flags, host), host);
}

const URL_SET = { ORGADM_BASE_URL: VARIABLE_URL };
const KEY_SET = { ORGADM_API_KEY: 'key-of-variable' };
const BOTH_SET = { ...URL_SET, ...KEY_SET };

type Source = [url: string | undefined, urlFrom: string | undefined, key: string | undefined, keyFrom: string];
const BOUND = 'bound to ';
const NONE = 'nowhere';

/** Where the key was found; without one, what the stored key is bound to. */
function keyFrom({ apiKeyFrom, keyBoundTo }: Settings): string {
  return apiKeyFrom ?? (keyBoundTo === undefined ? NONE : BOUND + keyBoundTo);
}

describe('the source of base URL and key', () => {
  const DEFAULT: Source = [DEFAULT_URL, 'profile default', 'key-of-default', 'profile default'];
  const PROD: Source = [PROD_URL, 'profile prod', 'key-of-prod', 'profile prod'];
  const VARIABLES: Source = [VARIABLE_URL, 'ORGADM_BASE_URL', 'key-of-variable', 'ORGADM_API_KEY'];

  it.each<[string, GlobalFlags, Record<string, string>, Source]>([
    ['the default profile when nothing else speaks', {}, {}, DEFAULT],
    ['the environment before the default profile', {}, BOTH_SET, VARIABLES],
    [
      'a flag before the environment',
      { baseUrl: FLAG_URL },
      BOTH_SET,
      [FLAG_URL, '--base-url', 'key-of-variable', 'ORGADM_API_KEY'],
    ],
    ['a profile named by flag before the environment', { profile: 'prod' }, BOTH_SET, PROD],
    [
      'the default profile named by flag before the environment',
      { profile: 'default' },
      { ...BOTH_SET, ORGADM_PROFILE: 'prod' },
      DEFAULT,
    ],
    ['a profile named by the environment', {}, { ORGADM_PROFILE: 'prod' }, PROD],
    ['the environment before a profile that it names', {}, { ORGADM_PROFILE: 'prod', ...BOTH_SET }, VARIABLES],
    ['the environment where the profile named by flag is silent', { profile: 'bare' }, BOTH_SET, VARIABLES],
    [
      'the profile where variables are empty',
      {},
      { ORGADM_BASE_URL: '', ORGADM_API_KEY: '', ORGADM_PROFILE: '' },
      DEFAULT,
    ],
    [
      'no stored key for the URL of a flag',
      { baseUrl: FLAG_URL },
      {},
      [FLAG_URL, '--base-url', undefined, BOUND + DEFAULT_URL],
    ],
    [
      'no stored key for the URL of a variable',
      {},
      URL_SET,
      [VARIABLE_URL, 'ORGADM_BASE_URL', undefined, BOUND + DEFAULT_URL],
    ],
    [
      'no stored key of a profile named by flag for another URL',
      { profile: 'prod', baseUrl: DEFAULT_URL },
      {},
      [DEFAULT_URL, '--base-url', undefined, BOUND + PROD_URL],
    ],
    [
      'no stored key for another path of its host',
      { baseUrl: `${DEFAULT_URL}/v2` },
      {},
      [`${DEFAULT_URL}/v2`, '--base-url', undefined, BOUND + DEFAULT_URL],
    ],
    [
      'no stored key for its host over plain http',
      { baseUrl: 'http://default.example.com', allowHttp: true },
      {},
      ['http://default.example.com', '--base-url', undefined, BOUND + DEFAULT_URL],
    ],
    [
      'the profile, whose URL the flag writes otherwise',
      { baseUrl: 'HTTPS://Default.Example.com:443/' },
      {},
      [DEFAULT_URL, '--base-url', 'key-of-default', 'profile default'],
    ],
    [
      'the sandbox before all else',
      { sandbox: true, profile: 'prod' },
      BOTH_SET,
      [undefined, undefined, undefined, NONE],
    ],
  ])('is %s', async (_name, flags, env, expected) => {
    write();
    const settings = await resolve(flags, env);
    expect([settings.baseUrl, settings.baseUrlFrom, await settings.readKey(), keyFrom(settings)]).toEqual(expected);
  });

  it.each<[string, GlobalFlags, Record<string, string>, string, string]>([
    ['the default profile', {}, {}, 'default', DEFAULT_URL],
    ['a profile named by the environment', {}, { ORGADM_PROFILE: 'prod' }, 'prod', PROD_URL],
    ['the profile of a journal', { profile: 'prod', isProfileRecorded: true }, {}, 'prod', PROD_URL],
  ])('is an error if both the environment and %s have a key', async (_name, flags, env, profile, url) => {
    write();
    const settings = await resolve(flags, { ...KEY_SET, ...env });
    expect([settings.baseUrl, settings.apiKeyFrom]).toEqual([url, `ORGADM_API_KEY and profile ${profile}`]);
    await expect(settings.readKey()).rejects.toThrow(
      `ORGADM_API_KEY is set, and profile ${profile} has a key for ${url}, too`,
    );
  });

  it('is the environment if the profile has no key of its own, or one for another URL', async () => {
    write(PROFILES, { prod: { apiKey: 'key-of-prod', baseUrl: 'https://old.example.com' } });
    for (const env of [KEY_SET, { ...KEY_SET, ORGADM_PROFILE: 'prod' }])
      expect(await (await resolve({}, env)).readKey()).toBe('key-of-variable');
  });

  it('is a key file rather than the profile that is named by flag', async () => {
    write();
    writeFileSync(folder.file('key.txt'), 'key-of-file\n');
    const settings = await resolve({ profile: 'prod', keyFile: folder.file('key.txt') }, KEY_SET);
    expect(settings).toMatchObject({ baseUrl: PROD_URL, apiKeyFrom: '--key-file' });
    expect(await settings.readKey()).toBe('key-of-file');
  });

  it('is the environment, even if the file of keys is invalid', async () => {
    write();
    writeFileSync(folder.file('config/credentials.json'), 'broken');
    expect(await (await resolve({}, BOTH_SET)).readKey()).toBe('key-of-variable');
    await expect(resolve({})).rejects.toThrow('credentials.json is not JSON');
  });
});

describe('the other settings', () => {
  const TIMES_SET = { ORGADM_TIMEOUT: '33s', ORGADM_RETRIES: '3' };

  it.each<[string, GlobalFlags, Record<string, string>, timeoutMs: number, retries: number]>([
    ['the default profile', {}, {}, 11_000, 1],
    ['the environment', {}, TIMES_SET, 33_000, 3],
    ['the profile named by flag', { profile: 'prod' }, TIMES_SET, 22_000, 2],
    ['the flags', { profile: 'prod', timeout: '44s', retries: '0' }, TIMES_SET, 44_000, 0],
    ['the tool, if they are not set', { profile: 'bare' }, {}, 30_000, 4],
  ])('include the timeout and retries of %s', async (_name, flags, env, timeoutMs, retries) => {
    write();
    expect(await resolve(flags, env)).toMatchObject({ timeoutMs, retries });
  });

  it('include the field names of the profile, whatever the source of the URL', async () => {
    write();
    expect((await resolve({ baseUrl: FLAG_URL }, KEY_SET)).wire.findings).toEqual({
      task: 'task_id',
      evidenceSubmission: 'evidenceSubmissionId',
      evidenceFormType: 'evidenceFormType',
      scope: 'scope',
      ignore: [],
    });
    expect((await resolve({ profile: 'bare' }, BOTH_SET)).wire.findings.scope).toBe('area');
  });

  it('include how the service of the profile names and reports members', async () => {
    const names = {
      'wire.member.deviceMgmtLabelId': 'fleetLabelId',
      'wire.member.existing': 'is on board',
      'wire.member.errorIndexBase': 1,
    };
    write({ default: names }, {});
    expect((await resolve({})).wire.member).toEqual({
      deviceMgmtLabelId: 'fleetLabelId',
      existing: ['is on board'],
      errorIndexBase: 1,
    });
  });

  it.each([
    [{}, { http: '', https: '', no: '' }],
    [
      { HTTP_PROXY: 'http://a.test', HTTPS_PROXY: 'http://b.test', NO_PROXY: 'c.test' },
      { http: 'http://a.test', https: 'http://b.test', no: 'c.test' },
    ],
    [
      { http_proxy: 'http://d.test', https_proxy: 'http://e.test', no_proxy: 'f.test' },
      { http: 'http://d.test', https: 'http://e.test', no: 'f.test' },
    ],
    [
      { http_proxy: 'http://d.test', HTTP_PROXY: 'http://a.test', no_proxy: '', NO_PROXY: 'c.test' },
      { http: 'http://d.test', https: '', no: 'c.test' },
    ],
  ])('include the proxies of the environment, in lower case first: %j', async (env, proxy) => {
    write();
    expect((await resolve({}, env)).proxy).toEqual(proxy);
  });

  it('include the key of a profile that has nothing else', async () => {
    write({}, { ...KEYS, keyonly: { apiKey: 'key-of-keyonly', baseUrl: FLAG_URL } });
    const settings = await resolve({ profile: 'keyonly' });
    expect({ key: await settings.readKey(), from: settings.apiKeyFrom, baseUrl: settings.baseUrl }).toEqual({
      key: 'key-of-keyonly',
      from: 'profile keyonly',
      baseUrl: undefined,
    });
  });

  it('include the default field names for the sandbox, whatever the profile', async () => {
    write();
    expect((await resolve({ sandbox: true })).wire.findings.task).toBe('taskId');
    expect((await resolve({ sandbox: true, profile: 'prod' })).wire.findings.task).toBe('taskId');
  });

  it('allow plain http only for the service of their profile', async () => {
    write({ default: { 'base-url': 'http://inside.example.com', 'allow-http': true } }, {});
    expect((await resolve({}, KEY_SET)).allowHttp).toBe(true);
    expect((await resolve({ baseUrl: 'http://other.example.com' }, KEY_SET)).allowHttp).toBe(false);
    expect((await resolve({ baseUrl: 'http://other.example.com', allowHttp: true }, KEY_SET)).allowHttp).toBe(true);
  });

  it("include Node's own extra certificates in addition to those of the user", async () => {
    const { ca, remove } = makeCertificates();
    remove();
    writeFileSync(folder.file('ca.pem'), ca);
    writeFileSync(folder.file('extra.pem'), `# extra\n${ca}`);
    const env = { NODE_EXTRA_CA_CERTS: folder.file('extra.pem') };
    write({ default: { 'ca-cert': folder.file('ca.pem') } }, {});
    expect(await resolve({}, env)).toMatchObject({ caCert: ca, extraCaCerts: `# extra\n${ca}` });
    const gone = { NODE_EXTRA_CA_CERTS: folder.file('gone.pem') };
    expect(await resolve({}, gone)).toMatchObject({ caCert: ca, extraCaCerts: undefined });
    write({}, {});
    expect(await resolve({}, env)).toMatchObject({ caCert: undefined, extraCaCerts: undefined });
  });
});

describe('resolveSettings', () => {
  const NAME = 'Use up to 64 letters, digits, _, -, and ., starting with a letter or a digit.';

  it.each<[GlobalFlags, Record<string, string>, message: string, hint: string | undefined]>([
    [{ profile: 'pord' }, {}, '--profile: unknown profile "pord"; known: default, prod, bare', 'Did you mean prod?'],
    [
      {},
      { ORGADM_PROFILE: 'barre' },
      'ORGADM_PROFILE: unknown profile "barre"; known: default, prod, bare',
      'Did you mean bare?',
    ],
    [
      { profile: 'elsewhere' },
      {},
      '--profile: unknown profile "elsewhere"; known: default, prod, bare',
      'Create it with: orgadm auth login --profile elsewhere',
    ],
    [{ profile: '../up' }, {}, '--profile: "../up" is not a valid profile name', NAME],
    [{ profile: 'prod!' }, {}, '--profile: "prod!" is not a valid profile name', NAME],
    [{}, { ORGADM_PROFILE: '../up' }, 'ORGADM_PROFILE: "../up" is not a valid profile name', NAME],
    [
      {},
      { ORGADM_RETRIES: '-1' },
      'ORGADM_RETRIES: "-1" is not a number from 0 to 999',
      'Use a whole number, such as 4.',
    ],
  ])('rejects the options %j with the environment %j', async (flags, env, message, hint) => {
    write();
    await expect(resolve(flags, env)).rejects.toMatchObject({ exitCode: 2, message, hint });
  });

  it('names the profile and the setting of a file that it cannot use', async () => {
    write({ default: { 'ca-cert': folder.file('none.pem') } }, {});
    await expect(resolve({})).rejects.toMatchObject({
      exitCode: 2,
      message: `profile default: ca-cert: cannot read ${folder.file('none.pem')}: no such file or directory (ENOENT)`,
    });
    writeFileSync(folder.file('none.pem'), 'no certificate');
    await expect(resolve({})).rejects.toMatchObject({
      exitCode: 2,
      message: `profile default: ca-cert: ${folder.file('none.pem')} contains no certificate`,
      hint: 'It must be a PEM file: -----BEGIN CERTIFICATE-----',
    });
  });
});
