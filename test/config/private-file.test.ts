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
import { readPrivateFile } from '../../src/config/private-file.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';

const folder = temporaryFolder();
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
  runCli(folder.path, ['config', 'list', '--base-url', BASE_URL], { env });

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
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: .*${folder.file('config')}\n.*chmod go-w ${folder.file('config')}`));
  });

  it('is rejected if it is the settings file itself', async () => {
    mkdirSync(folder.file('config'), { mode: 0o700 });
    writeFileSync(folder.file('config/config.json'), '{"profiles": {}}');
    chmodSync(folder.file('config/config.json'), 0o666);
    const { code, stderr } = await listSettings();
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^error: .*${folder.file('config/config.json')}\n`));
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
      stderr: expect.stringMatching(/--key-file.*\/dev\/zero.*EFBIG/),
    });
    const endless = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(1024);
      })(),
    );
    expect(await runCli(folder.path, [...argv, '-'], { stdin: endless })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--key-file.*EFBIG/),
    });
  });
});

describe('the file of keys', () => {
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
  ])('is rejected with mode %s, which grants access to others', async (text, mode) => {
    writeKeys(undefined, mode);
    const { code, stdout, stderr } = await listSettings();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: .*${file()}.*\\b${text}\\b.*\n.*chmod 600 ${file()}`));
  });

  it.each(['credentials.json', 'config.json'])(
    'is rejected if %s is a symbolic link, even to a valid file',
    async (name) => {
      writeKeys();
      writeFileSync(folder.file('config/config.json'), '{"profiles":{}}');
      mkdirSync(folder.file('other'));
      symlinkSync(folder.file(`config/${name}`), folder.file(`other/${name}`));
      const { code, stderr } = await listSettings({ ORGADM_CONFIG_DIR: folder.file('other') });
      expect(code).toBe(2);
      expect(stderr).toContain(folder.file(`other/${name}`));
    },
  );

  it('is rejected if it belongs to another user', () => {
    writeKeys();
    // Files of root are trusted, if others can read them.
    chmodSync(folder.file('config'), 0o755);
    if (process.getuid?.() === 0) chownSync(file(), 4711, 4711);
    const own = statSync(file()).uid;
    expect(readPrivateFile(file(), own, { isSecret: true })).toContain(CANARY_KEY);
    expect(() => readPrivateFile(file(), own + 1, { isSecret: true })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining(file()),
      }),
    );
  });

  it('is rejected if it is not a regular file', async () => {
    mkdirSync(file(), { recursive: true, mode: 0o700 });
    expect(await listSettings()).toMatchObject({ code: 2, stderr: expect.stringContaining(file()) });
  });

  it.each(['credentials.json', 'config.json'])('is rejected if %s is a named pipe, which never ends', async (name) => {
    mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
    const pipe = folder.file(`config/${name}`);
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(await listSettings()).toMatchObject({ code: 2, stderr: expect.stringContaining(pipe) });
  });

  it.each<[string, string]>([
    ['not JSON', `{"profiles": {"default": {\n"apiKey": "${CANARY_KEY}",,`],
    ['a bare key', CANARY_KEY],
    ['a key without its base URL', `{"profiles": {"default": {"apiKey": "${CANARY_KEY}"}}}`],
  ])('is rejected without repeating the key, and not changed, if it contains %s', async (_name, text) => {
    writeKeys(text);
    for (const argv of [
      ['config', 'list'],
      ['auth', 'logout'],
    ]) {
      const { code, stdout, stderr } = await runCli(folder.path, [...argv, '--debug']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^error: .*${file()}`));
      expect(stderr).not.toContain('canary');
      expect(readFileSync(file(), 'utf8')).toBe(text);
    }
  });
});

describe('a home directory', () => {
  const env = { ORGADM_CONFIG_DIR: '', ORGADM_STATE_DIR: '' };

  it.runIf(process.platform === 'linux').each([
    [['config', 'set', 'retries', '5'], '/proc/none/.config/orgadm'],
    [['people', 'bulk-add', '-', '--sandbox'], '/proc/none/'],
  ])('in which nothing can be created ends %j with an error', async (argv, message) => {
    const { code, stderr } = await runCli('/proc/none', argv, { env });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is rejected as a relative path, rather than reading settings from the current directory', async () => {
    expect(await runCli('relative', ['config', 'list'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*HOME/),
    });
  });
});
