import { isAbsolute, resolve } from 'node:path';
import { parseOutputFormat } from '../output/output.ts';
import { parseBaseUrl } from '../util/base-url.ts';
import { parseDuration } from '../util/duration.ts';
import { UsageError } from '../util/errors.ts';
import type { GlobalFlags } from './global-flags.ts';

/** A value as the configuration file holds it; a flag, a variable and `config set` give text. */
export type StoredValue = string | number | boolean | readonly string[];

/**
 * Reads a base URL.
 *
 * @returns its normal form, in which equal addresses are equal texts: no slash at the end, the host in lower case
 * @throws UsageError, as all readers here, whose message begins with `where`
 */
function readBaseUrl(value: StoredValue, where: string): string {
  try {
    // Whether plain http is allowed is a matter of each run.
    return parseBaseUrl(singleText(value, where), true).href.replace(/\/$/, '');
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith(where)) throw error;
    throw new UsageError(`${where}: ${error.message}`, error.hint);
  }
}

/** Reads a timeout; milliseconds. */
function readTimeout(value: StoredValue, where: string): number {
  const ms = parseDuration(singleText(value, where), where);
  if (ms === 0) throw new UsageError(`${where}: a timeout of 0 would give no answer a chance`);
  return ms;
}

/** Reads a number of retries. */
function readRetries(value: StoredValue, where: string): number {
  const text = singleText(value, where);
  if (!/^\d{1,3}$/.test(text)) throw new UsageError(`${where}: "${text}" is not a number from 0 to 999`);
  return Number(text);
}

/** Reads `true` or `false`. */
function readFlag(value: StoredValue, where: string): boolean {
  const text = singleText(value, where);
  if (text !== 'true' && text !== 'false') throw new UsageError(`${where}: "${text}" is neither true nor false`);
  return text === 'true';
}

/** Reads the path of a file. In the configuration it is absolute: it must not depend on where the tool is run. */
function readPath(value: StoredValue, where: string): string {
  const text = singleText(value, where);
  if (!isAbsolute(text)) throw new UsageError(`${where}: "${text}" is not an absolute path`);
  return text;
}

/** Reads a name on the wire: of a query parameter or of a field. */
function readFieldName(value: StoredValue, where: string): string {
  const text = singleText(value, where);
  if (!/^[\w.$[\]-]{1,100}$/.test(text)) {
    throw new UsageError(`${where}: "${text}" is not a name`, 'Letters, digits, _ - . $ [ ] are taken, 100 at most.');
  }
  return text;
}

/** Reads a list of words or phrases. */
function readPhrases(value: StoredValue, where: string): readonly string[] {
  const list = typeof value === 'object' ? value : [singleText(value, where)];
  if (list.some((one) => typeof one !== 'string' || one.trim() === '')) {
    throw new UsageError(`${where}: every one of the words must be text that is not blank`);
  }
  return list;
}

/** Reads the number of the first of several things: 0 or 1. */
function readBase(value: StoredValue, where: string): 0 | 1 {
  const text = singleText(value, where);
  if (text === '0') return 0;
  if (text === '1') return 1;
  throw new UsageError(`${where}: "${text}" is neither 0 nor 1`);
}

function singleText(value: StoredValue, where: string): string {
  const text = typeof value === 'object' ? undefined : String(value).trim();
  if (!text) throw new UsageError(`${where}: ${text === '' ? 'the value is blank' : 'one value is taken, not a list'}`);
  return text;
}

/** One setting of a profile. */
export interface Setting<T> {
  /** Reads a value of the file, the variable or the flag; throws UsageError that begins with `where`. */
  read(value: StoredValue, where: string): T;
  /** What a profile keeps of the text given to `config set`; the text itself unless told. */
  toStored?(text: string): StoredValue;
  /** Takes several values. */
  isList?: true;
  env?: string;
  flag?: keyof GlobalFlags;
  /** For help. */
  description: string;
}

/** Numbers and truth values are kept as such, for a file that reads naturally. */
const literal = (text: string): StoredValue => (/^(true|false|0|[1-9]\d*)$/.test(text) ? JSON.parse(text) : text);

const define = <T>(setting: Setting<T>): Setting<T> => setting;
const baseSetting = (what: string) =>
  define({ read: readBase, toStored: literal, description: `0 or 1: the number of the first entry in ${what}` });
const fieldNameSetting = (defaultName: string) =>
  define({ read: readFieldName, description: `on the wire: ${defaultName}` });

/** Every setting: a new one is a line here. */
export const SETTINGS = {
  'base-url': define({ read: readBaseUrl, env: 'ORGADM_BASE_URL', flag: 'baseUrl', description: 'the service' }),
  output: define({
    read: parseOutputFormat,
    env: 'ORGADM_OUTPUT',
    flag: 'output',
    description: 'table, json, ndjson or csv',
  }),
  timeout: define({
    read: readTimeout,
    env: 'ORGADM_TIMEOUT',
    flag: 'timeout',
    description: 'a duration, usually 30s',
  }),
  retries: define({
    read: readRetries,
    toStored: literal,
    env: 'ORGADM_RETRIES',
    flag: 'retries',
    description: 'further attempts after the first, usually 4',
  }),
  'ca-cert': define({
    read: readPath,
    toStored: (text) => resolve(text),
    description: 'a PEM file whose certificates to trust',
  }),
  'allow-http': define({
    read: readFlag,
    toStored: literal,
    description: "true: plain http to this profile's own base-url",
  }),
  'wire.findings.task': fieldNameSetting('taskId'),
  'wire.findings.evidenceSubmission': fieldNameSetting('evidenceSubmissionId'),
  'wire.findings.evidenceFormType': fieldNameSetting('evidenceFormType'),
  'wire.findings.scope': fieldNameSetting('scope'),
  'wire.member.deviceMgmtLabelId': fieldNameSetting('deviceMgmtLabelId'),
  'wire.member.existing': define({
    read: readPhrases,
    isList: true,
    description: 'more phrases of the service that mean "is already a member"; * stands for any text',
  }),
  'wire.member.unknown': define({
    read: readPhrases,
    isList: true,
    description: 'phrases of the service for a user who does not exist; * stands for any text',
  }),
  'wire.member.errorIndexBase': baseSetting('errors[].index'),
  'wire.member.namesBase': baseSetting('the members.<n> of a 400'),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** What the reader of a setting gives. */
export type SettingValue<N extends SettingName> = ReturnType<(typeof SETTINGS)[N]['read']>;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
