import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeCertificates } from '../../helpers/certificates.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { textLike } from '../../helpers/text-like.ts';

const folder = temporaryFolder();
const file = () => folder.file('config/config.json');

const config = (argv: readonly string[], env: Record<string, string> = {}) =>
  runCli(folder.path, ['config', ...argv], { env });
const profiles = (): unknown => JSON.parse(readFileSync(file(), 'utf8')).profiles;

function write(text: string): void {
  mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(file(), text);
}

describe('config set', () => {
  it.each<[string, string[], unknown]>([
    ['base-url', ['HTTPS://API.example.com/v2/'], 'https://api.example.com/v2'],
    ['timeout', ['1m'], '1m'],
    ['retries', ['0'], 0],
    ['retries', ['12'], 12],
    ['allow-http', ['true'], true],
    ['allow-http', ['no'], false],
    ['wire.findings.task', ['task_id'], 'task_id'],
    ['wire.findings.scope', ['filter[scope]'], 'filter[scope]'],
    ['wire.findings.ignore', ['authType=api-key', 'meta=*'], ['authType=api-key', 'meta=*']],
    ['wire.member.deviceMgmtLabelId', ['fleetLabelId'], 'fleetLabelId'],
    ['wire.member.existing', ['is on board', 'known'], ['is on board', 'known']],
  ])('sets %s to %j in the default profile', async (name, values, stored) => {
    expect(await config(['set', name, ...values])).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(textLike(`✓ … ${name} … ${file()}\n`)),
      json: expect.any(Function),
    });
    expect(profiles()).toEqual({ default: { [name]: stored } });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('writes to the named profile, and keeps all other settings', async () => {
    expect((await config(['set', 'timeout', '5s'])).stderr).toBe(`✓ profile default: set timeout in ${file()}\n`);
    await config(['set', 'retries', '1', '--profile', 'staging']);
    await config(['set', 'retries', '2'], { ORGADM_PROFILE: 'prod' });
    await config(['set', 'timeout', '7s', '--profile', 'staging'], { ORGADM_PROFILE: 'prod' });
    expect(profiles()).toEqual({
      default: { timeout: '5s' },
      staging: { retries: 1, timeout: '7s' },
      prod: { retries: 2 },
    });
    expect(readFileSync(file(), 'utf8')).toBe(
      '{\n  "profiles": {\n    "default": {\n      "timeout": "5s"\n    },\n    "staging": {\n      "retries": 1,\n' +
        '      "timeout": "7s"\n    },\n    "prod": {\n      "retries": 2\n    }\n  }\n}\n',
    );
  });

  it('stores the absolute path of a certificate file', async () => {
    const { ca, remove } = makeCertificates();
    remove();
    writeFileSync(folder.file('ca.pem'), ca);
    const { relative } = await import('node:path');
    expect((await config(['set', 'ca-cert', relative('.', folder.file('ca.pem'))])).code).toBe(0);
    expect(profiles()).toEqual({ default: { 'ca-cert': folder.file('ca.pem') } });
  });

  it.each<[string[], string, string | undefined]>([
    [['baseurl', 'x'], 'unknown setting "baseurl"', expect.stringContaining('Known: base-url, ')],
    [
      ['wire.findings.taks', 'x'],
      expect.stringContaining('"wire.findings.taks"'),
      expect.stringContaining(' wire.findings.task,'),
    ],
    [['api-key', 'x'], '"api-key" is not a setting', 'Store the API key with: orgadm auth login'],
    [['base-url', 'example'], 'base-url is not a valid URL', expect.any(String)],
    [['base-url', 'ftp://x'], 'base-url must start with https:// or http:// (got ftp:)', expect.any(String)],
    [['base-url', ' '], 'base-url: the value is blank', undefined],
    [['timeout', '10abc'], expect.stringContaining('timeout: "10abc" '), expect.any(String)],
    ...['1.5', '1x', 'x1', '1000'].map((text): [string[], string, string] => [
      ['retries', text],
      expect.stringContaining(`retries: "${text}" `),
      expect.any(String),
    ]),
    [['timeout', '0s'], 'timeout must be greater than 0', undefined],
    [
      ['allow-http', 'maybe'],
      'allow-http: "maybe" is not a boolean',
      'Use true or false. orgadm also accepts yes, no, on, off, 1, and 0.',
    ],
    [
      ['ca-cert', '/nowhere/ca.pem'],
      expect.stringMatching(/^ca-cert: .* \/nowhere\/ca\.pem: .* \(ENOENT\)$/),
      undefined,
    ],
    [
      ['wire.findings.task', 'a b'],
      'wire.findings.task: "a b" is not a valid name',
      'Use up to 100 letters, digits, and _ - . $ [ ].',
    ],
    ...['userId', 'role', 'department', 'isActive'].map((name): [string[], string, string] => [
      ['wire.member.deviceMgmtLabelId', name],
      `wire.member.deviceMgmtLabelId: "${name}" is another field of a member`,
      "Use your service's name for the device label.",
    ]),
    [['wire.member.existing', 'a', ' '], 'wire.member.existing: a value must not be blank', undefined],
    ...['*', '* *'].map((phrase): [string[], string, string] => [
      ['wire.member.existing', 'is on board', phrase],
      'wire.member.existing: * alone would match every message, so that nobody is reported as failed',
      'Write the words of the service, with * for the parts that differ.',
    ]),
    [['timeout', '1', 's'], 'timeout: expected one value', 'Quote a value that contains spaces.'],
    [['timeout'], "missing required argument 'value'", expect.any(String)],
  ])('rejects %j and writes nothing', async (argv, message, hint) => {
    const { code, stdout, stderr } = await config(['set', ...argv, '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error).toEqual({ code: 'usage', message, ...(hint === undefined ? {} : { hint }) });
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  it('warns about plain http to another machine until the profile allows it', async () => {
    const warning = `warning: orgadm rejects plain http to api.example.com, because it would send the API key unencrypted
  Use https or, if you trust the network: orgadm config set allow-http true`;
    const set = async (...argv: string[]) =>
      (await config(['set', 'base-url', ...argv])).stderr.split('\n').slice(1).join('\n');
    expect(await set('http://api.example.com')).toBe(`${warning}\n`);
    expect(await set('http://api.example.com', '--profile', 'staging')).toBe(`${warning} --profile staging\n`);
    expect(await set('http://127.0.0.1:4010')).toBe('');
    expect(await set('https://api.example.com')).toBe('');
    await config(['set', 'allow-http', 'true']);
    expect(await set('http://api.example.com')).toBe('');
  });
});

describe('config unset', () => {
  it('removes settings, and a profile without any', async () => {
    await config(['set', 'timeout', '5s', '--profile', 'staging']);
    await config(['set', 'retries', '1', '--profile', 'staging']);
    expect((await config(['unset', 'timeout', '--profile', 'staging'])).stderr).toBe(
      'profile staging: removed timeout\n',
    );
    expect(profiles()).toEqual({ staging: { retries: 1 } });
    await config(['unset', 'retries', '--profile', 'staging']);
    expect(profiles()).toEqual({});
  });

  it('accepts a setting that is not set, but not an unknown one', async () => {
    expect(await config(['unset', 'timeout'])).toMatchObject({
      code: 0,
      stderr: 'profile default does not set timeout\n',
    });
    expect(await config(['unset', 'timeot'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*"timeot"\nhint: .* timeout, .*\n$/),
    });
  });
});

describe('config list', () => {
  it('finds the file by ORGADM_CONFIG_DIR, XDG_CONFIG_HOME, and the home directory', async () => {
    const unset = { ORGADM_CONFIG_DIR: '', XDG_CONFIG_HOME: '' };
    const firstLine = async (env: Record<string, string>) => (await config(['list'], env)).stdout.split('\n')[0];
    expect(await firstLine(unset)).toBe(folder.file('.config/orgadm/config.json'));
    expect(await firstLine({ ...unset, XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/orgadm/config.json');
    expect(await firstLine({ ORGADM_CONFIG_DIR: '/own' })).toBe('/own/config.json');
  });

  const DEFAULTS = [
    ['profile', 'default', 'default'],
    ['base-url', '', ''],
    ['api-key', '', ''],
    ['timeout', '30s', 'default'],
    ['retries', '4', 'default'],
    ['ca-cert', '', ''],
    ['allow-http', 'false', 'default'],
    ['wire.findings.task', 'taskId', 'default'],
    ['wire.findings.evidenceSubmission', 'evidenceSubmissionId', 'default'],
    ['wire.findings.evidenceFormType', 'evidenceFormType', 'default'],
    ['wire.findings.scope', 'scope', 'default'],
    ['wire.findings.ignore', '', 'default'],
    ['wire.domain.ignore', '', 'default'],
    ['wire.member.deviceMgmtLabelId', 'deviceMgmtLabelId', 'default'],
    ['wire.member.existing', '', 'default'],
  ];

  it('lists every setting with its default where nothing is set', async () => {
    const { code, stdout } = await config(['list'], { ORGADM_OUTPUT: 'csv' });
    expect(code).toBe(0);
    const rows = DEFAULTS.map((setting) => `${setting.join()}\n`);
    expect(stdout).toBe(`name,value,from\n${rows.join('')}`);
  });

  it('names the option, variable, or profile that each value comes from, and never shows the key', async () => {
    const key = 'canary-key-0123456789abcdef';
    const url = 'https://api.example.com';
    await config(['set', 'base-url', `${url}/`, '--profile', 'staging']);
    await config(['set', 'wire.member.existing', 'a b', 'c', '--profile', 'staging']);
    const env = { ORGADM_PROFILE: 'staging', ORGADM_RETRIES: '7', ORGADM_API_KEY: key };
    const flags = ['list', '--timeout', '5s'];
    const json = await config([...flags, '--json'], env);
    const settings = json.json() as { name: string }[];
    expect(settings.map(({ name }) => name)).toEqual(DEFAULTS.map(([name]) => name));
    const of = (name: string) => settings.find((setting) => setting.name === name);
    expect(of('profile')).toEqual({ name: 'profile', value: 'staging', from: 'ORGADM_PROFILE' });
    expect(of('base-url')).toEqual({ name: 'base-url', value: url, from: 'profile staging' });
    expect(of('timeout')).toEqual({ name: 'timeout', value: '5s', from: '--timeout' });
    expect(of('retries')).toEqual({ name: 'retries', value: 7, from: 'ORGADM_RETRIES' });
    expect(of('wire.member.existing')).toMatchObject({ value: ['a b', 'c'], from: 'profile staging' });
    expect(of('api-key')).toEqual({ name: 'api-key', value: null, from: 'ORGADM_API_KEY' });

    const table = await config(flags, env);
    const rows = table.stdout.split('\n').map((line) => line.split(/\s{2,}/));
    expect(rows.slice(0, 3)).toEqual([[file()], [''], ['name', 'value', 'from']]);
    expect(rows).toContainEqual(['base-url', url, 'profile staging']);
    expect(rows).toContainEqual(['wire.member.existing', 'a b, c', 'profile staging']);
    expect(rows).toContainEqual(['allow-http', 'false', 'default']);
    expect(rows).toContainEqual(['api-key', '(not shown)', 'ORGADM_API_KEY']);
    const ndjson = await config([...flags, '-o', 'ndjson'], env);
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(DEFAULTS.map(([name]) => name));
    for (const { stdout, stderr } of [json, table, ndjson]) expect(stdout + stderr).not.toContain(key);
  });

  it('shows that what a profile sets holds only for its own service', async () => {
    await config(['set', 'base-url', 'http://a.test']);
    await config(['set', 'allow-http', 'yes']);
    const allowHttp = async (...flags: string[]) => {
      const listed = (await config(['list', '--json', ...flags])).json() as { name: string }[];
      return listed.find(({ name }) => name === 'allow-http');
    };
    expect(await allowHttp()).toMatchObject({ value: true, from: 'profile default' });
    expect(await allowHttp('--base-url', 'http://b.test')).toMatchObject({ value: false, from: 'default' });
    expect(await allowHttp('--allow-http')).toMatchObject({ value: true, from: '--allow-http' });
  });
});

describe('a file that was edited by hand', () => {
  it('may have a byte order mark and values of other types', async () => {
    write('\ufeff{"profiles": {"default": {"retries": "3", "allow-http": false}}}');
    expect((await config(['list', '-o', 'csv'])).stdout).toContain('retries,3,profile default\n');
  });

  it.each<[string, string, string]>([
    [
      '{"profiles": {\n  "default": {\n    "retries": 3,\n  }\n}}',
      '…: line 4, column 3: …',
      'Correct it in an editor. The file was not changed.',
    ],
    [
      '{"profiles": {"default": {"time-out": "5s"}}}',
      ': profile "default": unknown setting "time-out"',
      'Known: base-url, timeout, …',
    ],
    ['{"profile": {}}', ' must have the form {"profiles": {"default": {…}}}', ''],
    ['{"profiles": {"default": {"retries": 3000}}}', ': profile "default": retries: "3000" …', '…'],
    ['{"profiles": {"default": {"retries": null}}}', ': profile "default": retries: the value has the wrong type', ''],
    [
      '{"profiles": {"default": {"retries": ["1"]}}}',
      ': profile "default": retries: expected one value, not a list',
      '',
    ],
    [
      '{"profiles": {"a b": {"retries": 1}}}',
      ': "a b" is not a valid profile name',
      'Use up to 64 letters, digits, _, -, and ., starting with a letter or a digit.',
    ],
    [
      '{"profiles": {"default": {"ca-cert": "ca.pem"}}}',
      ': profile "default": ca-cert: "ca.pem" is not an absolute path',
      '',
    ],
    [
      '{"profiles": {"default": {"wire.member.deviceMgmtLabelId": "role"}}}',
      ': profile "default": wire.member.deviceMgmtLabelId: "role" is another field of a member',
      "Use your service's name for the device label.",
    ],
    ['', '…', '…'],
  ])('is reported and never overwritten if it contains %j', async (text, problem, hint) => {
    write(text);
    for (const argv of [['list'], ['set', 'timeout', '5s'], ['unset', 'timeout']]) {
      const { code, stdout, stderr } = await config(argv);
      const lines = [`error: ${file()}${problem}`, ...(hint === '' ? [] : [`hint: …${hint}`]), ''];
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(textLike(lines.join('\n')));
      expect(readFileSync(file(), 'utf8')).toBe(text);
    }
  });
});

describe('a profile', () => {
  it('is not read for help', async () => {
    write('broken');
    expect(await config(['set', '--help'])).toMatchObject({ code: 0, stderr: '' });
    expect(await runCli(folder.path, ['--help'])).toMatchObject({ code: 0, stderr: '' });
  });
});
