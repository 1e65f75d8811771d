import { resolve } from 'node:path';
import { parseOutputFormat } from '../output/output-format.ts';
import {
  readBaseUrl,
  readFieldName,
  readFlag,
  readPath,
  readPhrases,
  readRetries,
  readTimeout,
  type StoredValue,
} from './setting-values.ts';
import type { GlobalFlags } from './settings.ts';

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
    description: 'more phrases of the service that mean "is already a member"',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** What the reader of a setting gives. */
export type SettingValue<N extends SettingName> = ReturnType<(typeof SETTINGS)[N]['read']>;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
