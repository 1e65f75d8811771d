import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { CheckedRow, RowPosition } from '../checked-row.ts';
import { entriesOf, type ListFormat, type Mapping } from '../mapping.ts';
import type { MemberField } from '../new-member.ts';
import { type CheckedRows, checkRows } from './check-rows.ts';
import { keysNamed } from './columns/binder.ts';
import { misspelledFields, NO_DECISIONS, openDecisions } from './columns/decisions.ts';
import { misfitError, type UndecidedColumns, undecidedColumns } from './columns/describe-columns.ts';
import { sheetWarnings } from './columns/sheet-warnings.ts';
import { statusCodesError } from './columns/status-codes.ts';
import { isColumnNumber } from './columns/table-binder.ts';
import type { LoadedLookup } from './fields/lookup-table.ts';
import { rejectDoubtfulObject } from './json/doubtful-object.ts';
import { loadLookup } from './load-lookup.ts';
import { binderOf } from './read-records.ts';
import type { LoadedList, PassResult } from './read-rows.ts';
import { sampleColumns } from './sample-columns.ts';
import type { Source, SourceInput } from './source/bytes.ts';
import { SPLIT } from './source/limits.ts';
import { readSourceText, type SourceText } from './source/text.ts';

/** What reading an entire list shows. */
export interface Validation
  extends Pick<CheckedRows, 'total' | 'invalid' | 'duplicates' | 'shortened' | 'totals' | 'sample'>,
    Pick<PassResult, 'header' | 'fields' | 'ignored'> {
  readonly position: RowPosition;
  /** The sheet of a workbook; undefined for other lists. */
  readonly sheet: string | undefined;
  /** What the mapping leaves open, see `openDecisions`; undefined if it decides everything. Nobody sends such a list. */
  readonly undecided: UndecidedColumns | undefined;
  /** Warnings about a list that can be read. */
  readonly warnings: readonly string[];
}

/** A member list in memory. */
export interface MemberList extends Source {
  readonly format: ListFormat;
  /** How it is read. */
  readonly mapping: Mapping;
  /** The second lists by the field whose values they translate. */
  readonly lookups: ReadonlyMap<MemberField, Pick<LoadedLookup, 'header'>>;
  /**
   * Reads the entire list and checks every row. Calls `onRow` with each of them, in order, and `onRows` with the number of rows
   * so far.
   *
   * @throws UsageError for a list that cannot be read at all, and for a mapping that does not fit its columns
   */
  validate(onRow: (row: CheckedRow) => void, onRows?: (rows: number) => void): Promise<Validation>;
  /** Returns the same list, read with another mapping of its columns. Throws as `openList` does for second lists. */
  withMapping(mapping: Mapping): Promise<MemberList>;
}

/**
 * Reads a list into memory and detects its layout.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, or for an option that does not fit
 * @throws OrgadmError if reading fails
 */
export async function openList(input: SourceInput, mapping: Mapping): Promise<MemberList> {
  return createList(await readSourceText(input, mapping), mapping);
}

async function createList(text: SourceText, mapping: Mapping): Promise<MemberList> {
  rejectDoubtfulObject(text, mapping);
  const lookups = new Map<MemberField, LoadedLookup>();
  for (const [field, source] of entriesOf(mapping.lookups))
    lookups.set(field, await loadLookup(source).catch(inLookup(field)));
  const loaded: LoadedList = { text, lookups };
  return {
    name: text.name,
    path: text.path,
    format: text.format,
    mapping,
    digest: text.digest,
    lookups,
    withMapping: (other) => createList(text, other),
    async validate(onRow, onRows) {
      const check = await checkRows(loaded, mapping, onRow, onRows);
      const undecided = await findUndecided(text, mapping, check);
      const { total, invalid, duplicates, shortened, totals, sample, result } = check;
      const { header, fields, ignored } = result;
      return {
        total,
        invalid,
        duplicates,
        shortened,
        totals,
        sample,
        header,
        fields,
        ignored,
        position: text.isOneLine ? 'row' : 'line',
        sheet: text.sheet?.name,
        undecided,
        warnings: [
          ...(text.sheet === undefined ? [] : sheetWarnings(text.sheet, result.reads)),
          ...warningsOf(check, mapping),
          ...Array.from(lookups, ([field, { warnings }]) =>
            warnings.map((warning) => `--lookup ${field}: ${warning}`),
          ).flat(),
        ],
      };
    },
  };
}

/** @throws UsageError if the mapping does not fit the columns */
async function findUndecided(
  text: SourceText,
  mapping: Mapping,
  check: CheckedRows,
): Promise<UndecidedColumns | undefined> {
  const { problems, header } = check.result;
  const firstRow = findDoubtfulHeader(check.result, mapping);
  // A JSON list without rows has no keys.
  const hasKeys = header !== undefined || check.total > 0;
  const decisions = hasKeys ? openDecisions(check.result, check.totals.unset, mapping) : undefined;
  if (problems.length === 0 && decisions === undefined && firstRow === undefined) {
    const { statusCodes } = check.result;
    if (statusCodes !== undefined) throw statusCodesError(text.name, statusCodes);
    return undefined;
  }
  const binder = binderOf(text);
  const columns = await sampleColumns(text, mapping.options ?? {});
  if (problems.length > 0) throw misfitError(text.name, problems, columns, binder);
  return undecidedColumns(text.name, { decisions: decisions ?? NO_DECISIONS, columns, firstRow }, binder);
}

/**
 * Returns the header of a table if it may be a person: no option says where the header is, and the mapping
 * knows no name in it. A name such as "Active" is also the status of a person.
 */
function findDoubtfulHeader(
  { header, headerLine, fields, hasLooseStatus }: PassResult,
  { options = {}, ignored = [] }: Mapping,
): UndecidedColumns['firstRow'] {
  if (header === undefined || headerLine === undefined || options.headerRow !== undefined) return undefined;
  const isKnown =
    fields.some(
      ({ name, column, wanted = '' }) =>
        column !== undefined && !isColumnNumber(wanted) && !(name === 'isActive' && hasLooseStatus),
    ) || ignored.some((name) => !isColumnNumber(name) && keysNamed(name, header).length > 0);
  return isKnown ? undefined : { cells: header, line: headerLine };
}

/** Returns a function that throws an error about the second list of a field. */
function inLookup(field: MemberField): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`--lookup ${field}: ${error.message}`, hintForSecondList(error.hint), error.code);
  };
}

/** Returns the hint for a second list in place of one for a list: the options about the file are those of the first one. */
export function hintForSecondList(hint: string | undefined): string | undefined {
  if (hint === SPLIT) return 'Remove the rows that the first list does not need.';
  const hasOption = /--(?:encoding|records|format|header-row)\b/.test(hint ?? '');
  return hasOption ? 'Save the second list as CSV UTF-8 with a header, or as a JSON array of objects.' : hint;
}

function warningsOf({ total, hasOnlyAddresses, result }: CheckedRows, { lookups }: Mapping): string[] {
  const entries = countOf(total, 'entry', 'entries');
  return [
    ...(hasOnlyAddresses && lookups?.userId === undefined ? [ADDRESSES] : []),
    ...(result.more === undefined ? [] : [`the list has ${entries}, but there may be more: ${result.more}`]),
    ...result.doubts,
    ...misspelledFields(result.ignored, ['department', 'isActive', 'deviceMgmtLabelId'], result.fields).map(
      ([column, field]) => `the ignored column ${quote(column)} may be a misspelling of ${field}`,
    ),
  ];
}

const ADDRESSES =
  'every user ID is an email address. If your service has IDs of its own, find them in a second list: --lookup userId=<file>:<column>=<column>';
