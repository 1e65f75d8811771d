import { isUnfinished, listRuns, type RunDetails, type RunStatus } from '../../import/journal/recorded-runs.ts';
import { openRunRows } from '../../import/journal/rows.ts';
import { isSameService, shortRunId } from '../../import/journal/run-identity.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { formatTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { identifierParser } from '../identifier.ts';
import { filesInUse } from '../import/checked-list.ts';
import type { StopReason } from '../import/report/document.ts';
import { checkErrorsPath } from '../import/report/errors-file.ts';
import { reportRun } from '../import/report/report-run.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { isSandboxService, readNamedRun, runsDirectory, serviceName } from './recorded-run.ts';

const HELP: HelpText = {
  examples: [
    'orgadm runs show',
    'orgadm runs show 3f9a2c0d',
    'orgadm runs show 3f9a2c0d --errors-file rejected.csv',
    'orgadm runs show 3f9a2c0d --all-rows -o csv',
  ],
  notes: [
    'Without an ID, orgadm shows the latest run into the service of your settings. It prints the same report as people ' +
      'bulk-add from the rows that the run has stored, and sends nothing.',
    'JSON output: the report of people bulk-add.',
  ],
};

interface ShowFlags {
  allRows?: boolean;
  errorsFile?: string;
}

/** Registers `runs show`. */
export default function registerRunsShow(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .argument(
      '[id]',
      'ID of the run, or its first characters (default: the latest one)',
      identifierParser('the run ID'),
    )
    .option('--errors-file <file>', 'save the rows to fix: failed or invalid ones, and any that make the service fail')
    .option('--all-rows', 'list every row: created ones with their member IDs, and existing ones')
    .action((id: string | undefined, flags: ShowFlags) => showRun(id, flags, context()));
}

async function showRun(named: string | undefined, flags: ShowFlags, context: Context): Promise<void> {
  const { allRows = false, errorsFile } = flags;
  const root = runsDirectory(context);
  const { id, details, state, status } = await readNamedRun(root, named ?? (await latestRun(root, context)), allRows);
  const { list, path, position, service } = details;
  const started = formatTime(details.startedAtMs);
  context.output.note(text`Run ${shortRunId(id)}: ${list} into ${serviceName(service)}, started ${started}, ${status}`);
  if (errorsFile !== undefined) await checkErrorsPath(errorsFile, [[path, 'the list itself'], ...filesInUse(context)]);
  const failure = await reportRun(
    {
      run: state,
      rows: await openRunRows(root, details),
      position,
      allRows,
      ending: { kind: 'recorded', stopped: recordedStop(details, status), canContinue: status === 'unfinished' },
      journaled: { id, continued: true },
      isSandbox: isSandboxService(service),
      options: { errorsFile },
    },
    context,
  );
  if (failure !== undefined) throw failure;
}

/**
 * Returns the ID of the latest run into the service of the settings.
 *
 * @throws UsageError if they name no service; OrgadmError (exit code 5) if there is no such run
 */
async function latestRun(root: string, context: Context): Promise<string> {
  const { sandbox, baseUrl } = await context.settings();
  const service = sandbox?.stateFile ?? baseUrl;
  if (service === undefined)
    throw new UsageError('your settings name no service, so orgadm cannot tell which run you mean', NAME_ONE);
  const run = (await listRuns(root)).find(({ details }) => details && isSameService(details.service, service));
  if (run !== undefined) return run.id;
  throw new OrgadmError('run-not-found', EXIT.notFound, `there is no run into ${serviceName(service)}`, {
    hint: 'List the runs into all services: orgadm runs list',
  });
}

const NAME_ONE = 'List the runs with orgadm runs list, then name one: orgadm runs show <id>';

function recordedStop(details: RunDetails, status: RunStatus): StopReason | null {
  if (status === 'running') return { code: 'running', message: 'a process is working on it' };
  if (details.closed !== undefined) return details.closed.stopped ?? null;
  return isUnfinished(details) ? { code: 'interrupted', message: 'its process ended before the run did' } : null;
}
