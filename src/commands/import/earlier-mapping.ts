import { stateSubdirectory } from '../../config/private-file.ts';
import { listRuns, type RunDetails } from '../../import/journal/recorded-runs.ts';
import { fingerprintOf, normalizeService, shortRunId } from '../../import/journal/run-identity.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { promptChoice } from '../../output/prompt.ts';
import { OrgadmError } from '../../util/errors.ts';
import { formatTime } from '../../util/units.ts';
import { type Context, promptTerminal } from '../command-context.ts';
import type { ImportOptions } from './import-options.ts';
import { readsAlike, runDigest } from './list-digest.ts';
import { type ListMapping, listOptionsFrom, mergeMappings } from './list-mapping.ts';
import { describeMapping, type MappedList, mappingLines } from './mapping-in-effect.ts';
import { parseRecordedCommand } from './recorded-command.ts';

/**
 * Offers the mapping of an unfinished run of the same list into the same service, so that nobody has to answer the questions
 * about its columns again to continue it.
 *
 * @param given the mapping of the command line, which the run's mapping must not contradict
 * @returns the list with that mapping; undefined if there is no such run, and if the user wants to answer the questions
 */
export async function offerEarlierMapping(
  list: MemberList,
  given: ListMapping,
  { invalid, restart, dryRun }: ImportOptions,
  context: Context,
): Promise<MappedList | undefined> {
  if (restart || dryRun) return undefined;
  const { labelName, runs } = await findUnfinishedRuns(context);
  for (const run of runs) {
    const command = parseRecordedCommand(run.command);
    if (command === undefined || command.invalid !== invalid) continue;
    const { mapping } = command;
    if (!readsAlike(mergeMappings(mapping, given), mapping)) continue;
    const mapped = await readWith(mapping, list);
    if (mapped === undefined) continue;
    if (runDigest(mapped.check.digest, { mapping, invalid, labelName }) === run.digest)
      return (await wantsMapping(run, mapped, context)) ? mapped : undefined;
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
  const service = normalizeService(settings.sandbox?.stateFile ?? (await context.service()).baseUrl);
  const apiKey = (await settings.readKey()) ?? '';
  const runs = unfinished.filter(
    (run) => normalizeService(run.service) === service && fingerprintOf(apiKey, run.id) === run.keyFingerprint,
  );
  return { labelName, runs };
}

/** Returns undefined if the mapping does not fit the list. */
async function readWith(mapping: ListMapping, list: MemberList): Promise<MappedList | undefined> {
  try {
    const mapped = await list.withOptions(listOptionsFrom(mapping));
    return { list: mapped, mapping, check: await mapped.validate(() => {}) };
  } catch (error) {
    if (error instanceof OrgadmError) return undefined;
    throw error;
  }
}

async function wantsMapping({ id, startedAtMs }: RunDetails, mapped: MappedList, context: Context): Promise<boolean> {
  for (const line of mappingLines(describeMapping(mapped))) context.output.note(line);
  const question = `Continue run ${shortRunId(id)} of ${formatTime(startedAtMs)} UTC with this mapping?`;
  const [same, other] = ['same', 'other'];
  const choices = [
    { value: same, label: 'Yes' },
    { value: other, label: 'No, say what the columns mean, and start a new run' },
  ];
  return (await promptChoice(question, choices, promptTerminal('nothing was sent', context))) === same;
}
