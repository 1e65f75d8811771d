import { resolve } from 'node:path';
import { readFormat } from '../output/output-format.ts';
import {
  readBaseUrl,
  readFlag,
  readPath,
  readPhrases,
  readRetries,
  readTimeout,
  readWireName,
  type Stored,
} from './setting-values.ts';
import type { GlobalFlags } from './settings.ts';

/** One setting of a profile. */
export interface Setting<T> {
  /** Reads a value of the file, the variable or the flag; throws UsageError that begins with `where`. */
  read(value: Stored, where: string): T;
  /** What a profile keeps of the text given to `config set`; the text itself unless told. */
  keep?(text: string): Stored;
  /** Takes several values. */
  isList?: true;
  env?: string;
  flag?: keyof GlobalFlags;
  /** For help. */
  about: string;
}

/** Numbers and truth values are kept as such, for a file that reads naturally. */
const literal = (text: string): Stored => (/^(true|false|0|[1-9]\d*)$/.test(text) ? JSON.parse(text) : text);

const define = <T>(setting: Setting<T>): Setting<T> => setting;
const wireName = (usual: string) => define({ read: readWireName, about: `on the wire: ${usual}` });

/** Every setting: a new one is a line here. */
export const SETTINGS = {
  'base-url': define({ read: readBaseUrl, env: 'ORGADM_BASE_URL', flag: 'baseUrl', about: 'the service' }),
  output: define({ read: readFormat, env: 'ORGADM_OUTPUT', flag: 'output', about: 'table, json, ndjson or csv' }),
  timeout: define({ read: readTimeout, env: 'ORGADM_TIMEOUT', flag: 'timeout', about: 'a duration, usually 30s' }),
  retries: define({
    read: readRetries,
    keep: literal,
    env: 'ORGADM_RETRIES',
    flag: 'retries',
    about: 'further attempts after the first, usually 4',
  }),
  'ca-cert': define({ read: readPath, keep: (text) => resolve(text), about: 'a PEM file whose certificates to trust' }),
  'allow-http': define({
    read: readFlag,
    keep: literal,
    about: "true: plain http to this profile's own base-url",
  }),
  'wire.findings.task': wireName('taskId'),
  'wire.findings.evidenceSubmission': wireName('evidenceSubmissionId'),
  'wire.findings.evidenceFormType': wireName('evidenceFormType'),
  'wire.findings.scope': wireName('scope'),
  'wire.member.deviceMgmtLabelId': wireName('deviceMgmtLabelId'),
  'wire.member.existing': define({
    read: readPhrases,
    isList: true,
    about: 'more phrases of the service that mean "is already a member"',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** What the reader of a setting gives. */
export type SettingValue<N extends SettingName> = ReturnType<(typeof SETTINGS)[N]['read']>;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
