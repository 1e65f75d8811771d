import { createHash } from 'node:crypto';
import { UsageError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { MemberField } from '../entry.ts';
import { type CheckedList, checkList } from './check-list.ts';
import { createFieldRules } from './field-rules.ts';
import type { FileIdentity, ListInput } from './list-bytes.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListFormat, ListOptions, MappingInEffect } from './list-options.ts';
import { type ListReader, readRows } from './list-reader.ts';
import type { ListRow } from './list-row.ts';
import { type ListText, readListText } from './list-text.ts';
import { loadLookup } from './load-lookup.ts';
import type { LoadedLookup } from './lookup-table.ts';
import { columnsError, suggestTranslations } from './suggest/columns-error.ts';
import { warnOfUnreadStatus } from './suggest/status-warnings.ts';

export type { ListInput } from './list-bytes.ts';
export type { ListLayout } from './list-layout.ts';
export type { ListFormat, ListOptions, MappedField } from './list-options.ts';
export type { ListRow, RawRow, ValidationIssue } from './list-row.ts';
export { ColumnsError } from './suggest/columns-error.ts';

/** Results of the first pass over a list. */
export interface ListValidation {
  /** Rows in the list. */
  readonly total: number;
  /** Rows with at least one issue. */
  readonly invalid: number;
  /** Whether the row `entry` (1-based) has an issue. */
  isInvalid(entry: number): boolean;
  /** Identity of the bytes of the list and of its second lists: SHA-256 as 64 hex digits. */
  readonly digest: string;
  /** Format and columns of the list. */
  readonly layout: ListLayout;
  readonly mapping: MappingInEffect;
  /** Warnings about a list that can be read. */
  readonly warnings: readonly string[];
  /** Options that would make more rows valid, see `ColumnsError`. */
  readonly suggestedOptions: readonly string[];
}

/** A member list in memory: validated once, then read as often as needed. */
export interface MemberList {
  /** The list's name for messages: its path, or `standard input`. */
  readonly name: string;
  readonly format: ListFormat;
  /** The file that the list comes from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  /**
   * Reads the entire list and checks every row. Calls `onRows` with the number of rows so far.
   *
   * @throws UsageError for a list that cannot be read at all
   */
  validate(onRows?: (rows: number) => void): Promise<ListValidation>;
  /** Reads the list again, after `validate`. Yields the rows in order, in chunks of at most a few thousand. */
  rows(): AsyncGenerator<ListRow[]>;
}

/**
 * Reads a list into memory and detects its layout.
 *
 * @param nowMs the current time: earlier days are in the past
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, or for an option that does not fit
 * @throws OrgadmError if reading fails
 */
export async function openList(input: ListInput, options: ListOptions, nowMs: number): Promise<MemberList> {
  // Rejects invalid options before it reads standard input.
  createFieldRules(options, new Map());
  const text = await readListText(input, options);
  const lookups = new Map<MemberField, LoadedLookup>();
  for (const [field, source] of options.lookups) lookups.set(field, await loadLookup(source).catch(inLookup(field)));
  const reader: ListReader = { text, lookups, nowMs };
  let checked: CheckedList | undefined;
  return {
    name: text.name,
    format: text.format,
    file: text.file,
    async validate(onRows) {
      const check = await checkList(reader, options, onRows);
      const { layout, mapping, misfit } = check.result;
      if (misfit !== undefined) throw await columnsError(reader, options, misfit, check.result);
      checked = check;
      return {
        total: check.total,
        invalid: check.invalid.size,
        isInvalid: (entry) => check.invalid.has(entry),
        digest: digestOf(text.digest, lookups),
        layout,
        mapping,
        warnings: warningsOf(check),
        suggestedOptions: await suggestTranslations(reader, options, check.rejectedStatuses),
      };
    },
    async *rows() {
      if (checked === undefined) throw new Error('rows() was called before validate()');
      const { duplicates } = checked;
      for await (const rows of readRows(reader, options, { observesUnread: false }))
        yield duplicates.size === 0 ? rows : rows.map((row) => withDuplicate(row, duplicates.get(row.entry), text));
    },
  };
}

/** Returns a function that throws an error about the second list of a field. */
function inLookup(field: MemberField): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`--lookup ${field}: ${error.message}`, error.hint, error.code);
  };
}

function digestOf(listDigest: string, lookups: ReadonlyMap<MemberField, LoadedLookup>): string {
  if (lookups.size === 0) return listDigest;
  const others = [...lookups].map(([field, { digest }]) => [field, digest]).sort();
  return createHash('sha256')
    .update(JSON.stringify([listDigest, others]))
    .digest('hex');
}

function warningsOf({ total, result, statuses }: CheckedList): string[] {
  const { unread, present, isErrorsFile, more } = result;
  const entries = countOf(total, 'entry', 'entries');
  return [
    // The import of the original list has printed these warnings.
    ...(isErrorsFile ? [] : [...warnOfUnreadStatus(unread, present.has('isActive')), ...warnOfBlankStatus(statuses)]),
    ...(more === undefined ? [] : [`the list has ${entries}, but there may be more: ${more}`]),
  ];
}

/** Returns a warning about people whose isActive is blank if it is true for everyone else, as in exports of check boxes. */
function warnOfBlankStatus({ active, inactive, blank }: CheckedList['statuses']): string[] {
  if (active === 0 || inactive > 0 || blank === 0) return [];
  const people = countOf(blank, 'person', 'people');
  return [
    `orgadm treats ${people} as active, because isActive is blank for them and never false; if a blank means inactive, add --default isActive=false`,
  ];
}

function withDuplicate(row: ListRow, first: number | undefined, { isOneLine }: ListText): ListRow {
  if (first === undefined || row.userId === undefined) return row;
  const message = `duplicate userId (first ${isOneLine ? 'in row' : 'on line'} ${first})`;
  const issue = { field: 'userId', value: row.userId, message };
  return { ...row, value: undefined, issues: [...row.issues, issue] };
}
