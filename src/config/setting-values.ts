import { isAbsolute } from 'node:path';
import { parseBaseUrl } from '../util/base-url.ts';
import { parseDuration } from '../util/duration.ts';
import { UsageError } from '../util/errors.ts';

/** A value as the configuration file holds it; a flag, a variable and `config set` give text. */
export type StoredValue = string | number | boolean | readonly string[];

/**
 * Reads a base URL.
 *
 * @returns its normal form, in which equal addresses are equal texts: no slash at the end, the host in lower case
 * @throws UsageError, as all readers here, whose message begins with `where`
 */
export function readBaseUrl(value: StoredValue, where: string): string {
  try {
    // Whether plain http is allowed is a matter of each run.
    return parseBaseUrl(singleText(value, where), true).href.replace(/\/$/, '');
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith(where)) throw error;
    throw new UsageError(`${where}: ${error.message}`, error.hint);
  }
}

/** Reads a timeout; milliseconds. */
export function readTimeout(value: StoredValue, where: string): number {
  const ms = parseDuration(singleText(value, where), where);
  if (ms === 0) throw new UsageError(`${where}: a timeout of 0 would give no answer a chance`);
  return ms;
}

/** Reads a number of retries. */
export function readRetries(value: StoredValue, where: string): number {
  const text = singleText(value, where);
  if (!/^\d{1,3}$/.test(text)) throw new UsageError(`${where}: "${text}" is not a number from 0 to 999`);
  return Number(text);
}

/** Reads `true` or `false`. */
export function readFlag(value: StoredValue, where: string): boolean {
  const text = singleText(value, where);
  if (text !== 'true' && text !== 'false') throw new UsageError(`${where}: "${text}" is neither true nor false`);
  return text === 'true';
}

/** Reads the path of a file. In the configuration it is absolute: it must not depend on where the tool is run. */
export function readPath(value: StoredValue, where: string): string {
  const text = singleText(value, where);
  if (!isAbsolute(text)) throw new UsageError(`${where}: "${text}" is not an absolute path`);
  return text;
}

/** Reads a name on the wire: of a query parameter or of a field. */
export function readFieldName(value: StoredValue, where: string): string {
  const text = singleText(value, where);
  if (!/^[\w.$[\]-]{1,100}$/.test(text)) {
    throw new UsageError(`${where}: "${text}" is not a name`, 'Letters, digits, _ - . $ [ ] are taken, 100 at most.');
  }
  return text;
}

/** Reads a list of words or phrases. */
export function readPhrases(value: StoredValue, where: string): readonly string[] {
  const list = typeof value === 'object' ? value : [singleText(value, where)];
  if (list.some((one) => typeof one !== 'string' || one.trim() === '')) {
    throw new UsageError(`${where}: every one of the words must be text that is not blank`);
  }
  return list;
}

function singleText(value: StoredValue, where: string): string {
  const text = typeof value === 'object' ? undefined : String(value).trim();
  if (!text) throw new UsageError(`${where}: ${text === '' ? 'the value is blank' : 'one value is taken, not a list'}`);
  return text;
}
