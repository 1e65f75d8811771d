import { suggest } from '../../../util/suggest.ts';
import {
  ERROR_COLUMN,
  fieldForSpelling,
  isForbiddenKey,
  type MemberField,
  normalizeSpelling,
  suggestField,
} from '../../entry.ts';
import type { FieldRule } from '../field-rule.ts';
import type { CsvColumns } from '../list-layout.ts';
import type { ListOptions } from '../list-options.ts';
import { describeUselessLookups, missingFields, presentFields, renderSourceOption } from '../list-pass.ts';
import { quote, quoteAll } from '../list-row.ts';
import { columnsNamed } from './column-names.ts';

/** The columns of a header, and the problems with them. */
export interface BoundColumns {
  readonly columns: CsvColumns;
  /** All problems, as lines of a message; empty if the columns fit. */
  readonly lines: readonly string[];
  /** Whether more options can make them fit. */
  readonly isSuggestible: boolean;
  /** Fields with a column or a default. */
  readonly present: ReadonlySet<string>;
  /** Required fields without a column. */
  readonly missing: readonly MemberField[];
}

/** Finds the fields in a header. */
export function bindColumns(
  header: readonly string[],
  rules: readonly FieldRule[],
  options: ListOptions,
): BoundColumns {
  const problems: string[] = [];
  const mapped = findMappedColumns(header, rules, problems);
  const fields = new Map(mapped);
  const used = new Set(mapped.values());
  const unnamed: number[] = [];
  const ignored: number[] = [];
  const unknown: number[] = [];
  let errorColumn: number | undefined;
  for (const [column, name] of header.entries()) {
    const field = fieldForSpelling(name);
    const earlier = field === undefined ? undefined : fields.get(field);
    if (isForbiddenKey(name))
      problems.push(`column ${quote(name)} has a name that orgadm cannot use (rename or remove it)`);
    else if (used.has(column)) continue;
    else if (name.trim() === '') unnamed.push(column);
    else if (column === header.length - 1 && normalizeSpelling(name) === ERROR_COLUMN) errorColumn = column;
    else if (isLeftOut(name, field, options)) ignored.push(column);
    else if (field === undefined) unknown.push(column);
    else if (earlier === undefined) fields.set(field, column);
    else if (mapped.has(field) && options.ignoreExtraColumns) ignored.push(column);
    else problems.push(bothRead(header, earlier, column, field));
  }
  problems.push(...describeUselessLookups(fields, options));
  const present = presentFields(rules, fields);
  const missing = missingFields(present, options);
  // An errors file keeps the unknown columns of its list, which orgadm has ignored before.
  const rejected = options.ignoreExtraColumns || errorColumn !== undefined ? [] : unknown;
  return {
    columns: {
      header,
      fields: [...fields].map(([field, column]) => ({ field, column })),
      ignored: [...ignored, ...unknown].toSorted((a, b) => a - b),
      unnamed,
      errorColumn,
    },
    lines: describeMisfit(header, missing, problems, rejected),
    isSuggestible: problems.length === 0,
    present,
    missing,
  };
}

/** Whether the user leaves a column out: `-` in --columns, or a field of --omit. */
function isLeftOut(name: string, field: MemberField | undefined, { columns, omit }: ListOptions): boolean {
  return (columns !== undefined && name === '-') || (field !== undefined && omit.has(field));
}

/** The columns that --map and --extra-field name: by exact text first, then by spelling, then by number. */
function findMappedColumns(
  header: readonly string[],
  rules: readonly FieldRule[],
  problems: string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const rule of rules) {
    const { field, source } = rule;
    if (source === undefined) continue;
    const option = renderSourceOption(rule);
    const [column, second] = columnsNamed(header, source.name);
    if (column === undefined) {
      const near = suggest(source.name, header);
      problems.push(`${option}: no such column${near === undefined ? '' : ` (did you mean ${quote(near)}?)`}`);
    } else if (second !== undefined) {
      problems.push(
        `${option}: columns ${column + 1} and ${second + 1} both have that name (name one by its number: #${column + 1})`,
      );
    } else found.set(field, column);
  }
  return found;
}

function bothRead(header: readonly string[], first: number, second: number, field: string): string {
  const name = (column: number) => `${quote(header[column] ?? '')} (column ${column + 1})`;
  return `${name(first)} and ${name(second)} are both ${field} (pick one with --map ${field}=#${first + 1} --ignore-extra-columns)`;
}

/** Names the unknown columns, or all columns if orgadm knows or ignores each of them. */
function describeMisfit(
  header: readonly string[],
  missing: readonly MemberField[],
  problems: readonly string[],
  rejected: readonly number[],
): string[] {
  const lines = [...missing.map((field) => `no column for ${field}`), ...problems];
  if (rejected.length > 0) {
    const count = rejected.length === 1 ? '1 unknown column' : `${rejected.length} unknown columns`;
    const names = rejected.map((column) => header[column] ?? '');
    lines.push(`${count}: ${quoteAll(names, quoteWithSuggestion)}`);
  } else if (lines.length > 0) lines.push(`columns: ${quoteAll(header)}`);
  return lines;
}

/** Renders an unknown name, and the field of which it is a misspelling. */
function quoteWithSuggestion(name: string): string {
  const near = suggestField(name);
  return near === undefined ? quote(name) : `${quote(name)} (did you mean ${near}?)`;
}
