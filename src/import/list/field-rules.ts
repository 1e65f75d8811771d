import { UsageError } from '../../util/errors.ts';
import {
  FIELD_KINDS,
  type FieldKind,
  type FieldValue,
  isField,
  isForbiddenKey,
  MEMBER_FIELDS,
  type MemberEntry,
  type MemberField,
  normalizeSpelling,
} from '../entry.ts';
import type { FieldSource, ListOptions } from './list-options.ts';
import { quote, type ValidationIssue } from './list-row.ts';

/** How one field of an entry is read from a list. */
export interface FieldRule {
  readonly field: string;
  readonly kind: FieldKind;
  /** Where --map or --extra-field says that it is; undefined if its own name shows it. */
  readonly source: FieldSource | undefined;
  readonly isInverted: boolean;
  /** Translations by lower-case text, see `ListOptions.valueMap`. */
  readonly translations: ReadonlyMap<string, string> | undefined;
  /** Whether it is a field of --extra-field. */
  readonly isExtra: boolean;
}

/** Returns the rules of all fields that a list may have: those of interface 4.2, then the extra ones. */
export function createFieldRules({ map, valueMap, extraFields }: ListOptions): FieldRule[] {
  const members = MEMBER_FIELDS.map((field) => {
    const source = map.get(field);
    const kind = FIELD_KINDS[field];
    const isInverted = source?.isInverted ?? false;
    return { field, kind, source, isInverted, translations: valueMap.get(field), isExtra: false };
  });
  const extra = extraFields.map(({ field, kind, source }) => {
    return { field, kind, source, isInverted: source.isInverted, translations: undefined, isExtra: true };
  });
  return [...members, ...extra];
}

/** Returns the name under which an errors file has an extra field, so that it is read again without --extra-field. */
export function extraFieldName({ field, kind }: FieldRule): string {
  return `extra:${field}:${kind}`;
}

/** Returns the rule of an extra field by its name in an errors file; undefined for any other name. */
export function extraFieldRule(name: string): FieldRule | undefined {
  const [, field, kind] = /^extra:(.+):(string|number|boolean)$/.exec(name) ?? [];
  if (field === undefined || isForbiddenKey(field) || isField(field)) return undefined;
  const source = { name, isInverted: false };
  return { field, kind: kind as FieldKind, source, isInverted: false, translations: undefined, isExtra: true };
}

const KIND_NAMES: Record<FieldKind, string> = {
  string: 'a string',
  number: 'a number written in digits, with integers within ±9007199254740991',
  boolean: 'a boolean (use true/false, yes/no or 1/0)',
  integer: 'an integer within ±9007199254740991 written in digits',
};

/** The result of reading a value; `value` is undefined for a blank one. */
export type ReadValue = { readonly value: FieldValue | undefined } | { readonly shown: string; readonly issue: string };

const NO_VALUE: ReadValue = { value: undefined };

/** Reads `value`, the text of a cell or a JSON value, as a field. Blank text and null are no value. */
function readValue(rule: FieldRule, value: unknown): ReadValue {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return readText(rule, trimBlanks(value));
  if (typeof value === 'object') {
    const shown = Array.isArray(value) ? 'an array' : 'an object';
    return { shown, issue: `is not ${KIND_NAMES[rule.kind]}` };
  }
  const text = String(value);
  if (translate(rule, text) !== undefined) return readText(rule, text);
  if (typeof value === 'boolean' && rule.kind === 'boolean') return { value: value !== rule.isInverted };
  if (typeof value === 'number') {
    if (rule.kind === 'integer' ? Number.isSafeInteger(value) : rule.kind === 'number' && isExact(value))
      return { value };
    if (rule.kind === 'string') return { shown: text, issue: 'is a number (write it in quotes)' };
  }
  return { shown: text, issue: `is not ${KIND_NAMES[rule.kind]}` };
}

function readText(rule: FieldRule, text: string): ReadValue {
  if (text === '') return NO_VALUE;
  const hidden = hiddenCharacter(text, rule.field === 'department');
  if (hidden !== undefined) return { shown: quote(text), issue: `contains ${hidden}` };
  const translated = translate(rule, text);
  if (translated === undefined && text.startsWith('#') && SPREADSHEET_ERROR.test(text)) {
    return { shown: quote(text), issue: 'is the error of a formula, not a value' };
  }
  const value = parseText(rule.kind, translated ?? text);
  if (value === undefined) return { shown: quote(translated ?? text), issue: `is not ${KIND_NAMES[rule.kind]}` };
  if (rule.field === 'userId' && isInQuotationMarks(text)) {
    return { shown: quote(text), issue: 'is in quotation marks (remove them)' };
  }
  // A translation already names the value of the field.
  return { value: translated === undefined && rule.isInverted ? value !== true : value };
}

function parseText(kind: FieldKind, text: string): FieldValue | undefined {
  if (kind === 'string') return text;
  if (kind === 'boolean') return readBoolean(text);
  return kind === 'integer' ? readInteger(text) : readNumber(text);
}

/** Translates a text by --map-value. Returns undefined if no translation applies. */
function translate({ translations }: FieldRule, text: string): string | undefined {
  return translations?.get(text.toLowerCase()) ?? translations?.get('*');
}

/** Returns a text that is read as the same value without --map and --map-value. */
export function plainText(rule: FieldRule, cell: string): string {
  const text = trimBlanks(cell);
  if (text === '') return cell;
  const translated = translate(rule, text);
  if (translated !== undefined) return translated;
  const value = rule.isInverted ? readBoolean(text) : undefined;
  return value === undefined ? cell : String(!value);
}

/** Returns a field's label for a message, with the column's name unless that is another spelling of the field. */
function fieldLabel(field: string, column: string): string {
  return normalizeSpelling(column) === normalizeSpelling(field) ? field : `${field} (column ${quote(column)})`;
}

/** Values of fields that a list does not have, or has blank. */
export type DefaultValues = Readonly<Record<string, FieldValue | undefined>>;

/** Reads the values of --default as a cell would be. Throws `UsageError` with everything that is wrong with them. */
export function readDefaults(options: ListOptions): DefaultValues {
  const values: Record<string, FieldValue | undefined> = {};
  const issues: string[] = [];
  for (const rule of createFieldRules(options)) {
    const text = rule.isExtra ? undefined : options.defaults.get(rule.field as never);
    if (text === undefined) continue;
    if (rule.field === 'userId') {
      throw new UsageError(
        '--default userId: every row needs an id of its own',
        'Name its column: --map userId=<column>',
      );
    }
    const read = readValue({ ...rule, isInverted: false, translations: undefined }, text);
    if ('issue' in read) issues.push(`--default ${rule.field}: ${read.shown} ${read.issue}`);
    else values[rule.field] = read.value;
  }
  if (issues.length > 0) throw new UsageError(issues.join('\n'));
  return values;
}

/** What exports write for true and false, and what spreadsheets write for TRUE and FALSE in other languages. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map<string, boolean>([
  ...words('true yes 1 on active enabled wahr vrai verdadero vero waar prawda 真', true),
  ...words('false no 0 off inactive disabled falsch faux falso onwaar fałsz 偽', false),
]);

function words(list: string, value: boolean): [string, boolean][] {
  return list.split(' ').map((word) => [word, value]);
}

function readBoolean(text: string): boolean | undefined {
  return BOOLEANS.get(text.toLowerCase());
}

/** An integer written in digits and exact as a JSON number (within ±(2^53-1)); undefined for all else. */
function readInteger(text: string): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** A number in digits, as JSON and spreadsheets write it. */
export const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a number is not an integer beyond ±(2^53-1), whose last digits are lost: most are ids. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function readNumber(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return isExact(value) ? value + 0 : undefined;
}

export const WHITE_SPACE_AT_ENDS = /^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$/g;

/** Removes ordinary white space at both ends. Other kinds, such as the non-breaking space, are invalid there. */
function trimBlanks(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.charCodeAt(0) <= 32 || last <= 32 ? text.replace(WHITE_SPACE_AT_ENDS, '') : text;
}

/** Most text has nothing else, and a simple pattern is several times faster than the others. */
const BEYOND_ASCII_TEXT = /[^\x20-\x7e]/;
/** Control and format characters, lone surrogates, line separators, blank letters, and spaces of other kinds at the ends. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|^\p{Zs}|\p{Zs}$/u;
/** Joiners change the shape of letters in Persian and Indic scripts, and join emoji. */
export const JOINERS = /[\u200c\u200d]/g;

/** What spreadsheets save, also in CSV, for a formula that failed. */
export const SPREADSHEET_ERROR =
  /^#(?:N\/A|NV|(?:REF|VALUE|DIV\/0|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN)!|NAME\?|GETTING_DATA)$/i;

const QUOTATION_MARKS = '"\'`´‘’‚“”„«»‹›';

export function isInQuotationMarks(text: string): boolean {
  return (
    text.length > 1 &&
    QUOTATION_MARKS.includes(text.charAt(0)) &&
    QUOTATION_MARKS.includes(text.charAt(text.length - 1))
  );
}

/** Returns the first character of `text` that cannot be seen, as `U+200B`; undefined if there is none. */
function hiddenCharacter(text: string, allowJoiners: boolean): string | undefined {
  if (!BEYOND_ASCII_TEXT.test(text)) return undefined;
  const [character] = HIDDEN.exec(allowJoiners ? text.replace(JOINERS, '') : text) ?? [];
  if (character === undefined) return undefined;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code}, which is not a visible character`;
}

const NO_ISSUES: readonly ValidationIssue[] = [];

type MemberValues = { -readonly [F in MemberField]?: MemberEntry[F] };

/**
 * Builds one entry after another: accepts values field by field and collects everything that is wrong with them. The
 * values are kept from one entry to the next, until they are set again: most columns repeat the same few.
 */
export class EntryBuilder {
  /** All fields from the start: objects of one shape are created and read faster. */
  readonly values: MemberValues & Record<string, FieldValue | undefined> = {
    userId: undefined,
    role: undefined,
    department: undefined,
    isActive: undefined,
    deviceMgmtLabelId: undefined,
  };
  readonly #defaults: DefaultValues;
  readonly #extra: readonly string[];
  #issues: ValidationIssue[] | undefined;

  constructor(rules: readonly FieldRule[], defaults: DefaultValues) {
    this.#defaults = defaults;
    this.#extra = rules.filter((rule) => rule.isExtra).map((rule) => rule.field);
  }

  get issues(): readonly ValidationIssue[] {
    return this.#issues ?? NO_ISSUES;
  }

  /** Begins the next entry: forgets the issues of the one before. */
  next(): void {
    this.#issues = undefined;
  }

  /**
   * Sets a field to `value`, a cell's text or a JSON value, which is in the list under the name `column`.
   *
   * @returns whether it is valid
   */
  set(rule: FieldRule, value: unknown, column: string): boolean {
    const { field } = rule;
    const read = readValue(rule, value);
    if ('issue' in read) {
      this.values[field] = undefined;
      const text = typeof value === 'string' ? value.trim() : read.shown;
      this.report({ field, column, value: text, message: `${fieldLabel(field, column)}: ${read.shown} ${read.issue}` });
      return false;
    }
    this.values[field] = read.value;
    return true;
  }

  /** Adds an issue that is not about the value of a field. */
  report(issue: ValidationIssue): void {
    this.#issues ??= [];
    this.#issues.push(issue);
  }

  /** Fills in the defaults and reports missing fields. Returns the entry if it is valid. */
  finish(): MemberEntry | undefined {
    const { values } = this;
    const defaults = this.#defaults as MemberValues;
    const userId = values.userId;
    const role = values.role ?? defaults.role;
    if (userId === undefined) this.#missing('userId');
    if (role === undefined) this.#missing('role');
    if (userId === undefined || role === undefined || this.#issues !== undefined) return undefined;
    const entry: MemberEntry = { userId, role };
    const department = values.department ?? defaults.department;
    const isActive = values.isActive ?? defaults.isActive;
    const deviceMgmtLabelId = values.deviceMgmtLabelId ?? defaults.deviceMgmtLabelId;
    if (department !== undefined) entry.department = department;
    if (isActive !== undefined) entry.isActive = isActive;
    if (deviceMgmtLabelId !== undefined) entry.deviceMgmtLabelId = deviceMgmtLabelId;
    for (const field of this.#extra) if (values[field] !== undefined) entry[field] = values[field];
    return entry;
  }

  #missing(field: MemberField): void {
    // A value that was rejected is not missing.
    if (this.issues.some((issue) => issue.field === field)) return;
    this.report({ field, message: `${field} is missing` });
  }
}
