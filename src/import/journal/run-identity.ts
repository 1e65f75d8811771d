import { createHash } from 'node:crypto';

/** What makes two runs the same. The key is not part of it: keys are rotated. */
export interface RunIdentity {
  /** Digest of the list's bytes. */
  digest: string;
  /** The settings that change the entries sent, in a fixed order. */
  settings: unknown;
  /** Base URL with its path; for the sandbox its state file. */
  service: string;
}

/** Returns the name of a run's directory: 32 hex digits. */
export function folderName({ digest, settings, service }: RunIdentity): string {
  const parts = [digest, JSON.stringify(settings), normalizeService(service)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

/**
 * Returns one spelling for the base URLs that lead to the same service: case of the host, default port, the dot after a
 * host, trailing slashes, and the names of this machine. Other texts are returned as they are.
 */
export function normalizeService(service: string): string {
  if (!/^https?:/i.test(service) || !URL.canParse(service)) return service;
  const url = new URL(service);
  url.hostname = url.hostname.replace(/\.$/, '');
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}
