import type { Command } from 'commander';
import { shortRunId } from '../../import/journal/open-run.ts';
import {
  listRuns,
  type RecordedRun,
  readRecordedRun,
  removeRun,
  resolveRunId,
} from '../../import/journal/recorded-runs.ts';
import { renderCounts } from '../../import/report.ts';
import { listOf, printNotice } from '../../output/print-records.ts';
import { confirmChange } from '../../output/prompt.ts';
import { text } from '../../output/text.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { LockHeldError } from '../../util/file-lock.ts';
import { countOf, formatCount, parseAge } from '../../util/units.ts';
import { type Context, canPrompt } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import { runsDirectory } from '../people/import-options.ts';
import { JOURNAL_OPTION } from './recorded-run.ts';

const HELP = `
<id> can be the first digits of an ID. You cannot continue an unfinished run after
you remove it. On a terminal, orgadm asks for confirmation; elsewhere, pass --yes.
orgadm does not remove a run that is still running. The next import into the
service still waits until all requests of the run must be over.

--finished and --older-than together remove the finished runs of that age. The age
counts from the end of the run, or from its last request.

Examples:
  $ orgadm runs remove 3f9a2c0d
  $ orgadm runs remove --finished
  $ orgadm runs remove --older-than 12h --yes

JSON output: {"removed"}, an array of {"id","list","state"}.
`;

interface RemoveFlags {
  finished?: boolean;
  olderThan?: string;
  yes?: boolean;
  journal?: string;
}

/** Registers `runs remove`. */
export function registerRunsRemove(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Remove import runs from the journal directory.')
    .argument('[id...]', 'IDs of the runs, or their first digits')
    .option('--finished', 'remove all finished runs')
    .option('--older-than <duration>', 'remove the runs of at least this age, such as 12h or 30d')
    .option('--yes', 'remove unfinished runs without asking')
    .option(...JOURNAL_OPTION)
    .action((ids: string[], flags: RemoveFlags) => removeRuns(ids, flags, context()));
}

async function removeRuns(ids: readonly string[], flags: RemoveFlags, context: Context): Promise<void> {
  const { output } = context;
  const root = runsDirectory(flags.journal, context);
  const chosen = await chooseRuns(root, ids, flags, context);
  await confirmUnfinished(chosen, flags, context);
  const removed: RecordedRun[] = [];
  for (const run of chosen) {
    // A run that has changed since it was chosen is kept.
    const isSame = (now: RecordedRun | undefined) =>
      now?.status === run.status && now.details?.state.lastActiveMs === run.details?.state.lastActiveMs;
    try {
      if (await removeRun(root, run.id, isSame)) removed.push(run);
      else output.warn(`kept run ${shortRunId(run.id)}, because another process continued it`);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      output.warn(`kept run ${shortRunId(run.id)}, because another process has locked it`);
    }
  }
  if (removed.length < chosen.length) context.exitCode = EXIT.incomplete;
  await printRemoved(removed, context);
}

async function chooseRuns(
  root: string,
  ids: readonly string[],
  { finished, olderThan }: RemoveFlags,
  { host, output }: Context,
): Promise<RecordedRun[]> {
  if (ids.length > 0) {
    if (finished || olderThan !== undefined)
      throw new UsageError('run IDs cannot be combined with --finished and --older-than');
    return chooseNamed(root, ids);
  }
  if (!finished && olderThan === undefined) {
    throw new UsageError(
      'name the runs to remove',
      'Pass their IDs (orgadm runs list shows them), or use --finished or --older-than.',
    );
  }
  const newest = olderThan === undefined ? undefined : host.clock.now() - parseAge(olderThan, '--older-than');
  const matching = (await listRuns(root)).runs.filter(
    ({ status, details }) =>
      (!finished || status === 'finished') &&
      (newest === undefined || (details !== undefined && details.state.lastActiveMs <= newest)),
  );
  return matching.filter(({ id, status }) => {
    if (status === 'running') output.note(`kept run ${shortRunId(id)}, because it is still running`);
    return status !== 'running';
  });
}

async function chooseNamed(root: string, ids: readonly string[]): Promise<RecordedRun[]> {
  const chosen = new Map<string, RecordedRun>();
  for (const named of ids) {
    const id = await resolveRunId(root, named);
    const run = await readRecordedRun(root, id);
    if (run?.status === 'running') {
      throw new UsageError(
        `cannot remove run ${shortRunId(id)}, because it is still running`,
        'Nothing was removed. Wait until its process ends, or stop it.',
        'in-use',
      );
    }
    chosen.set(id, run ?? { id, status: 'damaged', details: undefined, error: 'it has no journal' });
  }
  return [...chosen.values()];
}

/** Asks before it removes unfinished and damaged runs. */
async function confirmUnfinished(runs: readonly RecordedRun[], { yes }: RemoveFlags, context: Context): Promise<void> {
  const unfinished = runs.filter(({ status }) => status !== 'finished');
  const [first] = unfinished;
  if (first === undefined || yes) return;
  const { id, details, error } = first;
  const what =
    unfinished.length > 1
      ? `${formatCount(unfinished.length)} of the runs are not finished`
      : details === undefined
        ? `run ${shortRunId(id)} is damaged: ${error}`
        : `run ${shortRunId(id)} of ${details.list} is not finished (${renderCounts({ total: details.total, ...details.counts })})`;
  const hint = 'Nothing was removed. To remove unfinished runs, pass --yes. You cannot continue them afterwards.';
  if (!canPrompt(hint, context)) throw new UsageError(what, hint, 'unfinished-run');
  await confirmChange(`${what}. Remove it for good?`, 'nothing was removed', context.host);
}

async function printRemoved(removed: readonly RecordedRun[], { output }: Context): Promise<void> {
  const runs = removed.map(({ id, status, details }) => ({ id, list: details?.list ?? null, state: status }));
  const notice = runs.length === 0 ? text`no run was removed` : text`removed ${countOf(runs.length, 'run')}`;
  const views = { ...listOf(runs, ['id', 'list', 'state']), json: () => ({ removed: runs }) };
  await printNotice(views, notice, output);
}
