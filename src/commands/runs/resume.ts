import { listRuns, type RunDetails } from '../../import/journal/recorded-runs.ts';
import { belongsToKey, isSameService, shortRunId } from '../../import/journal/run-identity.ts';
import { quote } from '../../output/sanitize.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { formatTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { identifierParser } from '../identifier.ts';
import { filesInUse, type PendingImport } from '../import/checked-list.ts';
import { describeRemaining, runsCommand } from '../import/describe-run.ts';
import { runImport } from '../import/import.ts';
import type { ImportOptions } from '../import/import-options.ts';
import { importTarget } from '../import/import-target.ts';
import { checkErrorsPath } from '../import/report/errors-file.ts';
import { addSendingOptions, limitOption } from '../import/sending-options.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { hasListChanged, isSandboxService, readNamedRun, runsDirectory, serviceName } from './recorded-run.ts';

const HELP: HelpText = {
  examples: [
    'orgadm runs resume',
    'orgadm runs resume 3f9a2c0d',
    'orgadm runs resume 3f9a2c0d --errors-file rejected.csv',
  ],
  notes: [
    'orgadm sends the rows that the run has stored, so you do not need the list. Without an ID, orgadm continues the only ' +
      'unfinished run into the service of your settings. It never resends a row that has a final state. If the run is ' +
      'finished, it prints the report again.',
    'The run continues with the options and settings of this command, not with the original ones.',
    'JSON output: the report of people bulk-add.',
    'The exit codes are the same as for people bulk-add.',
  ],
};

type ResumeFlags = Omit<ImportOptions, 'invalid' | 'dryRun' | 'restart' | 'mapping'>;

/** Registers `runs resume`. */
export default function registerRunsResume(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.argument(
    '[id]',
    'ID of the run, or its first characters (default: the only unfinished one)',
    identifierParser('the run ID'),
  );
  addSendingOptions(command)
    .addOption(limitOption())
    .option('--errors-file <file>', 'save the rows to fix: failed or invalid ones, and any that make the service fail')
    .option('--all-rows', 'list every row in the report: created ones with their member IDs, and existing ones')
    .option('--ignore-existing', 'exit 0 even if people are already members')
    .option('--yes', 'continue without asking for confirmation')
    .action((id: string | undefined, flags: ResumeFlags) => resumeRun(id, flags, context()));
}

async function resumeRun(named: string | undefined, flags: ResumeFlags, context: Context): Promise<void> {
  const details = named === undefined ? await findRun(context) : await readRun(named, context);
  const { errorsFile } = flags;
  const { id, list, path, file, position, digest } = details;
  if (errorsFile !== undefined) await checkErrorsPath(errorsFile, [[path, 'the list itself'], ...filesInUse(context)]);
  const pending: PendingImport = {
    options: { ...flags, invalid: 'skip' },
    list: { name: list, path, digest: file },
    position,
    digest,
    rows: undefined,
    read: undefined,
  };
  await runImport(pending, context, id);
}

/** Returns the only unfinished run into the service of the settings with their key. */
async function findRun(context: Context): Promise<RunDetails> {
  const { service, apiKey, name } = await importTarget(context);
  const found = (await listRuns(runsDirectory(context))).flatMap(({ status, details }) =>
    status === 'unfinished' && details && isSameService(details.service, service) && belongsToKey(details, apiKey)
      ? [details]
      : [],
  );
  const [run] = found;
  if (run === undefined)
    throw new OrgadmError('run-not-found', EXIT.notFound, `there is no unfinished run into ${name} with this key`, {
      hint: 'List all runs: orgadm runs list',
    });
  if (found.length > 1) {
    const runs = found.map((each) => `\n${describe(each)}`).join('');
    throw new UsageError(`${found.length} runs into ${name} are unfinished:${runs}`, NAME_ONE);
  }
  if (await hasListChanged(run))
    throw new UsageError(
      `${run.list} has changed since run ${shortRunId(run.id)} started`,
      `To send the rows that the run has stored: ${runsCommand('resume', run.id)}. To import the list as it is now, run people bulk-add.`,
    );
  return run;
}

const NAME_ONE = 'Name one of them: orgadm runs resume <id>';

function describe(run: RunDetails): string {
  const started = `started ${formatTime(run.startedAtMs)}`;
  return `${shortRunId(run.id)}  ${quote(run.list)}, ${started}, ${describeRemaining(run)}`;
}

/** Returns the run that the user has named, and says if its list has changed. */
async function readRun(named: string, context: Context): Promise<RunDetails> {
  const { details } = await readNamedRun(runsDirectory(context), named);
  const { flags, output } = context;
  const { sandbox, baseUrl } = await context.settings();
  const namesService = flags.baseUrl !== undefined || flags.profile !== undefined;
  // The ID names the service if nothing else does.
  if (isSandboxService(details.service) && !namesService) context.override({ sandbox: true });
  else if (sandbox === undefined && baseUrl === undefined) context.override({ baseUrl: details.service });
  const present = await importTarget(context);
  if (!isSameService(present.service, details.service))
    throw new UsageError(
      `run ${shortRunId(details.id)} was sent to ${serviceName(details.service)}, but the service is now ${serviceName(present.service)}`,
      'Nothing was sent. Name the service of the run with --profile or --base-url.',
    );
  if (await hasListChanged(details))
    output.note(
      text`${details.list} has changed since the run started. orgadm sends the rows that the run has stored.`,
    );
  return details;
}
