import { isAbsolute, resolve } from 'node:path';
import type { OutputFormat } from '../output/output.ts';
import { parseBaseUrl } from '../util/base-url.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment } from '../util/host.ts';
import { parseBoolean, parseDuration } from '../util/units.ts';

/** The global options, as Commander parses them. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  keyFile?: string;
  output?: OutputFormat;
  json?: boolean;
  jq?: string;
  rawOutput?: boolean;
  quiet?: boolean;
  debug?: boolean;
  color?: boolean;
  /** False under --no-input. */
  input?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}

/** The value of a setting, as a profile stores it and `config list` shows it. Options and variables provide texts. */
export type SettingValue = string | number | boolean | readonly string[];

interface Setting<T extends SettingValue> {
  /** Returns the value in its normal form. Throws UsageError that begins with `where`. */
  parse(given: SettingValue, where: string): T;
  /** Converts what was typed, if it means something else in a file: a relative path. */
  typed?(text: string): string;
  option?: keyof GlobalFlags;
  variable?: string;
  /** The value if nothing sets it. */
  default?: T;
  /** Accepts several values. */
  isList?: true;
  /** Shown in help. */
  description: string;
}

/** Parses a base URL. Whether plain http is allowed depends on the run. */
function baseUrl(given: SettingValue, where: string): string {
  try {
    return parseBaseUrl(oneText(given, where), true).href.replace(/\/$/, '');
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith(where)) throw error;
    throw new UsageError(`${where} ${error.message}`, error.hint);
  }
}

function duration(given: SettingValue, where: string): string {
  const text = oneText(given, where);
  if (parseDuration(text, where) === 0) throw new UsageError(`${where} must be greater than 0`);
  return text;
}

function count(given: SettingValue, where: string): number {
  const text = oneText(given, where);
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new UsageError(`${where}: "${text}" is not a number from 0 to 999`, 'Use a whole number, such as 4.');
}

function boolean(given: SettingValue, where: string): boolean {
  return parseBoolean(oneText(given, where), where);
}

/** Parses the path of a file, which must not depend on the current directory. */
function path(given: SettingValue, where: string): string {
  const text = oneText(given, where);
  if (isAbsolute(text)) return text;
  throw new UsageError(`${where}: "${text}" is not an absolute path`);
}

/** Parses the name of a query parameter or field. */
function name(given: SettingValue, where: string): string {
  const text = oneText(given, where);
  if (/^[\w.$[\]-]{1,100}$/.test(text)) return text;
  throw new UsageError(`${where}: "${text}" is not a valid name`, 'Use up to 100 letters, digits, and _ - . $ [ ].');
}

/** The other fields of an entry (interface 4.2). A label under one of these names would replace that field. */
const OTHER_MEMBER_FIELDS: readonly string[] = ['userId', 'role', 'department', 'isActive'];

function labelName(given: SettingValue, where: string): string {
  const label = name(given, where);
  if (!OTHER_MEMBER_FIELDS.includes(label)) return label;
  throw new UsageError(
    `${where}: "${label}" is another field of a member`,
    "Use your service's name for the device label.",
  );
}

/** Returns the parser of a list in which `wrong` finds no text. */
function texts(wrong: (text: string) => boolean, problem: (text: string) => string, hint: string) {
  return (given: SettingValue, where: string): readonly string[] => {
    const list = typeof given === 'object' ? given : [oneText(given, where)];
    if (list.some((text) => text.trim() === '')) throw new UsageError(`${where}: a value must not be blank`);
    const bad = list.find(wrong);
    if (bad === undefined) return list;
    throw new UsageError(`${where}: ${problem(bad)}`, hint);
  };
}

/** Members with the value to ignore, or * for any text, number, or boolean: `authType=api-key`. */
const ignored = texts(
  (text) => !/^[^=]+=/.test(text),
  (text) => `"${text}" has no value`,
  'Write <name>=<value>. orgadm ignores only that value, because another one may mean something else.',
);

/** Phrases in which * matches any text. One of nothing else would match every message. */
const phrases = texts(
  (text) => !/[^\s*]/.test(text),
  () => '* alone would match every message, so that nobody is reported as failed',
  'Write the words of the service, with * for the parts that differ.',
);

function oneText(given: SettingValue, where: string): string {
  const text = typeof given === 'object' ? undefined : String(given).trim();
  if (!text) throw new UsageError(`${where}: ${text === '' ? 'the value is blank' : 'expected one value, not a list'}`);
  return text;
}

const parameter = (standard: string) => ({
  parse: name,
  default: standard,
  description: 'name of the query parameter',
});

/** All settings. Those of the wire stand last: few services need them. */
export const SETTINGS = {
  'base-url': {
    parse: baseUrl,
    option: 'baseUrl',
    variable: 'ORGADM_BASE_URL',
    description: 'address of the service',
  },
  timeout: {
    parse: duration,
    option: 'timeout',
    variable: 'ORGADM_TIMEOUT',
    default: '30s',
    description: 'longest wait for a response',
  },
  retries: {
    parse: count,
    option: 'retries',
    variable: 'ORGADM_RETRIES',
    default: 4,
    description: 'retries after the first attempt',
  },
  'ca-cert': {
    parse: path,
    typed: (text: string) => resolve(text),
    option: 'caCert',
    description: 'PEM file with additional certificates to trust',
  },
  'allow-http': {
    parse: boolean,
    option: 'allowHttp',
    default: false,
    description: 'true: allow plain http to the base-url, which sends the key unencrypted',
  },
  'wire.findings.task': parameter('taskId'),
  'wire.findings.evidenceSubmission': parameter('evidenceSubmissionId'),
  'wire.findings.evidenceFormType': parameter('evidenceFormType'),
  'wire.findings.scope': parameter('scope'),
  'wire.findings.ignore': {
    parse: ignored,
    isList: true,
    default: [],
    description:
      'fields next to the findings that --exit-status ignores: authType=api-key, or requestId=* for any text, number, or boolean',
  },
  'wire.domain.ignore': {
    parse: ignored,
    isList: true,
    default: [],
    description: 'fields of a domain that --exit-status and --wait ignore: provider=vercel',
  },
  'wire.member.deviceMgmtLabelId': {
    parse: labelName,
    default: 'deviceMgmtLabelId',
    description: 'name of the field',
  },
  'wire.member.existing': {
    parse: phrases,
    isList: true,
    default: [],
    description: 'additional phrases of the service for "is already a member"; * matches any text',
  },
} as const satisfies Readonly<Record<string, Setting<SettingValue>>>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSettingName(text: string): text is SettingName {
  return Object.hasOwn(SETTINGS, text);
}

/** The entry of a setting in the table. */
export function settingOf(settingName: SettingName): Setting<SettingValue> {
  return SETTINGS[settingName] as Setting<SettingValue>;
}

/** The value of a setting, and what set it: the option, the variable, the profile, or `default`. */
export interface Resolved<T> {
  readonly value: T;
  readonly from: string;
}

/** A setting without a default is undefined if nothing sets it. */
type ResolvedSettings = {
  readonly [N in SettingName]:
    | Resolved<ReturnType<(typeof SETTINGS)[N]['parse']>>
    | ((typeof SETTINGS)[N] extends { default: SettingValue } ? never : undefined);
};

/** The settings of one profile in their normal forms. */
export type ProfileSettings = { readonly [Name in SettingName]?: SettingValue | undefined };

/** The profile of a run. */
export interface SelectedProfile {
  readonly name: string;
  /** What names it: `--profile`, `ORGADM_PROFILE`, or `default`. */
  readonly from: string;
  /** An option names it, so its settings rank as options. */
  readonly isOption: boolean;
}

/** The profile of a run with its settings; none if the file does not have it. */
export interface Profile extends SelectedProfile {
  readonly settings: ProfileSettings;
}

/** What sets the settings of a run. */
export interface SettingSources {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  readonly profile: Profile;
}

/**
 * Resolves all settings: an option before a variable, before the profile. A profile that an option names ranks as an option. What
 * a profile sets holds only if its base URL is in use, or if it has none.
 *
 * @throws UsageError that names the option, or the variable, with the bad value
 */
export function resolveValues(sources: SettingSources): ResolvedSettings {
  const usable = isOtherService(sources) ? { ...sources, profile: { ...sources.profile, settings: {} } } : sources;
  const values = SETTING_NAMES.map((each) => [each, resolveSetting(each, each === 'base-url' ? sources : usable)]);
  return Object.fromEntries(values) as ResolvedSettings;
}

/** Whether the profile has another base URL than the one in use, so that nothing it sets holds. */
export function isOtherService(sources: SettingSources): boolean {
  const own = sources.profile.settings['base-url'];
  return own !== undefined && own !== resolveSetting('base-url', sources)?.value;
}

function resolveSetting(
  settingName: SettingName,
  { flags, env, profile }: SettingSources,
): Resolved<SettingValue> | undefined {
  const setting = settingOf(settingName);
  const typed = (text: string | boolean | undefined, from: string) =>
    text ? { value: setting.parse(setting.typed?.(String(text)) ?? String(text), from), from } : undefined;
  const option = typed(setting.option && flags[setting.option], `--${settingName}`);
  const variable = setting.variable && typed(env[setting.variable], setting.variable);
  const stored = profile.settings[settingName];
  const ofProfile = stored === undefined ? undefined : { value: stored, from: `profile ${profile.name}` };
  const standard = setting.default === undefined ? undefined : { value: setting.default, from: 'default' };
  return option || (profile.isOption && ofProfile) || variable || ofProfile || standard || undefined;
}
