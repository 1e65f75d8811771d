import { lstatSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { quote, quoteForShell } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { CONFIG_VARIABLE, rejectSharedDirectory } from './private-file.ts';

/** What says where the files of a user are. */
export type ConfigLocation = Pick<Host, 'env' | 'home' | 'uid'>;

const STATE_VARIABLE = 'ORGADM_STATE_DIR';

/** Returns the directory of profiles and keys: `ORGADM_CONFIG_DIR`, else the XDG config directory. Never created here. */
export function configDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, CONFIG_VARIABLE, 'XDG_CONFIG_HOME', '.config');
}

/** Whether there is a configuration directory. Without HOME, as in some containers and jobs, there may be none. */
export function hasConfigDirectory({ env, home }: Pick<Host, 'env' | 'home'>): boolean {
  return Boolean(env[CONFIG_VARIABLE]) || isAbsolute(env.XDG_CONFIG_HOME ?? '') || isAbsolute(home);
}

/**
 * Returns the directory of journals and the sandbox's state: `ORGADM_STATE_DIR`, else the XDG state directory. It need not exist.
 *
 * @throws UsageError, with the command that fixes it, if it belongs to another user or others can write to it
 */
export function stateDirectory(host: ConfigLocation): string {
  const directory = resolveDirectory(host, STATE_VARIABLE, 'XDG_STATE_HOME', join('.local', 'state'));
  rejectSharedDirectory(directory, host.uid, STATE_VARIABLE);
  return directory;
}

/**
 * Returns the directory of the runs, or of the services that they import into.
 *
 * @throws UsageError as `stateDirectory` does, also for a directory in it, and for a link to one: someone may have put it
 *   there while they could
 */
export function stateSubdirectory(host: ConfigLocation, name: 'runs' | 'services'): string {
  const directory = join(stateDirectory(host), name);
  for (const path of [directory, ...pathsIn(directory)]) {
    if (isLink(path)) throw plantedLink(path);
    rejectSharedDirectory(path, host.uid, STATE_VARIABLE);
  }
  return directory;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function plantedLink(path: string): UsageError {
  return new UsageError(
    `${path} is a symbolic link`,
    `Remove it: rm ${quoteForShell(path)}. To keep the state somewhere else, set ORGADM_STATE_DIR.`,
  );
}

function pathsIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    // It does not exist, or whoever uses it reports why it cannot be read.
    return [];
  }
}

function resolveDirectory(
  { env, home }: Pick<Host, 'env' | 'home'>,
  variable: string,
  xdg: string,
  fallback: string,
): string {
  const named = env[variable];
  if (named) return expandHome(named, variable, home);
  // The XDG specification: a relative path in these variables is invalid and must be ignored.
  if (isAbsolute(env[xdg] ?? '')) return join(env[xdg] ?? '', 'orgadm');
  // Otherwise, files in the current directory would be read without being named by the user.
  if (!isAbsolute(home)) {
    throw new UsageError('HOME is not an absolute path', `Set HOME, or ${variable} to a directory that you own.`);
  }
  return join(home, fallback, 'orgadm');
}

/** Expands `~`, which shells leave as it is within quotation marks, and files of variables always do. */
function expandHome(path: string, variable: string, home: string): string {
  if (!path.startsWith('~')) return path;
  if (!/^~(\/|$)/.test(path) || !isAbsolute(home)) {
    throw new UsageError(`${variable}: orgadm cannot expand ${quote(path)}`, 'Use an absolute path.');
  }
  return join(home, path.slice(1));
}
