import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { partLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();

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
  mkdirSync(cli.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(cli.file('config/config.json'), JSON.stringify({ profiles: config }));
  writeFileSync(cli.file('config/credentials.json'), JSON.stringify({ profiles: keys }), { mode: 0o600 });
}

const list = (argv: readonly string[], env: Record<string, string> = {}) =>
  cli.plain(['config', 'list', '--json', ...argv], { env });

/** Returns the value and the source of each setting. */
async function effective(argv: readonly string[], env: Record<string, string> = {}) {
  const listed = (await list(argv, env)).json() as { name: string; value: unknown; from: string | null }[];
  return Object.fromEntries(listed.map(({ name, value, from }) => [name, [value, from]]));
}

const URL_SET = { ORGADM_BASE_URL: VARIABLE_URL };
const KEY_SET = { ORGADM_API_KEY: 'key-of-variable' };
const BOTH_SET = { ...URL_SET, ...KEY_SET };

describe('the source of base URL and key', () => {
  type Source = [url: string, urlFrom: string, keyFrom: string | null];
  const DEFAULT: Source = [DEFAULT_URL, 'profile default', 'profile default'];
  const PROD: Source = [PROD_URL, 'profile prod', 'profile prod'];
  const VARIABLES: Source = [VARIABLE_URL, 'ORGADM_BASE_URL', 'ORGADM_API_KEY'];
  const NO_VARIABLES = { ORGADM_BASE_URL: '', ORGADM_API_KEY: '', ORGADM_PROFILE: '' };
  const IN_PROD = { ORGADM_PROFILE: 'prod' };

  // biome-ignore format: a table
  it.each<[name: string, argv: string[], env: Record<string, string>, Source]>([
    ['the default profile when nothing else is set', [], {}, DEFAULT],
    ['the environment before the default profile', [], BOTH_SET, VARIABLES],
    ['a flag before the environment', ['--base-url', FLAG_URL], BOTH_SET, [FLAG_URL, '--base-url', 'ORGADM_API_KEY']],
    ['a profile named by flag before the environment', ['--profile', 'prod'], BOTH_SET, PROD],
    ['the default profile named by flag before the environment', ['--profile', 'default'], { ...BOTH_SET, ...IN_PROD }, DEFAULT],
    ['a profile named by the environment', [], IN_PROD, PROD],
    ['the environment before a profile that it names', [], { ...IN_PROD, ...BOTH_SET }, VARIABLES],
    ['the environment where the profile named by flag sets nothing', ['--profile', 'bare'], BOTH_SET, VARIABLES],
    ['the profile where variables are empty', [], NO_VARIABLES, DEFAULT],
    ['no stored key for the URL of a flag', ['--base-url', FLAG_URL], {}, [FLAG_URL, '--base-url', null]],
    ['no stored key for the URL of a variable', [], URL_SET, [VARIABLE_URL, 'ORGADM_BASE_URL', null]],
    ['no stored key of a profile named by flag for another URL', ['--profile', 'prod', '--base-url', DEFAULT_URL], {}, [DEFAULT_URL, '--base-url', null]],
    ['no stored key for another path of its host', ['--base-url', `${DEFAULT_URL}/v2`], {}, [`${DEFAULT_URL}/v2`, '--base-url', null]],
    ['no stored key for its host over plain http', ['--base-url', 'http://default.example.com', '--allow-http'], {}, ['http://default.example.com', '--base-url', null]],
    ['the profile, whose URL the flag writes otherwise', ['--base-url', 'HTTPS://Default.Example.com:443/'], {}, [DEFAULT_URL, '--base-url', 'profile default']],
    ['both for the key if the profile has a key for its URL', [], KEY_SET, [DEFAULT_URL, 'profile default', 'ORGADM_API_KEY and profile default']],
    ['the environment for the key if the profile has none', [], { ...KEY_SET, ORGADM_PROFILE: 'bare', ...URL_SET }, VARIABLES],
  ])('is %s', async (_name, argv, env, expected) => {
    write();
    const settings = await effective(argv, env);
    expect([...(settings['base-url'] ?? []), settings['api-key']?.[1]]).toEqual(expected);
  });

  it('is the environment for the key if the profile has a key for another URL', async () => {
    write(PROFILES, { prod: { apiKey: 'key-of-prod', baseUrl: 'https://old.example.com' } });
    expect((await effective([], { ...KEY_SET, ...IN_PROD }))['api-key']?.[1]).toBe('ORGADM_API_KEY');
  });

  it('is a key file rather than the profile that is named by flag', async () => {
    write();
    writeFileSync(cli.file('key.txt'), 'key-of-file\n');
    const settings = await effective(['--profile', 'prod', '--key-file', cli.file('key.txt')], KEY_SET);
    expect([settings['base-url']?.[0], settings['api-key']?.[1]]).toEqual([PROD_URL, '--key-file']);
  });

  it('is the environment, even if the file of keys is invalid', async () => {
    write();
    writeFileSync(cli.file('config/credentials.json'), 'broken');
    expect((await effective([], BOTH_SET))['api-key']?.[1]).toBe('ORGADM_API_KEY');
    const broken = await list([]);
    expect([broken.code, errorOf(broken).message]).toEqual([2, expect.stringContaining('credentials.json')]);
  });
});

describe('the other settings', () => {
  const TIMES_SET = { ORGADM_TIMEOUT: '33s', ORGADM_RETRIES: '3' };

  it.each<[string, string[], Record<string, string>, timeout: string, retries: number]>([
    ['the default profile', [], {}, '11s', 1],
    ['the environment', [], TIMES_SET, '33s', 3],
    ['the profile named by flag', ['--profile', 'prod'], TIMES_SET, '22s', 2],
    ['the flags', ['--profile', 'prod', '--timeout', '44s', '--retries', '0'], TIMES_SET, '44s', 0],
    ['orgadm, if they are not set', ['--profile', 'bare'], {}, '30s', 4],
  ])('are those of %s', async (_name, argv, env, timeout, retries) => {
    write();
    const settings = await effective(argv, env);
    expect([settings.timeout?.[0], settings.retries?.[0]]).toEqual([timeout, retries]);
  });

  it('are those of the profile only for its own service, if it has one', async () => {
    write();
    const sourceOf = async (argv: string[], name: string) => (await effective(argv, KEY_SET))[name]?.[1];
    expect(await sourceOf(['--base-url', `${DEFAULT_URL}/`], 'wire.findings.task')).toBe('profile default');
    expect(await sourceOf(['--base-url', FLAG_URL], 'wire.findings.task')).toBe('default');
    expect(await sourceOf(['--profile', 'bare', '--base-url', FLAG_URL], 'wire.findings.scope')).toBe('profile bare');
  });

  it('name the profile if orgadm cannot use its certificate file', async () => {
    write({ default: { 'base-url': DEFAULT_URL, 'ca-cert': cli.file('ca.pem') } }, {});
    for (const content of [undefined, 'no certificate']) {
      if (content !== undefined) writeFileSync(cli.file('ca.pem'), content);
      const result = await cli.plain(['findings', 'list', '--all', '--json'], { env: KEY_SET });
      expect(result.code).toBe(2);
      expect(errorOf(result).message).toMatch(partLike(`profile default: ca-cert: …${cli.file('ca.pem')}`));
    }
  });
});

describe('a profile that does not exist', () => {
  it.each<[string[], Record<string, string>, named: RegExp]>([
    [['--profile', 'pord'], {}, /^--profile: .*"pord".*\bdefault, prod, bare, keyonly\b/],
    [[], { ORGADM_PROFILE: 'elsewhere' }, /^ORGADM_PROFILE: .*"elsewhere".*\bdefault, prod, bare, keyonly\b/],
    [['--profile', '../up'], {}, /^--profile: .*"\.\.\/up"/],
  ])('is rejected, and the known ones are named: %j %j', async (argv, env, named) => {
    write(PROFILES, { ...KEYS, keyonly: { apiKey: 'key-of-keyonly', baseUrl: FLAG_URL } });
    const result = await list(argv, env);
    expect([result.code, errorOf(result).message]).toEqual([2, expect.stringMatching(named)]);
    expect((await list(['--profile', 'keyonly'])).code).toBe(0);
  });
});
