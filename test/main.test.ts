import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { memoryHost } from './helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from './helpers/service-run.ts';
import { textLike } from './helpers/text-like.ts';

const cli = createCommandRunner();
const HELP = 'See orgadm role update --help.';

describe('--version', () => {
  it.each(['--version', '-V'])('%s prints the version and nothing else', async (flag) => {
    const { code, stdout, stderr } = await cli.plain([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['peple'], "unknown command 'peple'", 'Did you mean people?'],
    [['people', 'bulk-ad'], "… 'bulk-ad'", '… bulk-add?'],
    [['frobnicate'], "… 'frobnicate'", 'See orgadm --help.'],
    [['role', 'update', 'rol_1', '--nmae', 'QA'], "unknown option '--nmae'", 'Did you mean --name?'],
    [['findings', 'list', '--all', '--sandbx'], "… '--sandbx'", '… --sandbox?'],
    [['--sandbx', 'findings', 'list', '--all'], "… '--sandbx'", '… --sandbox?'],
    [['findings', 'list', '--taks=tsk_1'], "… '--taks'", '…'],
    [['role', 'update', 'rol_1', '--name'], "option '--name <name>' argument missing", HELP],
    [['role', 'update', 'rol_1', '--zyxw'], "… '--zyxw'", HELP],
    [['--zyxw'], "… '--zyxw'", 'See orgadm --help.'],
    [['people', 'bulk-add'], "missing required argument 'file'", '…'],
    [['people', 'remove', 'usr_1'], "… 'remove'", 'See orgadm people --help.'],
    [['complteion'], "… 'complteion'", '… completion?'],
    [['findings', 'list', '--scope', 'poeple'], '--scope: "poeple" …', '… people, …'],
    [['people', 'bulk-add', '-', '--format', 'ndjsn'], '--format: "ndjsn" …', '… ndjson…'],
  ])('is rejected with what to type instead: %j', async (argv: string[], message: string, hint: string) => {
    expectUsageError(await cli.plain(argv), message, hint);
  });

  it.each([
    ['auth', 'login', '--token=SECRET'],
    ['--token=SECRET', 'auth', 'login'],
    ['auth', '--token=SECRET', 'login'],
    ['auth', 'login', '--token=SECRET\nSECRET'],
    ['auth', 'login', '-k=SECRET'],
    ['auth', 'login', '--frce=SECRET'],
    ['auth', 'login', '--force=SECRET'],
    ['auth', 'login', '--token=SECRET', ''],
    ['auth', 'logn', '--token=SECRET'],
    ['people', 'import', '--token=SECRET'],
  ])('does not repeat the value of an option, which may be a key: %j', async (...argv) => {
    for (const format of [[], ['--json'], ['--debug']]) {
      const { code, stdout, stderr } = await cli.plain([...argv, ...format]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toContain('SECRET');
    }
  });

  it('names the option without its value', async () => {
    const hint = 'See orgadm auth login --help.';
    expectUsageError(await cli.plain(['auth', 'login', '--token=SECRET']), "… '--token'", hint);
    expectUsageError(await cli.plain(['auth', 'login', '--force=SECRET']), "… '--force'", '…');
  });

  it.each([
    { how: '--json', argv: ['--json'], env: {} },
    { how: '-o json', argv: ['-o', 'json'], env: {} },
    { how: '-o ndjson', argv: ['-o', 'ndjson'], env: {} },
    { how: 'ORGADM_OUTPUT=json', argv: [], env: { ORGADM_OUTPUT: 'json' } },
  ])('is one line of JSON under $how, before and after the words', async ({ argv, env }) => {
    for (const line of [
      [...argv, 'role', 'update', 'rol_1', '--nmae', 'QA'],
      ['role', 'update', 'rol_1', '--nmae', 'QA', ...argv],
    ]) {
      const { code, stdout, stderr } = await cli.plain(line, { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(textLike(`{"error":{"code":"usage","message":"… '--nmae'","hint":"… --name?"}}\n`));
    }
  });

  it('prints text if -o json follows --, where it is not an option', async () => {
    const { code, stderr } = await cli.plain(['peple', '--', '--json']);
    expect({ code, stderr: stderr.slice(0, 7) }).toEqual({ code: 2, stderr: 'error: ' });
  });
});

describe('the output format', () => {
  const TEMPLATE = ['people', 'template'];
  const FORMATS = 'Allowed: table, json, ndjson, csv.';

  it.each([
    [['-o', 'xml'], {}, '--output: "xml" is not allowed', 'Allowed: table, json, ndjson, csv.'],
    [['-o', 'JSON'], {}, '--output: "JSON" …', '… json, …'],
    [[], { ORGADM_OUTPUT: 'yaml' }, 'ORGADM_OUTPUT: "yaml" …', FORMATS],
  ])('rejects the options %j with the environment %j', async (argv, env, message, hint) => {
    expectUsageError(await cli.plain([...TEMPLATE, ...argv], { env }), message, hint);
  });

  it('rejects two different formats, as JSON', async () => {
    const { code, stdout, stderr } = await cli.plain([...TEMPLATE, '--json', '-o', 'csv']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: '--json cannot be used with --output csv' },
    });
  });

  it('prefers the flag to the environment', async () => {
    const env = { ORGADM_OUTPUT: 'json' };
    expect((await cli.plain([...TEMPLATE, '-o', 'csv'], { env })).stdout).toMatch(/^userId,role/);
    expect((await cli.plain([...TEMPLATE, '--json', '-o', 'json'])).code).toBe(0);
    expect((await cli.plain(TEMPLATE, { env })).stdout).toMatch(/^\[/);
  });
});

describe('an error', () => {
  it('shows its cause and stack under --debug only', async () => {
    const argv = ['role', 'update', 'rol_1', '--name', 'Q'];
    expect((await cli.plain(argv)).stderr).not.toContain('at ');
    expect((await cli.plain([...argv, '--debug'])).stderr).toMatch(/\n +at /);
    const { stderr } = await cli.plain([...argv, '--debug', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { stack: expect.stringContaining('at ') } });
  });

  it('is not a bug of orgadm if the process may open no more files', async () => {
    const { host, stderr } = memoryHost(cli.file('.'));
    Object.defineProperty(host, 'uid', {
      get() {
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      },
    });
    expect(await main(['runs', 'list'], host)).toBe(1);
    expect(stderr.text).toBe('error: too many open files (EMFILE)\n');
  });

  it.runIf(process.platform === 'linux')('is not a bug of orgadm if the disk of a list fails', async () => {
    expect(await cli.sandbox(['people', 'bulk-add', '/proc/self/mem'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: cannot read /proc/self/mem: i/o error (EIO)\n' +
        'hint: Nothing was sent. Copy the list to another disk and pass the copy.\n',
    });
  });

  it('goes to standard error even under --quiet', async () => {
    const file = cli.file('key');
    writeFileSync(file, ' \n');
    const { code, stderr } = await cli.plain(['findings', 'list', '--all', '--quiet', '--key-file', file]);
    expect(code).toBe(2);
    expect(stderr).toBe(`error: --key-file: ${file} is empty\nhint: The file must contain the key and nothing else.\n`);
  });
});

describe('another system than Linux and macOS', () => {
  it.each(['win32', 'freebsd'] as const)('is named by the first command, with the reason: %s', async (platform) => {
    const message = `orgadm runs on Linux and macOS, not on ${platform}`;
    const hint =
      'It relies on file permissions to protect the API key, and on file locks to import nobody twice. On Windows, use WSL.';
    for (const argv of [
      ['people', 'template'],
      ['auth', 'status'],
    ]) {
      expectUsageError(await cli.plain(argv, { platform }), message, hint);
    }
  });

  it('is not reported on macOS', async () => {
    expect(await cli.plain(['people', 'template'], { platform: 'darwin' })).toMatchObject({ code: 0, stderr: '' });
  });
});
