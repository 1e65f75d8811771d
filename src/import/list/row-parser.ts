import { cleanLine, quoteForShell } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { fieldForSpelling, type MemberField, normalizeSpelling, suggestField } from '../entry.ts';
import type { ListEncoding } from './encoding.ts';
import type { DefaultValues, FieldRule } from './field-rules.ts';
import type { JsonShape } from './json/json-elements.ts';
import type { ListFormat, ListLayout, ListOptions, MappedField, MappingInEffect } from './list-options.ts';
import { type ListRow, quote } from './list-row.ts';

/** One pass from a list's text to its validated rows. */
export interface RowParser {
  /** Yields the rows that `text` completes. Throws `UsageError` for what is not of the list's format. */
  push(text: string): Iterable<ListRow[]>;
  /** Yields the rows that the end of the list completes. Throws `UsageError` for a list that is empty or breaks off. */
  end(): Iterable<ListRow[]>;
  /** What is known when the pass is over. */
  summary(): ParserSummary;
}

export interface ParserSummary {
  /** How the list is written. */
  readonly layout: ListLayout;
  readonly mapping: MappingInEffect;
  /** Warnings about a list that can be read. */
  readonly warnings: readonly string[];
  /** Options that would make more rows valid, see `ColumnsError`. */
  readonly suggestedOptions: readonly string[];
}

/** Everything that a pass needs to know beforehand. */
export interface ParserOptions {
  readonly format: ListFormat;
  /** Whether it is a converted workbook: one JSON array per row, with its number in the sheet before its cells. */
  readonly isSheet: boolean;
  readonly encoding: ListEncoding;
  /** The delimiter of a CSV list. */
  readonly delimiter: string;
  /** Physical lines before the header of a CSV list. */
  readonly skipLines: number;
  /** Where the elements of a JSON list are. */
  readonly shape: JsonShape;
  readonly options: ListOptions;
  readonly rules: readonly FieldRule[];
  readonly defaults: DefaultValues;
}

/** Describes the fields that are read or set, by their rules. `sourceOf` returns the column or key of a field; undefined if there is none. */
export function describeMapping(
  { options, rules }: Pick<ParserOptions, 'options' | 'rules'>,
  sourceOf: (field: string) => string | undefined,
  ignored: readonly string[],
): MappingInEffect {
  const fields: MappedField[] = [];
  for (const { field, isInverted, translations } of rules) {
    const source = sourceOf(field) ?? null;
    const fallback = options.defaults.get(field as MemberField) ?? null;
    if (source === null && fallback === null) continue;
    const values = Object.fromEntries(translations ?? []);
    fields.push({ field, source, inverted: isInverted, values, default: fallback });
  }
  return { fields, ignored };
}

/** A list whose columns or keys do not fit the fields. */
export class ColumnsError extends UsageError {
  /** Options that would make the list readable, as far as they can be inferred; values in `<>` are left to the user. */
  readonly suggestedOptions: readonly string[];

  constructor(message: string, hint: string | undefined, suggestedOptions: readonly string[]) {
    super(message, hint, 'bad-columns');
    this.suggestedOptions = suggestedOptions;
  }
}

/** What a column is about, by the word in its name that shows whether a person is active; `opposite` is not active. */
const STATUS_WORDS = new Map<string, 'status' | 'active' | 'opposite'>([
  ...['status', 'state'].map((word) => [word, 'status'] as const),
  ...['active', 'enabled'].map((word) => [word, 'active'] as const),
  ...'suspended disabled deactivated inactive archived blocked terminated deleted locked'
    .split(' ')
    .map((word) => [word, 'opposite'] as const),
]);
/** Words that such a name may have in addition. */
const FILLER_WORDS = new Set('account user users member employee employment login signin is the read only'.split(' '));

/** Returns the kind of status that a column's name suggests; undefined if it suggests none. */
function statusKind(name: string): 'status' | 'active' | 'opposite' | undefined {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]/)
    .filter((word) => word !== '' && !FILLER_WORDS.has(word));
  return STATUS_WORDS.get(words.join(' '));
}

/** Returns a warning for each ignored column that looks like a status, unless isActive is read or set. */
export function warnOfIgnoredStatus(ignored: Iterable<string>, hasActive: boolean): string[] {
  if (hasActive) return [];
  return [...ignored].flatMap((name) => {
    const kind = statusKind(name.slice(name.lastIndexOf('.') + 1));
    if (kind === undefined) return [];
    const source = kind === 'opposite' ? `!${name}` : name;
    const values = kind === 'status' ? " --map-value 'isActive:<value>=false'" : '';
    return `column ${quote(name)} is ignored: all members are added without isActive, regardless of its values (to read it: --map ${quoteForShell(cleanLine(`isActive=${source}`))}${values})`;
  });
}

/** Names that a field often goes by in exports, the most likely first, normalized. They are suggested, never assumed. */
const USUAL_NAMES: Partial<Record<MemberField, readonly string[]>> = {
  userId:
    'id uid user username login userlogin employeeid employeenumber employee# workerid externalid objectid userprincipalname upn email emailaddress workemail useremail mail primaryemail'.split(
      ' ',
    ),
  role: ['userrole', 'orgrole', 'organizationrole', 'memberrole', 'roles', 'rolename'],
  department: ['departmentname', 'departmentcode', 'orgdepartment'],
};

/**
 * Returns the options of people bulk-add that would make a list with these unknown columns or keys readable:
 * `['--map', 'userId=User Name', '--ignore-extra-columns']`.
 *
 * @param unread names in the list that no field is read from
 * @param missing required fields that the list does not have
 * @param present fields that are read or set
 */
export function suggestOptions(
  unread: readonly string[],
  missing: readonly MemberField[],
  present: ReadonlySet<string>,
): string[] {
  const options: string[] = [];
  const used = new Set<string>();
  const found = (field: MemberField): string | undefined => {
    const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1);
    // Exports add remarks: "Email [Required]".
    const isUsual = (name: string, usual: string) =>
      [lastPart(name), name.replace(/[[(].*/, '')].some((part) => normalizeSpelling(part) === usual);
    return (
      unread.find((name) => fieldForSpelling(lastPart(name)) === field) ??
      unread.find((name) => suggestField(name) === field) ??
      USUAL_NAMES[field]?.flatMap((usual) => unread.find((name) => isUsual(name, usual)) ?? [])[0]
    );
  };
  const add = (field: MemberField, source: string) => {
    used.add(source);
    options.push('--map', `${field}=${source}`);
  };
  for (const field of missing) {
    const source = found(field);
    if (source !== undefined) add(field, source);
    else options.push(...(field === 'role' ? ['--default', 'role=<role>'] : ['--map', `${field}=<column>`]));
  }
  for (const field of ['department', 'isActive', 'deviceMgmtLabelId'] as const) {
    const source = present.has(field) ? undefined : found(field);
    if (source !== undefined) add(field, source);
  }
  if (unread.some((name) => !used.has(name))) options.push('--ignore-extra-columns');
  return options;
}
