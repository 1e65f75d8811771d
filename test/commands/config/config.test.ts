import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const file = () => cli.file('config/config.json');

const config = (argv: readonly string[], env: Record<string, string> = {}) => cli.plain(['config', ...argv], { env });
const profiles = (): unknown => JSON.parse(readFileSync(file(), 'utf8')).profiles;

function write(text: string): void {
  mkdirSync(cli.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(file(), text);
}

describe('config set', () => {
  // biome-ignore format: a table
  it.each<[string, string[], unknown]>([
    ['base-url', ['HTTPS://API.example.com/v2/'], 'https://api.example.com/v2'],
    ['timeout', ['1m'], '1m'],
    ['retries', ['0'], 0],
    ['allow-http', ['no'], false],
    ['wire.findings.scope', ['filter[scope]'], 'filter[scope]'],
    ['wire.findings.ignore', ['authType=api-key', 'meta=*'], ['authType=api-key', 'meta=*']],
    ['wire.member.existing', ['is on board', 'known'], ['is on board', 'known']],
  ])('sets %s to %j in the default profile', async (name, values, stored) => {
    const { code, stdout, stderr } = await config(['set', name, ...values]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(textLike(`✓ profile default: set ${name} in ${file()}\n`));
    expect(profiles()).toEqual({ default: { [name]: stored } });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('writes to the named profile, and keeps all other settings', async () => {
    await config(['set', 'timeout', '5s']);
    await config(['set', 'retries', '1', '--profile', 'staging']);
    await config(['set', 'retries', '2'], { ORGADM_PROFILE: 'prod' });
    await config(['set', 'timeout', '7s', '--profile', 'staging'], { ORGADM_PROFILE: 'prod' });
    expect(profiles()).toEqual({
      default: { timeout: '5s' },
      staging: { retries: 1, timeout: '7s' },
      prod: { retries: 2 },
    });
  });

  it('stores the absolute path of a certificate file', async () => {
    writeFileSync(cli.file('ca.pem'), '-----BEGIN CERTIFICATE-----\n');
    expect((await config(['set', 'ca-cert', relative('.', cli.file('ca.pem'))])).code).toBe(0);
    expect(profiles()).toEqual({ default: { 'ca-cert': cli.file('ca.pem') } });
  });

  // biome-ignore format: a table
  it.each<[argv: string[], message: string, hint: string | undefined]>([
    [['baseurl', 'x'], 'unknown setting "baseurl"', 'Known: base-url, …'],
    [['api-key', 'x'], '"api-key" is not a setting', 'Store the API key with: orgadm auth login'],
    [['base-url', 'example'], 'base-url is not a valid URL', '…'],
    [['base-url', 'ftp://x'], 'base-url must start with https:// or http:// (got ftp:)', '…'],
    [['base-url', ' '], 'base-url: the value is blank', undefined],
    [['timeout', '0s'], 'timeout must be greater than 0', undefined],
    [['retries', '1000'], 'retries: "1000" …', '…'],
    [['allow-http', 'maybe'], 'allow-http: "maybe" is not a boolean', 'Use true or false. …'],
    [['ca-cert', '/nowhere/ca.pem'], 'ca-cert: … /nowhere/ca.pem: … (ENOENT)', undefined],
    [['wire.findings.task', 'a b'], 'wire.findings.task: "a b" is not a valid name', '…'],
    [['wire.findings.ignore', 'requestId'], 'wire.findings.ignore: "requestId" has no value', '…'],
    [['wire.member.deviceMgmtLabelId', 'role'], 'wire.member.deviceMgmtLabelId: "role" is another field of a member', '…'],
    [['wire.member.existing', 'a', ' '], 'wire.member.existing: a value must not be blank', undefined],
    [['wire.member.existing', 'a', '* *'], 'wire.member.existing: * alone would match every message, …', '…'],
    [['timeout', '1', 's'], 'timeout: expected one value', 'Quote a value that contains spaces.'],
    [['timeout'], "missing required argument 'value'", '…'],
  ])('rejects %j and writes nothing', async (argv, message, hint) => {
    expectUsageError(await config(['set', ...argv]), message, hint);
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  it('warns about plain http to another machine until the profile allows it', async () => {
    const warningOf = async (...argv: string[]) =>
      (await config(['set', 'base-url', ...argv])).stderr.split('\n').slice(1).join('\n');
    expect(await warningOf('http://api.example.com', '--profile', 'staging')).toMatch(
      textLike('warning: … http …\n  … orgadm config set allow-http true --profile staging\n'),
    );
    expect(await warningOf('http://127.0.0.1:4010')).toBe('');
    expect(await warningOf('https://api.example.com')).toBe('');
    await config(['set', 'allow-http', 'true', '--profile', 'staging']);
    expect(await warningOf('http://api.example.com', '--profile', 'staging')).toBe('');
  });
});

describe('config unset', () => {
  it('removes a setting, also one that is not set, and a profile without any', async () => {
    await config(['set', 'timeout', '5s', '--profile', 'staging']);
    await config(['set', 'retries', '1', '--profile', 'staging']);
    for (const left of [{ staging: { retries: 1 } }, { staging: { retries: 1 } }]) {
      expect((await config(['unset', 'timeout', '--profile', 'staging'])).code).toBe(0);
      expect(profiles()).toEqual(left);
    }
    await config(['unset', 'retries', '--profile', 'staging']);
    expect(profiles()).toEqual({});
  });

  it('rejects an unknown setting', async () => {
    expectUsageError(await config(['unset', 'timeot']), 'unknown setting "timeot"', '… timeout, …');
  });
});

describe('config list', () => {
  it('finds the file by ORGADM_CONFIG_DIR, XDG_CONFIG_HOME, and the home directory', async () => {
    const unset = { ORGADM_CONFIG_DIR: '', XDG_CONFIG_HOME: '' };
    const firstLine = async (env: Record<string, string>) => (await config(['list'], env)).stdout.split('\n')[0];
    expect(await firstLine(unset)).toBe(cli.file('.config/orgadm/config.json'));
    expect(await firstLine({ ...unset, XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/orgadm/config.json');
    expect(await firstLine({ ORGADM_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' })).toBe('/own/config.json');
    expect(await firstLine({ ...unset, XDG_CONFIG_HOME: 'relative' })).toBe(cli.file('.config/orgadm/config.json'));
    expect(await firstLine({ ORGADM_CONFIG_DIR: '~/own' })).toBe(cli.file('own/config.json'));
    const other = await config(['list'], { ORGADM_CONFIG_DIR: '~other/own' });
    expectUsageError(other, 'ORGADM_CONFIG_DIR: orgadm cannot expand "~other/own"', 'Use an absolute path.');
  });

  it('lists every setting with its default where nothing is set', async () => {
    expect(await config(['list', '-o', 'csv'])).toMatchObject({
      code: 0,
      stdout: `name,value,from
profile,default,default
base-url,,
api-key,,
timeout,30s,default
retries,4,default
ca-cert,,
allow-http,false,default
wire.findings.task,taskId,default
wire.findings.evidenceSubmission,evidenceSubmissionId,default
wire.findings.evidenceFormType,evidenceFormType,default
wire.findings.scope,scope,default
wire.findings.ignore,,default
wire.domain.ignore,,default
wire.member.deviceMgmtLabelId,deviceMgmtLabelId,default
wire.member.existing,,default
`,
    });
  });

  it('names the option, variable, or profile that each value comes from, and never shows the key', async () => {
    await config(['set', 'base-url', 'https://api.example.com/', '--profile', 'staging']);
    await config(['set', 'wire.member.existing', 'a b', 'c', '--profile', 'staging']);
    const env = { ORGADM_PROFILE: 'staging', ORGADM_RETRIES: '7', ORGADM_API_KEY: API_KEY };
    const flags = ['list', '--timeout', '5s'];
    const [json, table] = [await config([...flags, '--json'], env), await config(flags, env)];
    expect(json.json()).toEqual(
      expect.arrayContaining([
        { name: 'profile', value: 'staging', from: 'ORGADM_PROFILE' },
        { name: 'base-url', value: 'https://api.example.com', from: 'profile staging' },
        { name: 'timeout', value: '5s', from: '--timeout' },
        { name: 'retries', value: 7, from: 'ORGADM_RETRIES' },
        { name: 'wire.member.existing', value: ['a b', 'c'], from: 'profile staging' },
        { name: 'api-key', value: null, from: 'ORGADM_API_KEY' },
      ]),
    );
    const rows = table.stdout.split('\n').map((line) => line.split(/\s{2,}/));
    expect(rows.slice(0, 3)).toEqual([[file()], [''], ['name', 'value', 'from']]);
    expect(rows).toContainEqual(['wire.member.existing', 'a b, c', 'profile staging']);
    expect(rows).toContainEqual(['api-key', '(not shown)', 'ORGADM_API_KEY']);
    for (const { stdout, stderr } of [json, table]) expect(stdout + stderr).not.toContain(API_KEY);
  });
});

describe('a file that was edited by hand', () => {
  it('may have a byte order mark and values of other types', async () => {
    write('\ufeff{"profiles": {"default": {"retries": "3", "allow-http": false}}}');
    expect((await config(['list', '-o', 'csv'])).stdout).toContain('retries,3,profile default\n');
  });

  // biome-ignore format: a table
  it.each<[text: string, problem: string, hint: string | undefined]>([
    ['', '…', '…'],
    ['{"profiles": {\n  "default": {\n    "retries": 3,\n  }\n}}', '…: line 4, column 3: …', 'Correct it in an editor. The file was not changed.'],
    ['{"profile": {}}', ' must have the form {"profiles": {"default": {…}}}', undefined],
    ['{"profiles": {"default": {"time-out": "5s"}}}', ': profile "default": unknown setting "time-out"', 'Known: base-url, …'],
    ['{"profiles": {"default": {"retries": 3000}}}', ': profile "default": retries: "3000" …', '…'],
    ['{"profiles": {"default": {"retries": null}}}', ': profile "default": retries: the value has the wrong type', undefined],
    ['{"profiles": {"default": {"retries": ["1"]}}}', ': profile "default": retries: expected one value, not a list', undefined],
    ['{"profiles": {"a b": {"retries": 1}}}', ': "a b" is not a valid profile name', '…'],
    ['{"profiles": {"default": {"ca-cert": "ca.pem"}}}', ': profile "default": ca-cert: "ca.pem" is not an absolute path', undefined],
  ])('is reported and never overwritten if it contains %j', async (text, problem, hint) => {
    write(text);
    for (const argv of [['list'], ['set', 'timeout', '5s'], ['unset', 'timeout']]) {
      expectUsageError(await config(argv), `${file()}${problem}`, hint);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    }
  });
});
