import { stateSubdirectory } from '../../config/private-file.ts';
import type { RunPlan } from '../../import/journal/plan-run.ts';
import { removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import type { ListOptions } from '../../import/mapping.ts';
import type { Progress } from '../../output/progress.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { beforeSending } from './before-sending.ts';
import type { ImportOptions } from './import-options.ts';
import { runDigest } from './mapping/mapping-identity.ts';
import type { MappedList } from './mapping/mapping-in-effect.ts';
import type { ListMapping } from './mapping/mapping-schema.ts';

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport extends MappedList {
  options: ImportOptions;
  /** Identifies what the run of the list sends: 64 hex digits. */
  digest: string;
  /** What the user has confirmed already: to continue an unfinished run. */
  accepted?: RunPlan;
}

/** Reports a missing key or base URL before the list is read, and removes expired runs. */
export async function prepareImport(context: Context): Promise<void> {
  await context.service();
  await removeExpiredRuns(stateSubdirectory(context.host, 'runs'), context.host.clock.now());
}

/** @param file the list as the user named it; `-` for standard input */
export function openListFile(file: string, options: ListOptions, { host }: Context): Promise<MemberList> {
  return openList({ path: file, stdin: host.stdin }, options);
}

/** Validates every row, and shows the progress. */
export function validateList(list: MemberList, context: Context): Promise<ListValidation> {
  const show = (progress: Progress) => (rows: number) =>
    progress.update(() => `validating ${list.name}: ${countOf(rows, 'row')}`);
  return beforeSending((progress) => list.validate(show(progress)), context);
}

/** Returns what identifies the run of a list: 64 hex digits. */
export async function digestOfImport(
  list: MemberList,
  mapping: ListMapping,
  { invalid }: Pick<ImportOptions, 'invalid'>,
  context: Context,
): Promise<string> {
  const { wire } = await context.settings();
  return runDigest(list.digest, { mapping, invalid, labelName: wire.member.deviceMgmtLabelId });
}
