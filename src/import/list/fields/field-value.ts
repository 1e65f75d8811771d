import { quote } from '../../../output/sanitize.ts';
import { HIDDEN_CHARACTER, showHidden, withoutJoiners } from '../../../util/hidden-characters.ts';
import { comparableText, isPlainText, sendableText } from '../../../util/visible-text.ts';
import type { Damage } from '../../list-row.ts';
import type { FieldKind, FieldValue, MemberField } from '../../new-member.ts';
import { damageOfId, damageOfKey, damageOfRole, damageOfValue, isOrdinaryId, withoutFormula } from './damaged-text.ts';
import type { LookupTable } from './lookup-table.ts';
import { NumberToken } from './number-token.ts';

/** A field of the mapping, as one pass over a list reads it from one column or key. */
export interface BoundField {
  readonly name: MemberField;
  readonly kind: FieldKind;
  /** The column or key that the mapping names; undefined if the field's own name finds it. */
  readonly wanted: string | undefined;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
  /** Whether it is one of several that say together whether a person is active. */
  readonly isOneOfSeveral: boolean;
  /** The second list that translates its values; undefined if there is none. */
  readonly lookup: LookupTable | undefined;
  /** Translations by comparable text, see `Mapping.values`. */
  readonly translations: ReadonlyMap<string, string> | undefined;
  /** The comparable texts that were translated so far. */
  readonly translated: Set<string>;
  /** The first texts that no translation names. */
  readonly untranslated: Set<string>;
  /** What was read from a text before; undefined for user IDs, which do not repeat, and for a field with a second list. */
  readonly known: Map<string, ReadValue> | undefined;
  /** The value for rows that leave it blank. */
  readonly default: FieldValue | undefined;
  /** Whether the mapping leaves it out, although a column or key spells its name. */
  readonly isOmitted: boolean;
  /** The first column or key that had it, for inner values of JSON a dotted path; undefined if none has so far. */
  column: string | undefined;
}

/** A value that is not one of the field. */
export interface Rejected extends Damage {
  /** The value, as a message shows it. */
  readonly shown: string;
  /** A text that --map-value could translate. */
  readonly translate?: string;
}

/** The result of reading a value; `value` is undefined for a blank one. */
export type ReadValue = { readonly value: FieldValue | undefined } | Rejected;

const NO_VALUE: ReadValue = { value: undefined };

const KIND_NAMES: Record<FieldKind, string> = {
  string: 'a string',
  boolean: 'a boolean (use true/false, yes/no or 1/0)',
  integer: 'an integer in digits, up to ±9007199254740991',
};

/**
 * Reads `value`, the text of a cell or a JSON value, as a field. Blank text and null are no value. Translates the text with
 * the second list, then with --map-value, then converts it to the type of the field.
 */
export function readValue(field: BoundField, value: unknown): ReadValue {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return readKnownText(field, value);
  if (value instanceof NumberToken) return readNumberToken(field, value);
  if (typeof value === 'object') {
    const shown = Array.isArray(value) ? 'an array' : 'an object';
    return { shown, issue: `is not ${KIND_NAMES[field.kind]}` };
  }
  const text = String(value);
  // Exports have integers as ids, and 1 and 0 as booleans. Integers that JavaScript would change are texts, see `parseJson`.
  const isText = typeof value === 'number' && ['string', 'boolean'].includes(field.kind) && Number.isSafeInteger(value);
  if (isText || field.lookup !== undefined || translate(field, text) !== undefined) return readKnownText(field, text);
  if (typeof value === 'boolean' && field.kind === 'boolean') return { value: value !== field.isInverted };
  if (typeof value === 'number') {
    if (field.kind === 'integer' && Number.isSafeInteger(value)) return { value };
    if (field.kind === 'string') return { shown: text, issue: 'is a number (write it in quotes)' };
  }
  return { shown: text, issue: `is not ${KIND_NAMES[field.kind]}` };
}

/** Reads a number of JSON such as `1001.0` or `1e3`: as a text, its digits are not certain. */
function readNumberToken(field: BoundField, { token }: NumberToken): ReadValue {
  if (field.kind !== 'string') return readValue(field, Number(token));
  return { shown: token, issue: 'is a number with a fraction, an exponent, or a sign (write it in quotes)' };
}

/** Values of a field that are kept: roles, departments, and statuses repeat. */
const MAX_KNOWN = 1000;

/**
 * Reads a text as `readFieldText` does. Most lists have ordinary IDs, and few other values: without reading each of them anew, an
 * import of 100,000 rows takes as long as it did before orgadm knew damaged values (npm run bench -- people).
 */
function readKnownText(field: BoundField, cell: string): ReadValue {
  const { known } = field;
  if (known === undefined)
    return isUserIdAsItIs(field) && isOrdinaryId(cell) ? { value: cell } : readFieldText(field, cell);
  const before = known.get(cell);
  if (before !== undefined) return before;
  const read = readFieldText(field, cell);
  if (known.size < MAX_KNOWN) known.set(cell, read);
  return read;
}

function isUserIdAsItIs({ name, lookup, translations }: BoundField): boolean {
  return name === 'userId' && lookup === undefined && translations === undefined;
}

function readFieldText(field: BoundField, cell: string): ReadValue {
  // Most text is plain, and has neither other spaces nor hidden characters.
  const isPlain = isPlainText(cell);
  const text = withoutFormula(isPlain ? cell : sendableText(cell));
  if (text === '') return NO_VALUE;
  const hidden = isPlain ? undefined : rejectHidden(field, text);
  if (hidden !== undefined) return hidden;
  const damagedKey = field.name === 'userId' && field.lookup !== undefined ? damageOfKey(text) : undefined;
  if (damagedKey !== undefined) return { shown: quote(text), ...damagedKey };
  const found = field.lookup?.find(text);
  if (found !== undefined && 'issue' in found) return { shown: quote(text), issue: found.issue };
  const known = found?.text ?? text;
  const translated = translate(field, known) ?? (found === undefined ? undefined : known);
  if (translated === '') return NO_VALUE;
  const hiddenTranslation = translated === undefined ? undefined : rejectHidden(field, translated);
  if (hiddenTranslation !== undefined) return hiddenTranslation;
  const result = translated ?? text;
  const damage = damageOfValue(result) ?? damageOfField(field.name, result);
  if (damage !== undefined) return { shown: shownValue(field, text, result), ...damage };
  const value = isCode(field, result, translated) ? undefined : convertText(field.kind, result);
  if (value === undefined) {
    const issue = `is not ${KIND_NAMES[field.kind]}`;
    return {
      shown: quote(result),
      issue,
      ...(translated === undefined && !field.isOneOfSeveral && { translate: text }),
    };
  }
  // A translation already names the value of the field.
  return { value: translated === undefined && field.isInverted ? value !== true : value };
}

function damageOfField(name: MemberField, text: string): Damage | undefined {
  if (name === 'userId') return damageOfId(text);
  return name === 'role' ? damageOfRole(text) : undefined;
}

/** Shows a value with where it comes from, as the subject of an issue: `"mei@example.com" has "NULL" in ids.csv, which`. */
function shownValue({ lookup }: BoundField, text: string, result: string): string {
  return lookup === undefined ? quote(result) : `${quote(text)} has ${quote(result)} in ${lookup.file}, which`;
}

/**
 * Next to translated values, a letter or a digit is a code of its own: T is true in some lists, and terminated in others. In SAP, 1 is
 * inactive, and 3 is active. If a translation gives a word the opposite of its meaning ("no" in a column "Left" is true), no other
 * word means what it says.
 */
function isCode({ kind, translations }: BoundField, text: string, translated: string | undefined): boolean {
  if (kind !== 'boolean' || translations === undefined || translated !== undefined) return false;
  const isOpposite = ([from, to]: [string, string]) => to !== '' && readBooleanWord(from) === !readBooleanWord(to);
  return /^[a-z\d]$/i.test(text) || [...translations].some(isOpposite);
}

function convertText(kind: FieldKind, text: string): FieldValue | undefined {
  if (kind === 'string') return text;
  if (kind === 'boolean') return readBooleanWord(text);
  return readInteger(text);
}

/** Texts without a translation that are kept, for a warning. */
const MAX_UNTRANSLATED = 100;

/** Translates a text by --map-value. Returns undefined if no translation applies. */
function translate({ kind, translations, translated, untranslated }: BoundField, text: string): string | undefined {
  if (translations === undefined) return undefined;
  const key = comparableText(text);
  // What is no value is not any other value. In a column such as that of the last day, NULL may mean active.
  const damage = kind === 'boolean' ? damageOfKey(text) : damageOfValue(text);
  const others = damage === undefined ? translations.get('*') : undefined;
  const found = translations.get(key) ?? others;
  if (translations.has(key)) translated.add(key);
  else if (found === undefined && untranslated.size < MAX_UNTRANSLATED) untranslated.add(text);
  return found;
}

/** The words of exports for true and false, and those of spreadsheets for TRUE and FALSE in other languages. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map<string, boolean>([
  ...words('true t yes y 1 on active enabled wahr ja vrai oui verdadero verdadeiro sí si vero', true),
  ...words('false f no n 0 off inactive disabled falsch nein faux non falso', false),
]);

function words(list: string, value: boolean): [string, boolean][] {
  return list.split(' ').map((word) => [word, value]);
}

/** Reads a boolean as exports write it; undefined for any other text. */
export function readBooleanWord(text: string): boolean | undefined {
  return BOOLEANS.get(text.toLowerCase());
}

/** An integer written in digits and exact as a JSON number (within ±(2^53-1)); undefined for all else. */
function readInteger(text: string): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** Stands for bytes that a program could not read. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** Rejects a text of the list, of a second list, or of an option that has a hidden character, or one for a lost character. */
function rejectHidden({ name }: BoundField, text: string): Rejected | undefined {
  if (isPlainText(text)) return undefined;
  if (text.includes(REPLACEMENT_CHARACTER))
    return { shown: quote(text), issue: 'has lost a character in another encoding (export the list again as UTF-8)' };
  const isHidden = HIDDEN_CHARACTER.test(name === 'department' ? withoutJoiners(text) : text);
  return isHidden ? { shown: quote(showHidden(text)), issue: 'contains a hidden character' } : undefined;
}
