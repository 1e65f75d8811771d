import { isAbsolute, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';

/** Returns the directory of profiles and keys: `ORGADM_CONFIG_DIR`, else the XDG config directory. Never created here. */
export function configDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, 'ORGADM_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config');
}

/** Returns the directory of journals, spooled lists and the sandbox's state: `ORGADM_STATE_DIR`, else the XDG state directory. */
export function stateDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, 'ORGADM_STATE_DIR', 'XDG_STATE_HOME', join('.local', 'state'));
}

function resolveDirectory(
  { env, home }: Pick<Host, 'env' | 'home'>,
  variable: string,
  xdg: string,
  fallback: string,
): string {
  if (env[variable]) return env[variable];
  // The XDG specification: a relative path in these variables is invalid and must be ignored.
  if (isAbsolute(env[xdg] ?? '')) return join(env[xdg] ?? '', 'orgadm');
  // Otherwise, files in the current directory would be read without being named by the user.
  if (!isAbsolute(home)) {
    throw new UsageError('HOME is not an absolute path', `Set HOME, or ${variable} to a directory that you own.`);
  }
  return join(home, fallback, 'orgadm');
}
