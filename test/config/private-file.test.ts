import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../../src/config/private-file.ts';
import { runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';
import { textLike } from '../helpers/text-like.ts';

const folder = temporaryCliDirectory();
const file = () => folder.file('config/credentials.json');
const BASE_URL = 'https://api.example.com';

function writeKeys(
  text = JSON.stringify({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: BASE_URL } } }),
  mode = 0o600,
): void {
  mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(file(), text, { mode: 0o600 });
  chmodSync(file(), mode);
}

const listSettings = (env: Record<string, string> = {}) =>
  runCli(folder.path, ['config', 'list', '--effective', '--base-url', BASE_URL], { env });

describe('a directory or file that other users can write to', () => {
  it.each<[mode: string, name: string]>([
    ['720', 'credentials'],
    ['702', 'credentials'],
    ['777', 'config'],
  ])('is rejected with mode %s when the %s in it are read', async (mode, name) => {
    if (name === 'credentials') writeKeys();
    else mkdirSync(folder.file('config'), { mode: 0o700 });
    if (name === 'config') writeFileSync(folder.file('config/config.json'), '{"profiles": {}}', { mode: 0o600 });
    chmodSync(folder.file('config'), Number.parseInt(mode, 8));
    const { code, stdout, stderr } = await listSettings();
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: other users can write to the directory ${folder.file('config')}\n` +
        `hint: Remove their access: chmod go-w ${folder.file('config')}. Check the files in it before you use them.\n`,
    });
  });

  it('is rejected if it is the settings file itself, also as the target of a link', async () => {
    mkdirSync(folder.file('config'), { mode: 0o700 });
    writeFileSync(folder.file('shared.json'), '{"profiles": {}}');
    chmodSync(folder.file('shared.json'), 0o666);
    symlinkSync(folder.file('shared.json'), folder.file('config/config.json'));
    const { code, stderr } = await listSettings();
    expect(code).toBe(2);
    expect(stderr).toContain(`error: other users can write to ${folder.file('config/config.json')}\n`);
  });

  it('is accepted if nothing is read from it', async () => {
    mkdirSync(folder.file('config'));
    chmodSync(folder.file('config'), 0o777);
    expect((await listSettings({ ORGADM_API_KEY: CANARY_KEY })).code).toBe(0);
  });
});

describe('a key file', () => {
  it.runIf(existsSync('/dev/zero'))('is rejected after 64 KiB if it never ends', async () => {
    const argv = ['findings', 'list', '--all', '--base-url', BASE_URL, '--key-file'];
    expect(await runCli(folder.path, [...argv, '/dev/zero'])).toMatchObject({
      code: 2,
      stderr: 'error: --key-file: cannot read /dev/zero: file too large (EFBIG)\n',
    });
    const endless = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(1024);
      })(),
    );
    expect(await runCli(folder.path, [...argv, '-'], { stdin: endless })).toMatchObject({
      code: 2,
      stderr: 'error: --key-file: cannot read standard input: file too large (EFBIG)\n',
    });
  });
});

describe('the file of keys', () => {
  const EDIT = 'Correct it in an editor. The file was not changed.';

  it.each([
    ['600', 0o600],
    ['400', 0o400],
    ['700', 0o700],
  ] as const)('is read with mode %s', async (_text, mode) => {
    writeKeys(undefined, mode);
    expect(await listSettings()).toMatchObject({ code: 0, stderr: '' });
  });

  it.each<[string, number]>([
    ['640', 0o640],
    ['604', 0o604],
  ])('is rejected with mode %s, which grants access to others', async (message, mode) => {
    writeKeys(undefined, mode);
    const { code, stdout, stderr } = await listSettings();
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: other users can access ${file()} (mode ${message})\n` +
        `hint: Remove their access: chmod 600 ${file()}. If they may have read the key, replace it.\n`,
    });
  });

  it('is rejected as a symbolic link, even to a valid file', async () => {
    writeKeys();
    mkdirSync(folder.file('other'));
    symlinkSync(file(), folder.file('other/credentials.json'));
    const { code, stderr } = await listSettings({ ORGADM_CONFIG_DIR: folder.file('other') });
    expect(code).toBe(2);
    expect(stderr).toContain(`${folder.file('other/credentials.json')} is a symbolic link`);
  });

  it('is rejected if it belongs to another user', () => {
    writeKeys();
    // Files of root are trusted, if others can read them.
    chmodSync(folder.file('config'), 0o755);
    if (process.getuid?.() === 0) chownSync(file(), 4711, 4711);
    const own = statSync(file()).uid;
    expect(readConfigFile(file(), own, { isSecret: true })).toContain(CANARY_KEY);
    expect(() => readConfigFile(file(), own + 1, { isSecret: true })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: `${file()} belongs to another user`,
        hint: `Make it yours if you trust its contents: sudo chown "$(id -u)" ${file()}`,
      }),
    );
  });

  it('is rejected if it is not a regular file', async () => {
    mkdirSync(file(), { recursive: true, mode: 0o700 });
    expect(await listSettings()).toMatchObject({ code: 2, stderr: `error: ${file()} is not a regular file\n` });
  });

  it.each(['credentials.json', 'config.json'])('is rejected if %s is a named pipe, which never ends', async (name) => {
    mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
    const pipe = folder.file(`config/${name}`);
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(await listSettings()).toMatchObject({ code: 2, stderr: `error: ${pipe} is not a regular file\n` });
  });

  it.each<[string, string, string, string]>([
    ['not JSON', `{"profiles": {"default": {\n"apiKey": "${CANARY_KEY}",,`, ' …: line 2, column 41: …', EDIT],
    ['a bare key', CANARY_KEY, " …: … 'c'", EDIT],
    [
      'a key without its base URL',
      `{"profiles": {"default": {"apiKey": "${CANARY_KEY}"}}}`,
      ': profile "default": baseUrl must be a string',
      'Remove that profile from the file, then run: orgadm auth login --profile default',
    ],
  ])(
    'is rejected without repeating the key, and not changed, if it contains %s',
    async (_name, text, problem, hint) => {
      writeKeys(text);
      for (const argv of [
        ['config', 'list', '--effective'],
        ['auth', 'logout'],
      ]) {
        const { code, stdout, stderr } = await runCli(folder.path, [...argv, '--debug']);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr.split('\n').slice(0, 2).join('\n')).toMatch(
          textLike(`error: ${file()}${problem}\nhint: ${hint}`),
        );
        expect(stderr).not.toContain('canary');
        expect(readFileSync(file(), 'utf8')).toBe(text);
      }
    },
  );
});

describe('a home directory', () => {
  const env = { ORGADM_CONFIG_DIR: '', ORGADM_STATE_DIR: '' };

  it.runIf(process.platform === 'linux').each([
    [['config', 'set', 'retries', '5'], 'error: cannot create /proc/none/.config/orgadm: '],
    [['people', 'bulk-add', '-', '--sandbox'], "error: the sandbox's state file /proc/none/"],
  ])('in which nothing can be created ends %j with an error', async (argv, message) => {
    const { code, stderr } = await runCli('/proc/none', argv, { env });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is rejected as a relative path, rather than reading settings from the current directory', async () => {
    expect(await runCli('relative', ['config', 'list'], { env })).toMatchObject({
      code: 2,
      stderr:
        'error: HOME is not an absolute path\nhint: Set HOME, or ORGADM_CONFIG_DIR to a directory that you own.\n',
    });
  });
});
