import { createHash, createHmac } from 'node:crypto';

/** Identifies a run: two runs with equal values are the same. It does not include the key, because keys are rotated. */
export interface RunIdentity {
  /** Digest of what the list sends: its bytes, and how they are read. */
  readonly digest: string;
  /** The base URL with its path; for the sandbox, the path of its state. */
  readonly service: string;
}

/** Returns the ID of a run, which is the name of its directory: 32 hex digits. */
export function runIdOf({ digest, service }: RunIdentity): string {
  return hash(`${digest}\n${normalizeService(service)}`);
}

/** Returns the name of the directory of a service: 32 hex digits. */
export function serviceIdOf(service: string): string {
  return hash(normalizeService(service));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Returns what a journal keeps of the API key, to notice that it has changed: an HMAC, as 32 hex digits.
 *
 * @param salt unique to the run, so that equal keys look different in other journals
 */
export function fingerprintOf(apiKey: string, salt: string): string {
  return createHmac('sha256', salt).update(apiKey).digest('hex').slice(0, 32);
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
