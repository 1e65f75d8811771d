import { stateSubdirectory } from '../../config/directories.ts';
import { checkRows, type ListCheck } from '../../import/check/check-rows.ts';
import { isRequired } from '../../import/check/decisions.ts';
import { loadLookup } from '../../import/check/lookup.ts';
import type { RowPosition } from '../../import/checked-row.ts';
import { removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { CheckedRows } from '../../import/journal/rows.ts';
import { runDigest } from '../../import/journal/run-identity.ts';
import type { GivenMapping } from '../../import/mapping.ts';
import { readTable } from '../../import/table/read-table.ts';
import type { FileOptions, Table } from '../../import/table/table.ts';
import { countOf } from '../../util/units.ts';
import { type Context, mayPrompt } from '../command-context.ts';
import type { ImportOptions } from './import-options.ts';
import { beforeSending } from './interruption.ts';
import { type ListRead, listRead } from './mapping/describe-mapping.ts';
import { undecidedError } from './mapping/undecided-error.ts';
import { checkErrorsPath, type FileInUse } from './report/errors-file.ts';

/** A list that was read and checked, with its rows and the options of its import. */
export interface CheckedImport {
  readonly options: ImportOptions;
  readonly table: Table;
  readonly check: ListCheck;
  readonly rows: CheckedRows;
  /** Whether the user has answered questions about the list, and confirmed what is sent. */
  readonly isReviewed: boolean;
}

/** What orgadm is about to import: a list that was checked, which is no longer in memory, or a run that the user has named. */
export interface PendingImport {
  readonly options: ImportOptions;
  readonly list: Pick<Table, 'name' | 'path' | 'digest'>;
  readonly position: RowPosition;
  /** Identifies what a run of the list sends, see `runDigest`. */
  readonly digest: string;
  /** The rows; undefined for a run, which has stored them. */
  readonly rows: CheckedRows | undefined;
  /** How the list was read; undefined for a run. */
  readonly read: ListRead | undefined;
  /** Whether the user has confirmed it already. */
  readonly isReviewed?: boolean;
}

/**
 * Reads a list and checks every row of it. If it is to be imported, reports a missing key or base URL before it reads the list. On a
 * terminal, asks what the mapping leaves open.
 *
 * @param file the list as the user named it; `-` for standard input
 * @returns undefined if the user saved the answers instead
 * @throws UsageError for a list that cannot be read, for one about which the mapping leaves something open, and for an errors file
 *   that cannot be written
 */
export async function checkImport(
  file: string,
  given: GivenMapping,
  options: ImportOptions & FileOptions,
  context: Context,
): Promise<CheckedImport | undefined> {
  if (!options.dryRun) await prepareImport(context);
  const table = await readTable({ path: file, stdin: context.host.stdin }, options);
  const { lookup } = given.mapping;
  if (options.errorsFile !== undefined)
    await checkErrorsPath(options.errorsFile, [
      [table.path, 'the list itself'],
      [lookup?.file, 'the list of --lookup'],
      ...filesInUse(context, options),
    ]);
  const checked = await checkTable(table, given, context);
  const required = checked.check.decisions.filter(isRequired);
  if (required.length === 0) {
    warnAbout(table, checked.check, context);
    return { options, table, ...checked, isReviewed: false };
  }
  // No question can help a list without columns to choose from. A mapping file says what to add to it.
  const hasNoChoice = required.some((one) => one.kind === 'userId' && one.columns.length === 0);
  if (hasNoChoice || given.file !== undefined || options.yes || !mayPrompt(context))
    throw undecidedError(required, table, given.file);
  if (table.besideList.length > 0) warnAbout(table, { ...checked.check, decisions: [] }, context);
  const { askMapping } = await import('./dialog/dialog.ts');
  const again = (answered: GivenMapping) => checkTable(table, answered, context);
  const decided = await askMapping({ table, given, check: checked.check }, again, options, context);
  return decided && { options, table, ...decided, isReviewed: true };
}

/** Checks every row, and shows the progress. */
async function checkTable(
  table: Table,
  given: GivenMapping,
  context: Context,
): Promise<Pick<CheckedImport, 'check' | 'rows'>> {
  const { lookup } = given.mapping;
  const rows = new CheckedRows();
  const check = await beforeSending(async (progress) => {
    const pass = checkRows(table, given, lookup && (await loadLookup(lookup)));
    let next = await pass.next();
    for (; !next.done; next = await pass.next()) {
      for (const row of next.value) rows.add(row);
      progress.update(() => `checking ${table.name}: ${countOf(rows.total, 'row')}`);
    }
    return next.value;
  }, context);
  return { check, rows };
}

const ADDRESSES =
  'every user ID is an email address. If your service has its own IDs, look them up in a second list: --lookup <file>:<column>=<column>';

function warnAbout({ name, besideList }: Table, { decisions }: ListCheck, { output }: Context): void {
  if (besideList.length > 0) output.warn(`${name}: next to the list: ${besideList.join(', ')}`);
  if (decisions.some(({ kind }) => kind === 'addresses')) output.warn(`${name}: ${ADDRESSES}`);
}

/** Returns what an import needs of a list that was checked. */
export async function pendingImport(
  { options, table, check, rows, isReviewed }: CheckedImport,
  context: Pick<Context, 'settings'>,
): Promise<PendingImport> {
  const { wire } = await context.settings();
  const { name, path, digest, position } = table;
  return {
    options,
    list: { name, path, digest },
    position,
    digest: runDigest(rows.digest, wire.member.deviceMgmtLabelId),
    rows,
    read: listRead({ table, check }),
    isReviewed,
  };
}

/** Returns the files that a command names next to the lists. */
export function filesInUse(
  { flags }: Pick<Context, 'flags'>,
  { mapping }: Pick<ImportOptions, 'mapping'> = {},
): FileInUse[] {
  return [
    [mapping, 'the file of --mapping'],
    [flags.keyFile, 'the file of --key-file'],
    [flags.caCert, 'the file of --ca-cert'],
  ];
}

/** Reports a missing key or base URL, and removes expired runs. */
async function prepareImport(context: Context): Promise<void> {
  await context.service();
  await removeExpiredRuns(stateSubdirectory(context.host, 'runs'), context.host.clock.now());
}
