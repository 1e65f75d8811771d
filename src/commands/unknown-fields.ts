import { cleanLine, quoteForShell } from '../output/sanitize.ts';
import { joinFirst } from '../util/units.ts';

/** A reason why a response may not mean what it says, and what to do about it. */
export interface Doubt {
  /** A clause, without a final period. */
  readonly message: string;
  readonly hint: string;
}

/** A field of a response that orgadm does not understand: a text, a number, or a boolean. */
export interface UnknownField {
  /** The keys that lead to it, joined with dots. */
  readonly path: string;
  /** Undefined for one that is too long to name. */
  readonly value: unknown;
  /** Set for an object or a list that is too long to search. */
  readonly isContainer?: boolean;
}

/** In a setting, the value of a field that may have any. */
const ANY_VALUE = '*';

/** Yields the fields that a value consists of: `meta.page` for `{"page":1}`. What is null or empty says nothing. */
export function* fieldsOf(path: string, value: unknown): Generator<UnknownField> {
  if (value === null || value === '') return;
  if (typeof value !== 'object') yield { path, value };
  else for (const [key, inner] of Object.entries(value)) yield* fieldsOf(`${path}.${key}`, inner);
}

/** Whether a setting such as wire.findings.ignore names a field with this value, or with `*` for any: `requestId=*`. */
export function isIgnored(field: UnknownField, ignored: readonly string[]): boolean {
  if (!field.isContainer && ignored.includes(`${field.path}=${ANY_VALUE}`)) return true;
  return hasValue(field) && ignored.includes(settingOf(field));
}

function hasValue({ value }: UnknownField): boolean {
  return value !== undefined;
}

/** Names a field and its value as a setting does: `authType=api-key`. With the name alone, it could have another value. */
function settingOf({ path, value }: UnknownField): string {
  const text = typeof value === 'string' && value !== ANY_VALUE ? value : JSON.stringify(value);
  return `${path}=${text}`;
}

/** The setting that names fields to ignore. */
interface IgnoreSetting {
  readonly name: string;
  /** Its present value. */
  readonly ignored: readonly string[];
  /** What the fields must not mean: `findings are missing`. */
  readonly meaning: string;
  /** What makes a command change the profile in use, see `profileOption`. */
  readonly profile: string;
}

/**
 * Doubts a response with fields that orgadm does not understand, and suggests to ignore exactly these values: `hasMore=false`
 * says nothing about `hasMore=true`.
 *
 * @returns undefined if there are none
 */
export function doubtFields(fields: readonly UnknownField[], setting: IgnoreSetting): Doubt | undefined {
  return fields.length === 0 ? undefined : { message: describeFields(fields), hint: hintToIgnore(fields, setting) };
}

/** Names fields with their values: `orgadm does not understand the field "hasMore=false"`. */
function describeFields(fields: readonly UnknownField[]): string {
  const names = fields.map((field) => (hasValue(field) ? settingOf(field) : `${field.path}=…`));
  const unique = [...new Set(names)];
  return `orgadm does not understand the ${unique.length === 1 ? 'field' : 'fields'} ${listValues(unique)}`;
}

/** Upper bounds on the fields in a suggested command, and on the text of one. */
const [MAX_SUGGESTED, SUGGESTED_CHARACTERS] = [20, 200];

function hintToIgnore(fields: readonly UnknownField[], { name, ignored, meaning, profile }: IgnoreSetting): string {
  const [subject, object] = fields.length === 1 ? ['that field does', 'it'] : ['those fields do', 'them'];
  const condition = `If ${subject} not mean that ${meaning}`;
  const exact = fields.filter(hasValue).map(settingOf);
  const short = exact.filter(({ length }) => length <= SUGGESTED_CHARACTERS);
  if (short.length === 0) return `${condition}, use ${name} to ignore ${object}. --debug shows the response.`;
  const words = [...new Set([...ignored, ...short])].slice(0, MAX_SUGGESTED).map(quoteForShell).join(' ');
  return `${condition}, ignore ${object}: orgadm config set ${name} ${words}${profile}`;
}

/** Upper bounds on the values that a message lists, and on their length. */
const [LISTED_VALUES, LISTED_CHARACTERS] = [5, 60];

/** Renders values for a message: `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  return joinFirst(
    values.map((value) => `"${cleanLine(value).slice(0, LISTED_CHARACTERS)}"`),
    LISTED_VALUES,
  );
}
