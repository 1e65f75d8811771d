import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CliOptions } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { createTestClock } from '../../helpers/test-clock.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner(CANARY_KEY, { scriptsFirstRead: true });
const BASE_ENV = { PATH: process.env.PATH, ORGADM_BASE_URL: '', ORGADM_API_KEY: '' };
const FINDINGS = ['findings', 'list', '--all', '--json'];

/** A service, and a profile for it that gets its key from this command. */
async function withKeyCommand(command: string, body: unknown = []) {
  const { service, run } = await cli.scripted(() => ({ body }));
  const inEnv = (argv: readonly string[], env: Record<string, string | undefined> = {}, options: CliOptions = {}) =>
    run(argv, { ...options, env: { ...BASE_ENV, ...env } });
  expect((await inEnv(['config', 'set', 'base-url', service.url])).code).toBe(0);
  expect((await inEnv(['config', 'set', 'key-command', command])).code).toBe(0);
  return { service, run: inEnv };
}

/** A script that is run as the key command. */
function script(body: string): string {
  const file = cli.file('print-key');
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

const keysOf = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers['x-api-key']);

describe('a key from a program', () => {
  it('is trimmed, sent to the base URL of the profile, and shown nowhere', async () => {
    const { service, run } = await withKeyCommand(script(`echo '${CANARY_KEY}'; echo noise >&2`));
    const shown: string[] = [];
    for (const argv of [
      [...FINDINGS, '--debug'],
      ['auth', 'status', '--json'],
      ['config', 'list', '--effective', '--json'],
    ]) {
      const { stdout, stderr } = await run(argv);
      shown.push(stdout, stderr);
      if (argv[0] !== 'findings') expect(stdout).toContain('print-key');
    }
    expect(new Set(keysOf(service.requests))).toEqual(new Set([CANARY_KEY]));
    expect(shown.join()).not.toContain(CANARY_KEY);
    expect(shown.join()).not.toContain('noise');
  });

  it.each([
    ['a JSON array', ['a b', '$HOME', '*', "it's", 'C:\\key', ''], JSON.stringify],
    ['words', ['show', '-x', 'op://vault/item', 'a=b,c'], (words: readonly string[]) => words.join('  ')],
  ])('gets its arguments from %s, unchanged and without a shell', async (_name, args, write) => {
    const file = script(`printf '%s\\n' "$@" > ${cli.file('arguments')}; echo '${CANARY_KEY}'`);
    const { service, run } = await withKeyCommand(write([file, ...args]));
    expect((await run(FINDINGS)).code).toBe(0);
    expect(readFileSync(cli.file('arguments'), 'utf8')).toBe(`${args.join('\n')}\n`);
    expect(keysOf(service.requests)).toEqual([CANARY_KEY]);
  });

  it('leaves a list on standard input alone', async () => {
    const reply = { created: [{ id: 'mem_1', userId: 'usr_1' }], errors: [] };
    const { service, run } = await withKeyCommand(script(`cat >&2; echo '${CANARY_KEY}'`), reply);
    expect((await run(['people', 'bulk-add', '-'], {}, { stdin: 'userId,role\nusr_1,member\n' })).code).toBe(0);
    // The first one reads.
    expect(service.requests).toHaveLength(2);
  });

  it('is not needed for a dry run, nor to list the settings', async () => {
    const { run } = await withKeyCommand(script('exit 7'));
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\n');
    for (const argv of [
      ['people', 'bulk-add', cli.file('members.csv'), '--dry-run'],
      ['role', 'update', 'rol_1', '--name', 'QA', '--dry-run'],
      ['config', 'list', '--effective'],
    ]) {
      expect(await run(argv)).toMatchObject({ code: 0 });
    }
  });

  it('is not sent to another address than that of its profile', async () => {
    const { service, run } = await withKeyCommand(script(`echo '${CANARY_KEY}'`));
    const { code, stderr } = await run([...FINDINGS, '--base-url', 'http://127.0.0.1:9']);
    expect(code).toBe(4);
    expect(stderr).toContain(`The key of the profile belongs to ${service.url}, and orgadm sends it nowhere else.`);
  });

  it('is sent nowhere if the profile has no base URL', async () => {
    await cli.plain(['config', 'set', 'key-command', script(`echo '${CANARY_KEY}'`), '--profile', 'prod']);
    const { service, run } = await cli.scripted([]);
    const env = { ...BASE_ENV, ORGADM_BASE_URL: service.url };
    expectUsageError(
      await run(['findings', 'list', '--all', '--profile', 'prod'], { env }),
      'profile prod has a key-command, but no base-url to send the key to',
      'Set it with: orgadm config set base-url <url> --profile prod',
    );
    expect(service.requests).toEqual([]);
  });

  it('is an error without a key, and not repeated', async () => {
    const { run } = await withKeyCommand(script('echo'));
    const { code, stderr } = await run(FINDINGS);
    expect(code).toBe(4);
    expect(JSON.parse(stderr).error.message).toBe(`key-command ${cli.file('print-key')}: it printed nothing`);
  });

  it('ranks above a stored key, and never replaces or is replaced by ORGADM_API_KEY', async () => {
    const { service, run } = await withKeyCommand(script(`echo '${CANARY_KEY}'`));
    const login = await run(['auth', 'login', '--key-file', '-'], {}, { stdin: 'stored-key-0123456789' });
    expect(login.stderr).toContain('profile default has a key-command, which overrides a stored key');
    await run(FINDINGS);
    const both = await run(FINDINGS, { ORGADM_API_KEY: 'key-of-variable' });
    expect(both.code).toBe(2);
    expect(JSON.parse(both.stderr).error.message).toBe(
      `ORGADM_API_KEY is set, and profile default has a key for ${service.url}, too`,
    );
    await run(FINDINGS, { ORGADM_API_KEY: 'key-of-variable', ORGADM_BASE_URL: service.url });
    expect(keysOf(service.requests)).toEqual(['stored-key-0123456789', CANARY_KEY, 'key-of-variable']);
  });

  it.each([
    ['exit 7', 'exit code 7'],
    [`echo '${CANARY_KEY}'; echo '${CANARY_KEY}'`, 'it printed more than a key: several words or lines'],
    [`echo '${CANARY_KEY}' >&2; kill -TERM $$`, 'ended by SIGTERM'],
    ['head -c 100000 /dev/zero', 'it printed more than a key'],
    [`echo '"${CANARY_KEY}"'`, 'it printed quotation marks around the key'],
    [`echo '${CANARY_KEY}é'`, 'it printed characters that no key has'],
  ])('reports a program that fails, without its output: %s', async (body, reason) => {
    const file = script(body);
    const { service, run } = await withKeyCommand(file);
    const { code, stdout, stderr } = await run([...FINDINGS, '--debug']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({
      error: {
        code: 'no-key',
        message: `key-command ${file}: ${reason}`,
        hint: `Nothing was sent. Run it yourself to see what it prints: ${file}`,
      },
    });
    expect(stderr).not.toContain(CANARY_KEY);
    expect(service.requests).toEqual([]);
  });

  it('may leave a process behind that keeps the output open', async () => {
    // As an agent does that a password manager starts, and that keeps the keys unlocked.
    const { service, run } = await withKeyCommand(
      script(`sleep 60 & echo $! > ${cli.file('pid')}; echo '${CANARY_KEY}'`),
    );
    const started = performance.now();
    expect((await run(FINDINGS)).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(keysOf(service.requests)).toEqual([CANARY_KEY]);
    process.kill(Number(readFileSync(cli.file('pid'), 'utf8')));
  });

  it('is killed after key-command-timeout, one minute by default', async () => {
    const { run } = await withKeyCommand(script('exec sleep 60'));
    expect((await run(['config', 'list', '--effective', '-o', 'csv'])).stdout).toContain(
      'key-command-timeout,60s,default',
    );
    await run(['config', 'set', 'key-command-timeout', '5m']);
    const clock = createTestClock();
    const ended = run(FINDINGS, {}, { clock });
    await clock.untilWaiting(300_000);
    await clock.advance(300_000);
    const { code, stderr } = await ended;
    expect(code).toBe(4);
    expect(stderr).toContain('it printed no key within 5 m');
  });

  it('reports a program that does not exist', async () => {
    const { run } = await withKeyCommand('no-such-password-manager show');
    const { code, stderr } = await run(FINDINGS);
    expect(code).toBe(4);
    expect(stderr).toContain('key-command no-such-password-manager show: the program was not found');
  });

  it.each([
    ["pass show 'my key'", "'"],
    ['pass show "my key"', '"'],
    ['pass show my\\ key', '\\'],
    ['pass show orgadm | head -1', '|'],
    ['cat ~/key', '~'],
    ['printenv $KEY', '$'],
  ])('rejects the command %s, and says how to write it', async (command, character) => {
    const { code, stderr } = await cli.plain(['config', 'set', 'key-command', command]);
    expect(code).toBe(2);
    expect(stderr).toMatch(partLike(`error: key-command: … ${character} …\nhint: `));
    expect(stderr).toContain(
      'hint: Write the words as a JSON array: ["pass","show","my key"]. For a pipe, name a shell: ["sh","-c","pass show orgadm | head -n 1"]\n',
    );
  });

  it.each([
    ['["pass", 1]', 'key-command is not a JSON array of strings'],
    ['["pass", "show"', 'key-command is not a JSON array of strings'],
    ['[]', 'key-command names no program'],
    [' ', 'key-command names no program'],
  ])('rejects the command %j', async (command, message) => {
    const { code, stderr } = await cli.plain(['config', 'set', 'key-command', command]);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
  });

  it('rejects quotes in a configuration file that was edited by hand', async () => {
    mkdirSync(cli.file('config'), { mode: 0o700 });
    const profiles = { default: { 'base-url': 'https://api.example.com', 'key-command': "pass show 'my key'" } };
    writeFileSync(cli.file('config/config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    const { code, stderr } = await cli.plain(FINDINGS);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toBe(
      `${cli.file('config/config.json')}: profile "default": key-command: orgadm runs the program without a shell, so ' has no meaning`,
    );
  });
});
