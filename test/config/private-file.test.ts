import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const BASE_URL = 'https://api.example.com';
const CREDENTIALS = JSON.stringify({ profiles: { default: { apiKey: API_KEY, baseUrl: BASE_URL } } });
const SETTINGS = JSON.stringify({ profiles: { default: { timeout: '5s' } } });
/** The two files of the configuration directory. */
const FILES = { 'credentials.json': CREDENTIALS, 'config.json': SETTINGS };

type FileName = keyof typeof FILES;
const names = Object.keys(FILES) as FileName[];
const pathOf = (name: FileName) => folder.file(`config/${name}`);

function write(name: FileName, { text = FILES[name], mode = 0o600 } = {}): void {
  mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(name), text);
  chmodSync(pathOf(name), mode);
}

/** Lists the settings, for which orgadm reads both files. */
const listSettings = (env: Record<string, string> = {}, uid?: number) =>
  runCli(folder.path, ['config', 'list', '--base-url', BASE_URL], { env, ...(uid === undefined ? {} : { uid }) });

/** Expects an error that names the file or directory and, in its hint, a command. */
async function expectRejected(path: string, command = '', run = listSettings()): Promise<void> {
  const { code, stdout, stderr } = await run;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: .*${path}[\\s\\S]*${command}`));
}

describe('the configuration directory', () => {
  it.each([
    ['720', 'credentials.json', 'chmod go-w '],
    ['702', 'credentials.json', 'chmod go-w '],
    ['777', 'config.json', 'chmod go-w '],
    // Others need it, like /tmp.
    ['1777', 'config.json', ' a new one inside it: ORGADM_CONFIG_DIR='],
  ] as const)('is rejected with mode %s when orgadm reads %s in it', async (mode, name, advice) => {
    write(name);
    chmodSync(folder.file('config'), Number.parseInt(mode, 8));
    await expectRejected(folder.file('config'), advice + folder.file('config'));
  });

  it('may be a link', async () => {
    write('config.json');
    renameSync(folder.file('config'), folder.file('elsewhere'));
    symlinkSync(folder.file('elsewhere'), folder.file('config'));
    expect((await listSettings()).stdout).toMatch(/^timeout +5s /m);
  });

  it('is accepted with any mode if nothing is read from it', async () => {
    mkdirSync(folder.file('config'));
    chmodSync(folder.file('config'), 0o777);
    expect((await listSettings({ ORGADM_API_KEY: API_KEY })).code).toBe(0);
  });
});

describe('a file of the configuration directory', () => {
  it.each<[FileName, mode: string, isAccepted: boolean, command?: string]>([
    ['credentials.json', '600', true],
    ['credentials.json', '400', true],
    ['credentials.json', '700', true],
    ['credentials.json', '640', false, 'chmod 600 '],
    ['credentials.json', '604', false, 'chmod 600 '],
    ['config.json', '644', true],
    ['config.json', '664', false, 'chmod go-w '],
    ['config.json', '646', false, 'chmod go-w '],
  ])('%s with mode %s is accepted: %s', async (name, mode, isAccepted, command = '') => {
    write(name, { mode: Number.parseInt(mode, 8) });
    if (isAccepted) expect(await listSettings()).toMatchObject({ code: 0, stderr: '' });
    else await expectRejected(pathOf(name), command + pathOf(name));
  });

  it.each(names)('is rejected if %s is a symbolic link, even to a valid file', async (name) => {
    write('credentials.json');
    write('config.json');
    mkdirSync(folder.file('other'), { mode: 0o700 });
    symlinkSync(pathOf(name), folder.file(`other/${name}`));
    await expectRejected(folder.file(`other/${name}`), '', listSettings({ ORGADM_CONFIG_DIR: folder.file('other') }));
  });

  it.each(names)('is rejected if %s belongs to another user', async (name) => {
    write(name);
    // Files of root are trusted, if others can read them.
    chmodSync(folder.file('config'), 0o755);
    if (process.getuid?.() === 0) chownSync(pathOf(name), 4711, 4711);
    await expectRejected(pathOf(name), 'sudo chown ', listSettings({}, statSync(pathOf(name)).uid + 1));
  });

  it.each(names)('is rejected if %s is a directory', async (name) => {
    mkdirSync(pathOf(name), { recursive: true, mode: 0o700 });
    await expectRejected(pathOf(name));
  });

  it.each(names)('is rejected if %s is a named pipe, which never ends', async (name) => {
    mkdirSync(folder.file('config'), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', ['-m', '600', pathOf(name)]);
    await expectRejected(pathOf(name));
  });

  it.each([
    ['not JSON', `{"profiles": {"default": {\n"apiKey": "${API_KEY}",,`],
    ['a bare key', API_KEY],
    ['a key without its base URL', `{"profiles": {"default": {"apiKey": "${API_KEY}"}}}`],
  ])('is rejected without repeating the key, and not changed, if it contains %s', async (_name, text) => {
    write('credentials.json', { text });
    for (const argv of [
      ['config', 'list'],
      ['auth', 'logout'],
    ]) {
      const run = runCli(folder.path, [...argv, '--debug']);
      await expectRejected(pathOf('credentials.json'), '', run);
      expect((await run).stderr).not.toContain('canary');
      expect(readFileSync(pathOf('credentials.json'), 'utf8')).toBe(text);
    }
  });
});

describe('a key file', () => {
  it.runIf(existsSync('/dev/zero'))('is rejected after 64 KiB, also if it never ends', async () => {
    const argv = ['findings', 'list', '--all', '--base-url', BASE_URL, '--key-file'];
    for (const run of [
      runCli(folder.path, [...argv, '/dev/zero']),
      runCli(folder.path, [...argv, '-'], { stdin: 'x'.repeat(64 * 1024 + 1) }),
    ]) {
      expect(await run).toMatchObject({ code: 2, stderr: expect.stringMatching(/--key-file.*EFBIG/) });
    }
  });
});

describe('a home directory', () => {
  const env = { ORGADM_CONFIG_DIR: '', ORGADM_STATE_DIR: '' };

  it.runIf(process.platform === 'linux').each([
    [['config', 'set', 'retries', '5'], '/proc/none/.config/orgadm'],
    [['people', 'bulk-add', '-', '--sandbox'], '/proc/none/'],
  ])('in which nothing can be created ends %j with an error', async (argv, message) => {
    expect(await runCli('/proc/none', argv, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('is rejected as a relative path, rather than reading settings from the current directory', async () => {
    expect(await runCli('relative', ['config', 'list'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*HOME/),
    });
  });
});
