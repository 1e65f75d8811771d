import { quote } from '../../output/sanitize.ts';
import { codePointName, HIDDEN_CHARACTER } from '../../util/hidden-characters.ts';
import type { FieldKind, FieldValue, MemberField } from '../entry.ts';
import type { FieldSource } from '../list-options.ts';
import type { LookupTable } from './lookup-table.ts';

/** The rule by which one field of an entry is read from a list. */
export interface FieldRule {
  readonly field: MemberField;
  readonly kind: FieldKind;
  /** The column or key of --map; undefined if the field's own name finds it. */
  readonly source: FieldSource | undefined;
  readonly isInverted: boolean;
  /** The second list that translates its values; undefined if there is none. */
  readonly lookup: LookupTable | undefined;
  /** Translations by lower-case text, see `ListOptions.valueMap`. */
  readonly translations: ReadonlyMap<string, string> | undefined;
  /** The texts that were translated so far, in lower case. */
  readonly translated: Set<string>;
  /** The value for rows that leave it blank. */
  readonly default: FieldValue | undefined;
  /** Whether --omit leaves it out. */
  readonly isOmitted: boolean;
}

/** The part of a rule that reads values. */
type ValueRule = Pick<FieldRule, 'field' | 'kind' | 'isInverted' | 'lookup' | 'translations' | 'translated'>;

/** The result of reading a value; `value` is undefined for a blank one. */
export type ReadValue = { readonly value: FieldValue | undefined } | { readonly shown: string; readonly issue: string };

const NO_VALUE: ReadValue = { value: undefined };

const KIND_NAMES: Record<FieldKind, string> = {
  string: 'a string',
  boolean: 'a boolean (use true/false, yes/no or 1/0)',
  integer: 'an integer in digits, up to ±9007199254740991',
};

/** The end of the issue of a word in a list that is not a boolean, such as `Suspended`. */
export const TRANSLATE = ', or translate it with --map-value)';

/**
 * Reads `value`, the text of a cell or a JSON value, as a field. Blank text and null are no value. Translates the text with
 * the second list, then with --map-value, then converts it to the type of the field.
 */
export function readValue(rule: ValueRule, value: unknown): ReadValue {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return readFieldText(rule, trimBlanks(value));
  if (typeof value === 'object') {
    const shown = Array.isArray(value) ? 'an array' : 'an object';
    return { shown, issue: `is not ${KIND_NAMES[rule.kind]}` };
  }
  const text = String(value);
  // Exports have integers as ids, and 1 and 0 as booleans. Integers that JavaScript would change are texts, see `parseJson`.
  const isText = typeof value === 'number' && ['string', 'boolean'].includes(rule.kind) && Number.isSafeInteger(value);
  if (isText || rule.lookup !== undefined || translate(rule, text) !== undefined) return readFieldText(rule, text);
  if (typeof value === 'boolean' && rule.kind === 'boolean') return { value: value !== rule.isInverted };
  if (typeof value === 'number') {
    if (rule.kind === 'integer' && Number.isSafeInteger(value)) return { value };
    if (rule.kind === 'string') return { shown: text, issue: 'is a number (write it in quotes)' };
  }
  return { shown: text, issue: `is not ${KIND_NAMES[rule.kind]}` };
}

function readFieldText(rule: ValueRule, text: string): ReadValue {
  if (text === '') return NO_VALUE;
  const hidden = hiddenCharacter(text, rule.field === 'department');
  if (hidden !== undefined) return { shown: quote(text), issue: `contains ${hidden}` };
  const found = rule.lookup?.find(text);
  if (found !== undefined && 'issue' in found) return { shown: quote(text), issue: found.issue };
  const known = found?.text ?? text;
  const translated = translate(rule, known) ?? (found === undefined ? undefined : known);
  if (translated === undefined && text.startsWith('#') && SPREADSHEET_ERROR.test(text)) {
    return { shown: quote(text), issue: 'is a formula error, not a value' };
  }
  const result = translated ?? text;
  const value = isLetterCode(rule, result, translated) ? undefined : convertText(rule.kind, result);
  if (value === undefined) {
    const kind = KIND_NAMES[rule.kind];
    const issue = translated === undefined && rule.kind === 'boolean' ? kind.replace(/\)$/, TRANSLATE) : kind;
    return { shown: quote(result), issue: `is not ${issue}` };
  }
  // A translation already names the value of the field.
  return { value: translated === undefined && rule.isInverted ? value !== true : value };
}

/** Next to translated values, a letter is a code of its own: T is true in some lists, and terminated in others. */
function isLetterCode({ kind, translations }: ValueRule, text: string, translated: string | undefined): boolean {
  return kind === 'boolean' && translations !== undefined && translated === undefined && /^[a-z]$/i.test(text);
}

function convertText(kind: FieldKind, text: string): FieldValue | undefined {
  if (kind === 'string') return text;
  if (kind === 'boolean') return readBooleanWord(text);
  return readInteger(text);
}

/** Translates a text by --map-value. Returns undefined if no translation applies. */
function translate({ translations, translated }: ValueRule, text: string): string | undefined {
  if (translations === undefined) return undefined;
  const key = text.toLowerCase();
  const found = translations.get(key);
  if (found === undefined) return translations.get('*');
  translated.add(key);
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

const WHITE_SPACE_AT_ENDS = /^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$/g;

/** Removes ordinary white space at both ends. Other kinds, such as the non-breaking space, are invalid there. */
function trimBlanks(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.charCodeAt(0) <= 32 || last <= 32 ? text.replace(WHITE_SPACE_AT_ENDS, '') : text;
}

/** Most text has nothing else, and a simple pattern is several times faster than the others. */
const BEYOND_ASCII_TEXT = /[^\x20-\x7e]/;
/** Spaces that are not trimmed, because they are of another kind. */
const SPACE_AT_ENDS = /^\p{Zs}|\p{Zs}$/u;
/** Joiners change the shape of letters in Persian and Indic scripts, and join emoji. */
const JOINERS = /[\u200c\u200d]/g;

/** Texts that spreadsheets save for a formula that failed, also in CSV. */
const SPREADSHEET_ERROR =
  /^#(?:N\/A|NV|GETTING_DATA|(?:REF|VALUE|DIV\/0|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|PYTHON|EXTERNAL)!|NAME\?)$/i;

/** Returns the first character of `text` that cannot be seen, as `U+200B`; undefined if there is none. */
function hiddenCharacter(text: string, allowJoiners: boolean): string | undefined {
  if (!BEYOND_ASCII_TEXT.test(text)) return undefined;
  const visible = allowJoiners ? text.replace(JOINERS, '') : text;
  const [character] = HIDDEN_CHARACTER.exec(visible) ?? SPACE_AT_ENDS.exec(visible) ?? [];
  return character && `${codePointName(character)}, which is not a visible character`;
}
