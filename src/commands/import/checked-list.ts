import { stateSubdirectory } from '../../config/directories.ts';
import type { RowPosition } from '../../import/checked-row.ts';
import { removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { CheckedRows } from '../../import/journal/rows.ts';
import { runDigest } from '../../import/journal/run-identity.ts';
import { type MemberList, openList, type Validation } from '../../import/list/open-list.ts';
import type { Source } from '../../import/list/source/bytes.ts';
import type { Mapping } from '../../import/mapping.ts';
import { entriesOf } from '../../import/mapping.ts';
import type { Progress } from '../../output/progress.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { beforeSending } from './before-sending.ts';
import type { ImportOptions } from './import-options.ts';
import { type DescribedMapping, describeMapping, type MappedList, type People } from './mapping/mapping-in-effect.ts';
import { checkErrorsPath, type FileInUse } from './report/errors-file.ts';

/** A list that was read and checked, with its rows and the options of its import. */
export interface CheckedImport extends MappedList {
  options: ImportOptions;
  rows: CheckedRows;
}

/** What orgadm is about to import: a list that was checked, which is no longer in memory, or a run that the user has named. */
export interface PendingImport {
  readonly options: ImportOptions;
  readonly list: Source;
  readonly position: RowPosition;
  /** Identifies what a run of the list sends, see `runDigest`. */
  readonly digest: string;
  /** The rows; undefined for a run, which has stored them. */
  readonly rows: CheckedRows | undefined;
  /** How the list was read, and the people on it; undefined for a run. */
  readonly read: { readonly mapping: DescribedMapping; readonly people: People } | undefined;
}

/**
 * Opens a list and checks every row of it. Does not decide what its options leave open: see `check.undecided`. If it is to be
 * imported, reports a missing key or base URL before it reads the list.
 *
 * @param file the list as the user named it; `-` for standard input
 * @throws UsageError for a list that cannot be read at all, and for an errors file that cannot be written
 */
export async function checkImport(
  file: string,
  mapping: Mapping,
  options: ImportOptions,
  context: Context,
): Promise<CheckedImport> {
  if (!options.dryRun) await prepareImport(context);
  return checkList(await openListFile(file, mapping, context), options, context);
}

/** Checks every row of an open list. Throws as `checkImport` does. */
export async function checkList(list: MemberList, options: ImportOptions, context: Context): Promise<CheckedImport> {
  const lookups = entriesOf(list.mapping.lookups).map(
    ([field, { file }]) => [file, `the list of --lookup ${field}`] as const,
  );
  if (options.errorsFile !== undefined)
    await checkErrorsPath(options.errorsFile, [
      [list.path, 'the list itself'],
      ...lookups,
      ...filesInUse(context, options),
    ]);
  return { options, list, ...(await validateList(list, context)) };
}

/** Returns what an import needs of a list that was checked. */
export async function pendingImport(
  { options, list, check, rows }: CheckedImport,
  context: Pick<Context, 'settings'>,
): Promise<PendingImport> {
  const { wire } = await context.settings();
  const { name, path, digest: file } = list;
  return {
    options,
    list: { name, path, digest: file },
    position: check.position,
    digest: runDigest(rows.digest, wire.member.deviceMgmtLabelId),
    rows,
    read: { mapping: describeMapping({ list, check }), people: check },
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

/** @param file the list as the user named it; `-` for standard input */
export function openListFile(file: string, mapping: Mapping, { host }: Context): Promise<MemberList> {
  return openList({ path: file, stdin: host.stdin }, mapping);
}

/** Checks every row, and shows the progress. */
export async function validateList(
  list: MemberList,
  context: Context,
): Promise<{ check: Validation; rows: CheckedRows }> {
  const rows = new CheckedRows();
  const show = (progress: Progress) => (count: number) =>
    progress.update(() => `validating ${list.name}: ${countOf(count, 'row')}`);
  const check = await beforeSending((progress) => list.validate((row) => rows.add(row), show(progress)), context);
  return { check, rows };
}
