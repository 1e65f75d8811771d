import { spawnSync } from 'node:child_process';

/** Runs a command in a new PID namespace, as in a container. Needs root, or a kernel that lets users create namespaces. */
export const NEW_PID_NAMESPACE = [
  ...['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])],
  ...['--pid', '--fork', '--kill-child', '--mount-proc'],
];

/** Programs that some test files run in addition to Node: the Debian package, a command that has to work, and the files. */
const NEEDED_PROGRAMS: readonly { debian: string; command: readonly string[]; files: readonly string[] }[] = [
  { debian: 'tmux', command: ['tmux', '-V'], files: ['test/e2e/completion.test.ts', 'test/e2e/terminal.test.ts'] },
  ...['zsh', 'fish'].map((shell) => ({
    debian: shell,
    command: [shell, '--version'],
    files: ['test/e2e/completion.test.ts', 'test/output/quote-for-shell.test.ts'],
  })),
  {
    debian: 'dnsmasq-base',
    command: ['dnsmasq', '--version'],
    files: ['test/commands/domain/status-dns.test.ts'],
  },
  {
    debian: 'openssl',
    command: ['openssl', 'version'],
    files: ['test/client/deadlines.test.ts', 'test/e2e/tls.test.ts', 'test/import/send/never-sent.test.ts'],
  },
  {
    debian: 'util-linux',
    command: [...NEW_PID_NAMESPACE, 'true'],
    files: ['test/e2e/journal-containers.test.ts'],
  },
  {
    debian: 'strace',
    command: ['strace', '-qq', '-o', '/dev/null', 'true'],
    files: ['test/e2e/only-the-service.test.ts'],
  },
];

/**
 * The test files that do not run on this machine, each with why. Where `CI` is set, all of them run: a missing program is an
 * error.
 */
export function skippedTestFiles(env: NodeJS.ProcessEnv): { file: string; why: string }[] {
  const missing = NEEDED_PROGRAMS.filter(({ command }) => !works(command, env));
  if (missing.length > 0 && env.CI) {
    throw new Error(
      `missing on this machine: ${missing.map(({ debian }) => debian).join(', ')}; .ci/run installs them`,
    );
  }
  return missing.flatMap(({ command: [program = ''], debian, files }) =>
    files.map((file) => ({ file, why: `it needs ${program}: apt-get install ${debian}` })),
  );
}

function works([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): boolean {
  // Where Debian has dnsmasq; the paths of ordinary users leave it out.
  const PATH = `${env.PATH ?? ''}:/usr/sbin`;
  return spawnSync(program, args, { stdio: 'ignore', env: { ...env, PATH } }).status === 0;
}
