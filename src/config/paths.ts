import { isAbsolute, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';

/** Where profiles and keys live: `ORGADM_CONFIG_DIR`, else the XDG config directory. Never created here. */
export function configDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, 'ORGADM_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config');
}

/** Where journals, spooled lists and the sandbox's state live: `ORGADM_STATE_DIR`, else the XDG state directory. */
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
  // The XDG specification: a relative path in these variables is invalid and to be ignored.
  if (isAbsolute(env[xdg] ?? '')) return join(env[xdg] ?? '', 'orgadm');
  // Else files of the current directory would be read, which the user did not name.
  if (!isAbsolute(home)) {
    throw new UsageError('HOME is not an absolute path', `Set HOME, or ${variable} to a directory of yours.`);
  }
  return join(home, fallback, 'orgadm');
}
