import { existsSync } from 'node:fs';
import { stateSubdirectory } from '../../config/directories.ts';
import type { RunDetails } from '../../import/journal/recorded-runs.ts';
import { isSameService, shortRunId } from '../../import/journal/run-identity.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { identifierParser } from '../identifier.ts';
import { checkImport } from '../import/checked-list.ts';
import { runImport } from '../import/import.ts';
import type { ImportOptions } from '../import/import-options.ts';
import { importTarget } from '../import/import-target.ts';
import type { RecordedCommand } from '../import/recorded-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { flagsOfRun, readNamedRun, serviceName } from './recorded-run.ts';

const HELP: HelpText = {
  examples: [
    'orgadm runs list',
    'orgadm runs resume 3f9a2c0d',
    'orgadm runs resume 3f9a2c0d --errors-file rejected.csv',
  ],
  notes: [
    'The journal records the list, the options, and the service. ' +
      'orgadm never resends a row that has a final state. If the run is finished, it prints the report again.',
    'JSON output: the report of people bulk-add.',
    'The exit codes are the same as for people bulk-add. orgadm exits 2 if the list has changed. ' +
      'It also exits 2 if the list came from standard input: pipe it into the same command instead.',
  ],
};

type ResumeFlags = Pick<ImportOptions, 'errorsFile' | 'allRows' | 'ignoreExisting' | 'yes'>;

/** Registers `runs resume`. */
export default function registerRunsResume(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .argument('<id>', 'ID of the run, or its first characters', identifierParser('the run ID'))
    .option('--errors-file <file>', 'save the rows to fix: failed or invalid ones, and any that make the service fail')
    .option('--all-rows', 'list every row in the report: created ones with their member IDs, and existing ones')
    .option('--ignore-existing', 'exit 0 even if people are already members')
    .option('--yes', 'continue without asking for confirmation')
    .action((id: string, flags: ResumeFlags) => resumeRun(id, flags, context()));
}

async function resumeRun(named: string, flags: ResumeFlags, context: Context): Promise<void> {
  const { details, command, path } = await readResumable(stateSubdirectory(context.host, 'runs'), named);
  if (!existsSync(path)) throw new UsageError(`the list of this run is missing: ${path}`, MOVED_LIST);
  context.override(flagsOfRun(details, command, context.flags));
  await checkSameService(details, command, context);
  const { mapping, invalid, batchSize, concurrency, requestLifetime, ignoreExisting } = command;
  const recorded = { invalid, batchSize, concurrency, requestLifetime, ignoreExisting };
  const checked = await checkImport(path, mapping, { ...recorded, ...flags }, context, details.digest);
  // Another version of orgadm may decide less.
  const { undecided } = checked.check;
  if (undecided !== undefined) throw new UsageError(undecided.message, RUN_AGAIN, 'bad-columns');
  await runImport(checked, context, details.id);
}

/** @throws UsageError for a run that cannot be continued, with the command to use instead */
async function readResumable(
  root: string,
  named: string,
): Promise<{ details: RunDetails; command: RecordedCommand; path: string }> {
  const { id, details, command } = await readNamedRun(root, named);
  if (command !== undefined && details.path !== undefined) return { details, command, path: details.path };
  const [reason, again] =
    command === undefined
      ? [`the journal of run ${shortRunId(id)} does not say how the run was started`, 'Run']
      : [`the list of run ${shortRunId(id)} came from standard input`, 'Pipe the same list into'];
  throw new UsageError(
    reason,
    `Nothing was sent. ${again} the command that started the run, without --restart or --limit.`,
  );
}

/** @throws UsageError if the settings name another service than that of the run */
async function checkSameService(
  { service }: RunDetails,
  { profile }: RecordedCommand,
  context: Context,
): Promise<void> {
  const present = await importTarget(context);
  if (isSameService(present.service, service)) return;
  const { baseUrlFrom } = await context.settings();
  const from = baseUrlFrom?.kind === 'profile' && baseUrlFrom.name === profile ? ` (profile ${profile})` : '';
  throw new UsageError(
    `this run was sent to ${serviceName(service)}, but the service is now ${serviceName(present.service)}${from}`,
    'Nothing was sent. Restore the base URL to continue the run.',
  );
}

const MOVED_LIST =
  'Nothing was sent. Restore the list, or run the command that started the run with its new path, without --restart or --limit.';

const RUN_AGAIN = 'Nothing was sent. Run the command that started the run, without --restart or --limit.';
