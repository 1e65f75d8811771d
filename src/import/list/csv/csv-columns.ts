import { UsageError } from '../../../util/errors.ts';
import { suggest } from '../../../util/suggest.ts';
import {
  ERROR_COLUMN,
  fieldForSpelling,
  isForbiddenKey,
  type MemberField,
  normalizeSpelling,
  suggestField,
} from '../../entry.ts';
import { suggestOptions } from '../column-names.ts';
import type { FieldRule } from '../field-rules.ts';
import type { CsvColumns, FieldColumn, ListOptions } from '../list-options.ts';
import { quote, quoteAll } from '../list-row.ts';

/** A list whose columns or keys do not fit the fields. */
export class ColumnsError extends UsageError {
  /** Options that would make the list readable, as far as they can be inferred; values in `<>` are left to the user. */
  readonly suggestedOptions: readonly string[];

  constructor(message: string, hint: string | undefined, suggestedOptions: readonly string[]) {
    super(message, hint, 'bad-columns');
    this.suggestedOptions = suggestedOptions;
  }
}

/** The columns of a list without a header. */
export const NO_CSV_COLUMNS: CsvColumns = {
  header: [],
  fields: [],
  ignored: [],
  unnamed: [],
  errorColumn: undefined,
};

/** Finds the fields in a header. Throws one `ColumnsError` with everything that does not fit. */
export function planCsvColumns(
  header: readonly string[],
  rules: readonly FieldRule[],
  options: ListOptions,
): CsvColumns {
  const problems: string[] = [];
  const mapped = findMappedColumns(header, rules, problems);
  const fields = new Map(mapped);
  const used = new Set(mapped.values());
  const unnamed: number[] = [];
  const unknown: number[] = [];
  let errorColumn: number | undefined;
  for (const [column, name] of header.entries()) {
    const field = fieldForSpelling(name);
    const earlier = field === undefined ? undefined : fields.get(field);
    if (isForbiddenKey(name))
      problems.push(`column ${quote(name)} has a name that cannot be used (rename or remove it)`);
    else if (used.has(column)) continue;
    else if (name.trim() === '') unnamed.push(column);
    else if (column === header.length - 1 && normalizeSpelling(name) === ERROR_COLUMN) errorColumn = column;
    else if (field === undefined || isSkippedName(name, options)) unknown.push(column);
    else if (earlier === undefined) fields.set(field, column);
    else if (mapped.has(field) && options.ignoreExtraColumns) unknown.push(column);
    else problems.push(bothRead(header, earlier, column, field));
  }
  const missing = (['userId', 'role'] as const).filter(
    (field) => !fields.has(field) && !options.map.has(field) && !options.defaults.has(field),
  );
  // An errors file keeps the unknown columns of its list, which were ignored when that was read.
  const isRejected = !options.ignoreExtraColumns && errorColumn === undefined;
  const rejected = isRejected ? unknown.filter((column) => !isSkippedName(header[column] ?? '', options)) : [];
  if (problems.length + missing.length + rejected.length > 0) {
    throw columnsError(header, { problems, missing, rejected, unknown, present: new Set(fields.keys()) });
  }
  const columns: FieldColumn[] = [...fields].map(([field, column]) => ({ field, column }));
  return { header, fields: columns, ignored: unknown, unnamed, errorColumn };
}

/** With --columns, `-` names a column that is not read. */
function isSkippedName(name: string, options: ListOptions): boolean {
  return options.columns !== undefined && name === '-';
}

/** The columns that --map and --extra-field name: by exact text first, then by spelling, then by number. */
function findMappedColumns(
  header: readonly string[],
  rules: readonly FieldRule[],
  problems: string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const { field, source, isExtra } of rules) {
    if (source === undefined) continue;
    const option = `${isExtra ? '--extra-field' : '--map'} ${field}=${source.isInverted ? '!' : ''}${source.name}`;
    const [column, second] = columnsNamed(header, source.name);
    if (column === undefined) {
      const near = suggest(source.name, header);
      problems.push(`${option}: there is no such column${near === undefined ? '' : ` (did you mean ${quote(near)}?)`}`);
    } else if (second !== undefined) {
      problems.push(
        `${option}: columns ${column + 1} and ${second + 1} both have that name (name one by its number: #${column + 1})`,
      );
    } else found.set(field, column);
  }
  return found;
}

function columnsNamed(header: readonly string[], wanted: string): number[] {
  const matching = (matches: (name: string) => boolean) =>
    [...header.keys()].filter((column) => matches(header[column] ?? ''));
  const exact = matching((name) => name.trim() === wanted.trim());
  if (exact.length > 0) return exact;
  const similar = matching((name) => normalizeSpelling(name) === normalizeSpelling(wanted));
  const number = Number(/^#([1-9]\d{0,5})$/.exec(wanted)?.[1] ?? 0);
  return similar.length === 0 && number > 0 && number <= header.length ? [number - 1] : similar;
}

function bothRead(header: readonly string[], first: number, second: number, field: string): string {
  const name = (column: number) => `${quote(header[column] ?? '')} (column ${column + 1})`;
  return `${name(first)} and ${name(second)} are both ${field} (pick one with --map ${field}=#${first + 1} --ignore-extra-columns)`;
}

interface ColumnProblems {
  problems: readonly string[];
  missing: readonly MemberField[];
  /** Unknown columns that must not be there. */
  rejected: readonly number[];
  unknown: readonly number[];
  /** Fields that have a column. */
  present: ReadonlySet<string>;
}

function columnsError(header: readonly string[], found: ColumnProblems): ColumnsError {
  const { problems, missing, rejected, unknown, present } = found;
  const names = (columns: readonly number[]) => columns.map((column) => header[column] ?? '');
  const lines = [...missing.map((field) => `no column for ${field}`), ...problems];
  if (lines.length > 0) lines.push(`columns: ${quoteAll(header)}`);
  if (rejected.length > 0) {
    const suggestions = names(rejected).flatMap((name) => {
      const near = suggestField(name);
      return near === undefined ? [] : `${quote(name)} (did you mean ${near}?)`;
    });
    const count = rejected.length === 1 ? '1 unknown column' : `${rejected.length} unknown columns`;
    // All columns are listed already, unless the unknown ones are the only problem.
    const list = lines.length > 0 ? suggestions.join(', ') : withSuggestions(names(rejected));
    lines.push(list === '' ? count : `${count}: ${list}`);
  }
  // More options do not fix the other problems.
  const suggested = problems.length > 0 ? [] : suggestOptions(names(unknown), missing, present);
  const isGuess = present.size === 0 && suggested.some((option) => option.endsWith('=<column>'));
  const hint = isGuess
    ? 'Is the first row a header? For a list without one, name its columns: --columns userId,role'
    : undefined;
  return new ColumnsError(lines.join('\n'), hint, suggested);
}

const MAX_NAMES = 30;

function withSuggestions(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => {
    const near = suggestField(name);
    return near === undefined ? quote(name) : `${quote(name)} (did you mean ${near}?)`;
  });
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return shown.join(', ') + more;
}
