import { quote } from '../../../output/sanitize.ts';
import { HIDDEN_CHARACTER, showHidden, withoutHidden } from '../../../util/hidden-characters.ts';
import { suggest } from '../../../util/suggest.ts';
import { comparableText, sendableText } from '../../../util/visible-text.ts';
import { ERROR_COLUMN, fieldForSpelling, isForbiddenKey, normalizeSpelling, suggestField } from '../../new-member.ts';
import type { BoundField } from '../fields/field-value.ts';
import type { SourcePath } from '../source/source-record.ts';

/** A field, and where a record has its value. */
export interface FieldRead {
  readonly field: BoundField;
  readonly path: SourcePath;
  /** The column or key, as in the list; for an inner value of JSON, its dotted path. */
  readonly column: string;
}

/** The meaning of the keys of a record. */
export interface Binding {
  /** The names under which a mapping finds the keys. */
  readonly names: readonly string[];
  readonly reads: readonly FieldRead[];
  /** Positions of the keys that no field is read from. The message of an errors file is not one of them. */
  readonly others: readonly number[];
  /** Why the keys do not fit the mapping, as lines of a message. */
  readonly problems: readonly string[];
}

/**
 * Finds the fields in the keys of a record: those that the mapping names, then those that a key spells.
 *
 * @param isTable whether the keys are the columns of a table, all of which a record has
 */
export function bindKeys(keys: readonly string[], fields: readonly BoundField[], isTable: boolean): Binding {
  const { reads: mapped, problems } = bindMapped(keys, fields, isTable);
  const reads = [...mapped];
  const used = new Set(mapped.map(({ path }) => path));
  const others: number[] = [];
  for (const [at, name] of keys.entries()) {
    if (used.has(at) || isErrorKey(keys, at, isTable)) continue;
    if (isDisguised(name, fields)) {
      problems.push(hiddenName(name, at, isTable));
      continue;
    }
    if (isForbiddenKey(name)) {
      problems.push(`${nounOf(isTable)} ${quote(name)} has a name that orgadm cannot use (rename or remove it)`);
      continue;
    }
    const spelled = fieldForSpelling(name);
    const field = fields.find((one) => one.name === spelled && !one.isOmitted && one.wanted === undefined);
    const earlier = reads.find((read) => read.field === field);
    if (field === undefined) others.push(at);
    else if (earlier === undefined) reads.push({ field, path: at, column: name });
    else problems.push(bothRead(keys, Number(earlier.path), at, field, isTable));
  }
  return { names: sourceNames(keys, isTable), reads, others, problems };
}

/** Finds the columns or keys that the mapping names. */
function bindMapped(
  keys: readonly string[],
  fields: readonly BoundField[],
  isTable: boolean,
): { reads: FieldRead[]; problems: string[] } {
  const reads: FieldRead[] = [];
  const problems: string[] = [];
  for (const field of fields) {
    const { wanted } = field;
    if (wanted === undefined) continue;
    const [at, second] = keysNamed(keys, wanted, isTable);
    const isDisguising = at !== undefined && isDisguised(keys[at] ?? '', fields) && !NUMBER.test(wanted);
    // Its own problem is reported with those of the other keys.
    if (isDisguising) continue;
    if (at !== undefined && second !== undefined) problems.push(ambiguousName(keys, at, second, field, isTable));
    else if (at !== undefined) reads.push({ field, path: at, column: keys[at] ?? '' });
    else if (isTable) problems.push(missingSource(field, keys, isTable));
    else if (wanted.includes('.')) reads.push({ field, path: wanted.split('.'), column: wanted });
  }
  return { reads, problems };
}

/** The number of a column: `#3`. */
const NUMBER = /^#([1-9]\d{0,5})$/;

/**
 * Returns the positions of a name: by its text, then regardless of case, then by spelling, then, in a table, by number (`#3`).
 */
function keysNamed(keys: readonly string[], wanted: string, isTable: boolean): number[] {
  const matching = (read: (name: string) => string) => {
    const text = read(wanted);
    return [...keys.keys()].filter((at) => read(keys[at] ?? '') === text);
  };
  const exact = matching(sendableText);
  // In JSON, a dot leads to an inner value.
  if (exact.length > 0 || (!isTable && wanted.includes('.'))) return exact;
  const alike = matching(comparableText);
  if (alike.length > 0) return alike;
  const similar = matching(normalizeSpelling);
  const number = isTable ? Number(NUMBER.exec(wanted)?.[1] ?? 0) : 0;
  return similar.length === 0 && number > 0 && number <= keys.length ? [number - 1] : similar;
}

/** Whether a name has hidden characters, and would be, or misspell, a field or a name in the mapping without them. */
function isDisguised(name: string, fields: readonly BoundField[]): boolean {
  if (!HIDDEN_CHARACTER.test(name)) return false;
  const seen = withoutHidden(name);
  if (fieldForSpelling(seen) !== undefined || suggestField(seen) !== undefined) return true;
  return fields.some(
    ({ wanted = '' }) => wanted !== '' && normalizeSpelling(withoutHidden(wanted)) === normalizeSpelling(seen),
  );
}

function hiddenName(name: string, at: number, isTable: boolean): string {
  const fix = isTable ? `remove it, or name the column by its number: #${at + 1}` : 'rename the key';
  return `${nounOf(isTable)} ${quote(showHidden(name))} has a hidden character in its name (${fix})`;
}

/**
 * Returns the names under which a mapping finds keys: in a table, the number of a column whose name is blank, not unique, or has
 * hidden characters.
 */
export function sourceNames(keys: readonly string[], isTable: boolean): string[] {
  if (!isTable) return [...keys];
  const names = keys.map(sendableText);
  const counts = new Map<string, number>([['', 2]]);
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, at) => (counts.get(name) === 1 && !HIDDEN_CHARACTER.test(name) ? name : `#${at + 1}`));
}

/** Whether a key has the message of a row in an errors file: the last column of a table, or any key of JSON. */
export function isErrorKey(keys: readonly string[], at: number, isTable: boolean): boolean {
  return normalizeSpelling(keys[at] ?? '') === ERROR_COLUMN && (!isTable || at === keys.length - 1);
}

/** Returns the noun for a key in messages. */
export function nounOf(isTable: boolean): 'column' | 'key' {
  return isTable ? 'column' : 'key';
}

/** Returns the problem with an option --map whose column or key is not in the list. */
export function missingSource(field: BoundField, keys: readonly string[], isTable: boolean): string {
  const { wanted = '' } = field;
  // A name that looks the same as the one that was not found helps nobody.
  const near = suggest(
    wanted,
    keys.filter((key) => comparableText(withoutHidden(key)) !== comparableText(withoutHidden(wanted))),
  );
  const reason = isTable ? 'no column has this name' : 'no entry has this key';
  return `${renderMap(field)}: ${reason}${near === undefined ? '' : ` (did you mean ${quote(showHidden(near))}?)`}`;
}

function ambiguousName(
  keys: readonly string[],
  at: number,
  second: number,
  field: BoundField,
  isTable: boolean,
): string {
  return isTable
    ? `${renderMap(field)}: columns ${at + 1} and ${second + 1} both have that name (name one by its number: #${at + 1})`
    : `${renderMap(field)}: both ${quote(keys[at] ?? '')} and ${quote(keys[second] ?? '')} have that name`;
}

function bothRead(keys: readonly string[], first: number, second: number, field: BoundField, isTable: boolean): string {
  const name = (at: number) => quote(keys[at] ?? '') + (isTable ? ` (column ${at + 1})` : '');
  const chosen = isTable ? `#${first + 1}` : keys[first];
  return `${name(first)} and ${name(second)} are both ${field.name} (pick one with --map ${field.name}=${chosen} --ignore-extra-columns)`;
}

/** Renders the option that names the column or key of a field: `--map isActive=!Suspended`. */
function renderMap({ name, wanted, isInverted }: BoundField): string {
  return `--map ${name}=${isInverted ? '!' : ''}${wanted}`;
}
