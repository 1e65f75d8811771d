import { stateSubdirectory } from '../../config/directories.ts';
import type { RunPlan } from '../../import/journal/plan-run.ts';
import { removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { type MemberList, openList, type Validation } from '../../import/list/open-list.ts';
import type { Mapping } from '../../import/mapping.ts';
import type { Progress } from '../../output/progress.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { beforeSending } from './before-sending.ts';
import type { ImportOptions } from './import-options.ts';
import { runDigest } from './mapping/mapping-identity.ts';
import type { MappedList } from './mapping/mapping-in-effect.ts';
import { checkErrorsPath, type FileInUse } from './report/errors-file.ts';

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport extends MappedList {
  options: ImportOptions;
  /** Identifies what the run of the list sends: 64 hex digits. */
  digest: string;
  /** What the user has confirmed already: to continue an unfinished run. */
  accepted?: RunPlan;
}

/**
 * Opens a list and validates every row of it. Does not decide what its options leave open: see `check.undecided`. If it is to be
 * imported, reports a missing key or base URL before it reads the list.
 *
 * @param file the list as the user named it; `-` for standard input
 * @param recordedDigest the digest of the run that the list must belong to
 * @throws UsageError for a list that cannot be read at all or has changed since the run, and for an errors file that cannot be
 *   written
 */
export async function checkImport(
  file: string,
  mapping: Mapping,
  options: ImportOptions,
  context: Context,
  recordedDigest?: string,
): Promise<CheckedImport> {
  if (!options.dryRun) await prepareImport(context);
  return checkList(await openListFile(file, mapping, context), options, context, recordedDigest);
}

/** Validates every row of an open list. Throws as `checkImport` does. */
export async function checkList(
  list: MemberList,
  options: ImportOptions,
  context: Context,
  recordedDigest?: string,
): Promise<CheckedImport> {
  const digest = await digestOfImport(list, options, context);
  if (recordedDigest !== undefined && digest !== recordedDigest) throw changedList(list);
  if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list, filesInUse(context, options));
  return { options, digest, list, check: await validateList(list, context) };
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

/** Returns the error for a list that is not the one that the run has sent. */
function changedList({ name }: MemberList): UsageError {
  return new UsageError(
    `${name} has changed since the run started`,
    'Nothing was sent. Restore the list to continue the run. To import it as it is now, run the command that started the run.',
  );
}

/** @param file the list as the user named it; `-` for standard input */
export function openListFile(file: string, mapping: Mapping, { host }: Context): Promise<MemberList> {
  return openList({ path: file, stdin: host.stdin }, mapping);
}

/** Validates every row, and shows the progress. */
export function validateList(list: MemberList, context: Context): Promise<Validation> {
  const show = (progress: Progress) => (rows: number) =>
    progress.update(() => `validating ${list.name}: ${countOf(rows, 'row')}`);
  return beforeSending((progress) => list.validate(show(progress)), context);
}

/** Returns what identifies the run of a list: 64 hex digits. */
async function digestOfImport(
  { digest, mapping }: MemberList,
  { invalid }: Pick<ImportOptions, 'invalid'>,
  context: Context,
): Promise<string> {
  const { wire } = await context.settings();
  return runDigest(digest, { mapping, invalid, labelName: wire.member.deviceMgmtLabelId });
}
