import { stateSubdirectory } from '../../../config/directories.ts';
import { listRuns, type RunDetails, readRecordedRun } from '../../../import/journal/recorded-runs.ts';
import { belongsToKey, isSameService, shortRunId } from '../../../import/journal/run-identity.ts';
import type { MemberList } from '../../../import/list/open-list.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { promptChoice } from '../../../output/prompt.ts';
import { OrgadmError } from '../../../util/errors.ts';
import { formatTime } from '../../../util/units.ts';
import { type Context, promptTerminal } from '../../command-context.ts';
import type { CheckedImport } from '../checked-list.ts';
import { continueQuestion, describeProgress, describeSource } from '../describe-run.ts';
import type { ImportOptions } from '../import-options.ts';
import { importTarget } from '../import-target.ts';
import { withPendingPeople } from '../pending-people.ts';
import { parseRecordedCommand } from '../recorded-command.ts';
import { readsAlike, runDigest } from './mapping-identity.ts';
import { confirmedLines, type MappedList } from './mapping-in-effect.ts';
import { mergeMappings } from './merge-mappings.ts';

/**
 * Offers to continue an unfinished run of the same list into the same service with its mapping, so that nobody has to answer the
 * questions about the columns again.
 *
 * @param given the mapping of the command line, which the run's mapping must not contradict
 * @param open opens the list with another mapping
 * @returns the list with that mapping; undefined if there is no such run, and if the user wants to answer the questions
 */
export async function offerEarlierMapping(
  given: Mapping,
  options: ImportOptions,
  open: (mapping: Mapping) => Promise<MemberList>,
  context: Context,
): Promise<CheckedImport | undefined> {
  const { invalid, restart, dryRun } = options;
  if (restart || dryRun) return undefined;
  const { labelName, runs } = await findUnfinishedRuns(context);
  for (const run of runs) {
    const command = parseRecordedCommand(run.command);
    if (command === undefined || command.invalid !== invalid) continue;
    const { mapping } = command;
    if (!readsAlike(mergeMappings(mapping, given), mapping)) continue;
    const mapped = await readWith(
      mapping,
      open,
      (list) => runDigest(list.digest, { mapping, invalid, labelName }) === run.digest,
    );
    if (mapped === undefined) continue;
    const checked = { ...mapped, options, digest: run.digest };
    const isAccepted = await wantsToContinue(run, checked, context);
    return isAccepted ? { ...checked, accepted: { kind: 'continue', run } } : undefined;
  }
  return undefined;
}

/** Returns the unfinished runs into the present service with the present key, newest first. */
async function findUnfinishedRuns(context: Context): Promise<{ labelName: string; runs: RunDetails[] }> {
  const settings = await context.settings();
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const root = stateSubdirectory(context.host, 'runs');
  const unfinished = (await listRuns(root)).flatMap(({ status, details }) =>
    status === 'unfinished' && details !== undefined ? [details] : [],
  );
  if (unfinished.length === 0) return { labelName, runs: [] };
  const { service, apiKey } = await importTarget(context);
  const runs = unfinished.filter((run) => isSameService(run.service, service) && belongsToKey(run, apiKey));
  return { labelName, runs };
}

/** Returns undefined for another list, and if the mapping does not fit it. */
async function readWith(
  mapping: Mapping,
  open: (mapping: Mapping) => Promise<MemberList>,
  isSame: (list: MemberList) => boolean,
): Promise<MappedList | undefined> {
  try {
    const list = await open(mapping);
    return isSame(list) ? { list, check: await list.validate() } : undefined;
  } catch (error) {
    if (error instanceof OrgadmError) return undefined;
    throw error;
  }
}

/** Shows the mapping and the totals of what is left, and asks. This is also the confirmation of the import. */
async function wantsToContinue(run: RunDetails, checked: CheckedImport, context: Context): Promise<boolean> {
  const { output } = context;
  const target = await importTarget(context);
  output.note(
    `Run ${shortRunId(run.id)} of ${formatTime(run.startedAtMs)} UTC has not finished this list: ${describeProgress(run)}`,
  );
  const recorded = await readRecordedRun(stateSubdirectory(context.host, 'runs'), run.id);
  const pending = await withPendingPeople(checked, { kind: 'continue', run }, recorded?.state);
  for (const line of confirmedLines(pending)) output.note(line);
  const [same, other] = ['same', 'other'];
  const choices = [
    { value: same, label: 'Yes, with this mapping' },
    { value: other, label: 'No, say what the columns mean, and start a new run' },
  ];
  const question = continueQuestion(run, describeSource(checked), target.name, checked.options.limit);
  return (await promptChoice(question, choices, promptTerminal('nothing was sent', context))) === same;
}
