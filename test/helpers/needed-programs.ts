import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Runs a command in a new PID namespace, as in a container. Needs root, or a kernel that lets users create namespaces. */
export const NEW_PID_NAMESPACE = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
] as const;

/**
 * Programs that some test files run in addition to Node: the name, the Debian package, and the files. For some, a command also
 * has to work.
 */
const REQUIRED_PROGRAMS: readonly {
  program: string;
  debian: string;
  files: readonly string[];
  works?: readonly string[];
}[] = [
  {
    program: 'tmux',
    debian: 'tmux',
    files: ['test/e2e/terminal.test.ts', 'test/e2e/completion.test.ts'],
  },
  { program: 'zsh', debian: 'zsh', files: ['test/e2e/completion.test.ts', 'test/output/quote-for-shell.test.ts'] },
  { program: 'fish', debian: 'fish', files: ['test/e2e/completion.test.ts', 'test/output/quote-for-shell.test.ts'] },
  {
    program: 'dnsmasq',
    debian: 'dnsmasq-base',
    files: ['test/commands/domain/status-dns.test.ts'],
  },
  {
    program: 'openssl',
    debian: 'openssl',
    files: ['test/client/deadlines.test.ts', 'test/e2e/tls.test.ts'],
  },
  {
    program: 'unshare',
    debian: 'util-linux',
    files: ['test/e2e/journal-containers.test.ts'],
    works: [...NEW_PID_NAMESPACE, 'true'],
  },
  {
    program: 'strace',
    debian: 'strace',
    files: ['test/e2e/only-the-service.test.ts'],
    works: ['strace', '-qq', '-o', '/dev/null', 'true'],
  },
];

/**
 * The test files that do not run on this machine, each with why. Where `CI` is set, all of them run: a missing program is an
 * error.
 */
export function skippedTestFiles(env: NodeJS.ProcessEnv): { file: string; why: string }[] {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const missing = REQUIRED_PROGRAMS.filter(
    ({ program, works }) =>
      !folders.some((folder) => isExecutable(join(folder, program))) || (works !== undefined && !runs(works)),
  );
  if (missing.length > 0 && env.CI) {
    throw new Error(
      `missing on this machine: ${missing.map(({ debian }) => debian).join(', ')}; .ci/run installs them`,
    );
  }
  return missing.flatMap(({ program, debian, files }) =>
    files.map((file) => ({ file, why: `it needs ${program}: apt-get install ${debian}` })),
  );
}

function runs([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
