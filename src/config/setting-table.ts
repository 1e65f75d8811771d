import { isAbsolute, resolve } from 'node:path';
import { parseBaseUrl } from '../util/base-url.ts';
import { UsageError } from '../util/errors.ts';
import { parseBoolean, parseDuration } from '../util/units.ts';

/** A value in the configuration file; flags, variables and `config set` provide strings. */
export type StoredSetting = string | number | boolean | readonly string[];

/**
 * Reads a base URL.
 *
 * @returns its normal form: no trailing slash, the host in lower case
 * @throws UsageError whose message begins with `where`, like all readers here
 */
function readBaseUrl(value: StoredSetting, where: string): string {
  try {
    // Whether plain http is allowed depends on the run.
    return parseBaseUrl(singleText(value, where), true).href.replace(/\/$/, '');
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith(where)) throw error;
    throw new UsageError(`${where} ${error.message}`, error.hint);
  }
}

/** Reads a timeout; milliseconds. */
function readTimeout(value: StoredSetting, where: string): number {
  const ms = parseDuration(singleText(value, where), where);
  if (ms === 0) throw new UsageError(`${where} must be greater than 0`);
  return ms;
}

/** Reads a number of retries. */
function readRetries(value: StoredSetting, where: string): number {
  const text = singleText(value, where);
  if (!/^\d{1,3}$/.test(text))
    throw new UsageError(`${where}: "${text}" is not a number from 0 to 999`, 'Use a whole number, such as 4.');
  return Number(text);
}

/** Reads a boolean. */
function readBoolean(value: StoredSetting, where: string): boolean {
  return parseBoolean(singleText(value, where), where);
}

/** Reads the path of a file, which must be absolute: a profile must not depend on the current directory. */
function readPath(value: StoredSetting, where: string): string {
  const text = singleText(value, where);
  if (!isAbsolute(text)) throw new UsageError(`${where}: "${text}" is not an absolute path`);
  return text;
}

/** Reads the name of a query parameter or field. */
function readFieldName(value: StoredSetting, where: string): string {
  const text = singleText(value, where);
  if (!/^[\w.$[\]-]{1,100}$/.test(text)) {
    throw new UsageError(`${where}: "${text}" is not a valid name`, 'Use up to 100 letters, digits and _ - . $ [ ].');
  }
  return text;
}

/** The other fields of an entry (interface 4.2). A label under one of these names would replace that field. */
const OTHER_MEMBER_FIELDS: readonly string[] = ['userId', 'role', 'department', 'isActive'];

/** Reads the service's name of the device label. */
function readLabelName(value: StoredSetting, where: string): string {
  const name = readFieldName(value, where);
  if (OTHER_MEMBER_FIELDS.includes(name)) {
    throw new UsageError(
      `${where}: "${name}" is another field of a member`,
      'Use the name that your service has for the device label.',
    );
  }
  return name;
}

/** Reads a list of phrases or names. */
function readTexts(value: StoredSetting, where: string): readonly string[] {
  const list = typeof value === 'object' ? value : [singleText(value, where)];
  if (list.some((one) => typeof one !== 'string' || one.trim() === '')) {
    throw new UsageError(`${where}: a value must not be blank`);
  }
  return list;
}

/** Reads phrases in which * matches any text. One of nothing else would match every message. */
function readPhrases(value: StoredSetting, where: string): readonly string[] {
  const list = readTexts(value, where);
  if (list.every((one) => /[^\s*]/.test(one))) return list;
  throw new UsageError(
    `${where}: * alone would match every message, so that nobody is reported as failed`,
    'Write the words of the service, with * for the parts that differ.',
  );
}

/** Reads names of fields with the value to ignore, or * for any text, number, or boolean: `authType=api-key`. */
function readIgnored(value: StoredSetting, where: string): readonly string[] {
  const list = readTexts(value, where);
  const bare = list.find((one) => !/^[^=]+=/.test(one));
  if (bare === undefined) return list;
  throw new UsageError(
    `${where}: "${bare}" must name a value, too`,
    `Another value of ${bare} may mean something else. Write ${bare}=<value>.`,
  );
}

/** Reads the number of the first of several things: 0 or 1. */
function readBase(value: StoredSetting, where: string): 0 | 1 {
  const text = singleText(value, where);
  if (text === '0') return 0;
  if (text === '1') return 1;
  throw new UsageError(`${where}: "${text}" is neither 0 nor 1`);
}

function singleText(value: StoredSetting, where: string): string {
  const text = typeof value === 'object' ? undefined : String(value).trim();
  if (!text) throw new UsageError(`${where}: ${text === '' ? 'the value is blank' : 'expected one value, not a list'}`);
  return text;
}

/** One setting of a profile. */
export interface Setting<T> {
  /** Parses a value of the file, variable or flag; throws UsageError that begins with `where`. */
  read(value: StoredSetting, where: string): T;
  /** Converts the argument of `config set` to what the profile stores; by default the string itself. */
  toStored?(text: string): StoredSetting;
  /** Accepts several values. */
  isList?: true;
  /** The value if nothing sets it, as a profile would store it. */
  default?: StoredSetting;
  env?: string;
  flag?: 'baseUrl' | 'timeout' | 'retries' | 'caCert' | 'allowHttp';
  /** Shown in help. */
  description: string;
}

/** Numbers are stored as JSON numbers, to keep the file readable. */
const numberOrText = (text: string): StoredSetting => (/^(0|[1-9]\d*)$/.test(text) ? Number(text) : text);

const nameSetting = (defaultName: string, description: string) => ({
  read: readFieldName,
  default: defaultName,
  description,
});

const parameterNameSetting = (defaultName: string) => nameSetting(defaultName, 'name of the query parameter');

const ignoredFields = { read: readIgnored, isList: true, default: [] } as const;

/** All settings. */
export const SETTINGS = {
  'base-url': {
    read: readBaseUrl,
    env: 'ORGADM_BASE_URL',
    flag: 'baseUrl',
    description: 'address of the service',
  },
  timeout: {
    read: readTimeout,
    env: 'ORGADM_TIMEOUT',
    flag: 'timeout',
    default: '30s',
    description: 'longest wait for a response',
  },
  retries: {
    read: readRetries,
    toStored: numberOrText,
    env: 'ORGADM_RETRIES',
    flag: 'retries',
    default: 4,
    description: 'retries after the first attempt',
  },
  'ca-cert': {
    read: readPath,
    toStored: (text: string) => resolve(text),
    flag: 'caCert',
    description: 'PEM file with additional certificates to trust',
  },
  'allow-http': {
    read: readBoolean,
    toStored: (text: string) => parseBoolean(text, 'allow-http'),
    flag: 'allowHttp',
    default: false,
    description: "set to true to allow plain http to this profile's base-url",
  },
  'wire.findings.task': parameterNameSetting('taskId'),
  'wire.findings.evidenceSubmission': parameterNameSetting('evidenceSubmissionId'),
  'wire.findings.evidenceFormType': parameterNameSetting('evidenceFormType'),
  'wire.findings.scope': parameterNameSetting('scope'),
  'wire.findings.ignore': {
    ...ignoredFields,
    description:
      'fields next to the findings that --exit-status ignores: authType=api-key, or requestId=* for any text, number, or boolean',
  },
  'wire.domain.ignore': {
    ...ignoredFields,
    description: 'fields of a domain that --exit-status and --wait ignore: provider=vercel',
  },
  'wire.member.deviceMgmtLabelId': { ...nameSetting('deviceMgmtLabelId', 'name of the field'), read: readLabelName },
  'wire.member.existing': {
    read: readPhrases,
    isList: true,
    default: [],
    description: 'additional phrases of the service for "is already a member"; * matches any text',
  },
  'wire.member.errorIndexBase': {
    read: readBase,
    toStored: numberOrText,
    description: '0 or 1: the number of the first entry in errors[].index',
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingName = keyof typeof SETTINGS;

/** The type of a setting's value. */
export type SettingValue<N extends SettingName> = ReturnType<(typeof SETTINGS)[N]['read']>;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
