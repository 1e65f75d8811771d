import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isLoopback } from '../../util/base-url.ts';
import type { RunRecord } from './records.ts';

/** Identifies the run of a list, together with the key: a command with equal values continues it. */
export interface RunIdentity {
  /** Identifies what the list sends, see `runDigest`. */
  readonly digest: string;
  /** The base URL with its path; for the sandbox, the path of its state. */
  readonly service: string;
}

/**
 * Identifies what a run sends: the same people from another file, in another format, or by other options, are the same run.
 *
 * @param rowsDigest that of `CheckedRows`
 * @param labelName the service's name of `deviceMgmtLabelId`
 * @returns 64 hex digits
 */
export function runDigest(rowsDigest: string, labelName: string): string {
  return createHash('sha256')
    .update(JSON.stringify([rowsDigest, labelName]))
    .digest('hex');
}

/** Returns the ID of a new run, which is the name of its directory: 32 hex digits. */
export function createRunId(): string {
  return randomBytes(16).toString('hex');
}

/** Characters of an ID in a command: the start of an ID is enough. */
const SHORT_ID = 8;

/** Returns the ID of a run as messages show it. Commands accept the start of an ID. */
export function shortRunId(id: string): string {
  return id.slice(0, SHORT_ID);
}

/** Whether two recorded services are one. */
export function isSameService(one: string, other: string): boolean {
  return normalizeService(one) === normalizeService(other);
}

/** Returns the name of the directory of a service: 32 hex digits. */
export function serviceIdOf(service: string): string {
  return createHash('sha256').update(normalizeService(service)).digest('hex').slice(0, 32);
}

/**
 * Returns what a journal keeps of the API key, because a run belongs to its key: an HMAC, as 32 hex digits.
 *
 * @param salt unique to the run, so that equal keys look different in other journals
 */
export function fingerprintOf(apiKey: string, salt: string): string {
  return createHmac('sha256', salt).update(apiKey).digest('hex').slice(0, 32);
}

/** Whether a run belongs to a key. */
export function belongsToKey(
  { id, keyFingerprint }: Pick<RunRecord, 'id' | 'keyFingerprint'>,
  apiKey: string,
): boolean {
  return fingerprintOf(apiKey, id) === keyFingerprint;
}

/** The addresses that stand for any address: a connection to them reaches this machine. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]']);

/**
 * Returns one spelling for the base URLs that lead to the same service: case of the host, default port, the dot after a
 * host, trailing slashes, and the names of this machine. Other texts are returned as they are.
 */
function normalizeService(service: string): string {
  if (!/^https?:/i.test(service) || !URL.canParse(service)) return service;
  const url = new URL(service);
  url.hostname = url.hostname.replace(/\.$/, '');
  if (isLoopback(url.hostname) || ANY_ADDRESS.has(url.hostname)) url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}
