import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startBin } from '../helpers/orgadm-process.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';

const cli = createCommandRunner(CANARY_KEY, { scriptsFirstRead: true });
const FINDINGS = ['findings', 'list', '--all', '--json'];

/** A service, and a profile for it that gets its key from this command. */
async function withKeyCommand(command: string) {
  const { service, run } = await cli.scripted(() => ({ body: [] }));
  const env = { PATH: process.env.PATH, ORGADM_BASE_URL: '', ORGADM_API_KEY: '' };
  const inEnv = (argv: readonly string[], more: Record<string, string | undefined> = {}) =>
    run(argv, { env: { ...env, ...more } });
  expect((await inEnv(['config', 'set', 'base-url', service.url])).code).toBe(0);
  expect((await inEnv(['config', 'set', 'key-command', command])).code).toBe(0);
  return { service, run: inEnv };
}

describe('a signal while the program runs', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends orgadm and leaves no program behind: %s', async (signal, code) => {
    const alive = cli.file('alive');
    execFileSync('mkfifo', [alive]);
    await withKeyCommand(JSON.stringify(['sh', '-c', `exec 3>'${alive}'; echo started >&3; exec sleep 30`]));
    const env = { ORGADM_CONFIG_DIR: cli.file('config'), ORGADM_STATE_DIR: cli.file('state') };
    const orgadm = startBin(FINDINGS, env);
    const ended = once(orgadm, 'close');
    // It ends when the last process that holds the other end has ended.
    const program = createReadStream(alive);
    await once(program, 'data');
    orgadm.kill(signal);
    await once(program.resume(), 'end');
    expect(await ended).toEqual([code, null]);
  });
});

describe('a program that is not found', () => {
  it('ends orgadm at once, and not when key-command-timeout is over', async () => {
    await withKeyCommand('no-such-password-manager show');
    const env = { ORGADM_CONFIG_DIR: cli.file('config'), ORGADM_STATE_DIR: cli.file('state') };
    expect(await once(startBin(FINDINGS, env), 'close')).toEqual([4, null]);
  });
});

describe('a password manager', () => {
  it('pass prints a key that gpg decrypts', async () => {
    const env = { ...process.env, GNUPGHOME: cli.file('gnupg'), PASSWORD_STORE_DIR: cli.file('store') };
    mkdirSync(env.GNUPGHOME, { mode: 0o700 });
    const run = (program: string, args: readonly string[], input = '') =>
      execFileSync(program, args, { env, input, stdio: ['pipe', 'ignore', 'ignore'] });
    run('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', 'orgadm', 'default', 'default', 'never']);
    run('pass', ['init', 'orgadm']);
    run('pass', ['insert', '--echo', 'orgadm/prod'], `${CANARY_KEY}\n`);
    try {
      const { service, run: orgadm } = await withKeyCommand('["pass","show","orgadm/prod"]');
      const { GNUPGHOME, PASSWORD_STORE_DIR } = env;
      expect((await orgadm(FINDINGS, { GNUPGHOME, PASSWORD_STORE_DIR })).code).toBe(0);
      expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([CANARY_KEY]);
    } finally {
      run('gpgconf', ['--kill', 'gpg-agent']);
    }
  });
});
