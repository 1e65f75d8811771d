import type { Command } from 'commander';
import type { GlobalFlags } from '../../config/settings.ts';
import { shortRunId } from '../../import/journal/open-run.ts';
import { type RunDetails, readRecordedRun, resolveRunId } from '../../import/journal/recorded-runs.ts';
import { normalizeService } from '../../import/journal/run-identity.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import type { BulkAddOptions, CheckedImport } from '../people/bulk-options.ts';
import { readCheckedList } from '../people/checked-list.ts';
import { listOptionsFrom } from '../people/list-mapping.ts';
import { parseRecordedCommand, type RecordedCommand } from '../people/recorded-command.ts';
import { runDigest, runImport, runsDirectory } from '../people/run-import.ts';
import { JOURNAL_OPTION, serviceName } from './list.ts';

const HELP = `
<id> can be the first digits of an ID. The journal records the list, the options,
and the service. orgadm never resends a row that has a final state. If the run is
finished, it prints the report again.

Examples:
  $ orgadm runs list
  $ orgadm runs resume 3f9a2c0d
  $ orgadm runs resume 3f9a2c0d --errors-file rejected.csv

JSON output: the same as for people bulk-add.

The exit codes are those of people bulk-add. orgadm exits 2 if the list has changed
or came from standard input. If it came from standard input, pipe it into the same
command again with --resume.
`;

interface ResumeFlags {
  errorsFile?: string;
  allRows?: boolean;
  annotate?: boolean;
  retryFailed?: boolean;
  acceptNewKey?: boolean;
  yes?: boolean;
  journal?: string;
}

/** Registers `runs resume`. */
export function registerRunsResume(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Continue an unfinished import run.')
    .argument('<id>', 'ID of the run, or its first digits')
    .option('--errors-file <file>', 'write the failed and invalid rows to this file, to fix and import again')
    .option('--all-rows', 'include created rows in the report, with their member IDs')
    .option('--annotate', 'print a GitHub annotation for each row that was not added')
    .option('--retry-failed', 'send the failed rows of a finished run again')
    .option('--accept-new-key', 'accept a new API key of the same organization')
    .option('--yes', 'continue without asking for confirmation')
    .option(...JOURNAL_OPTION)
    .action((id: string, flags: ResumeFlags) => resumeRun(id, flags, context()));
}

async function resumeRun(named: string, flags: ResumeFlags, context: Context): Promise<void> {
  const root = runsDirectory(flags.journal, context);
  const id = await resolveRunId(root, named);
  const { details, command, path } = await readResumable(root, id);
  context.override(flagsOfRun(details, command, context.flags));
  await checkService(details, command, context);
  const checked = await readCheckedList(path, optionsOf(command, flags), context);
  checkUnchanged(checked, details);
  await runImport(checked, context);
}

/** @throws OrgadmError for a run that cannot be continued, with the command to use instead */
async function readResumable(
  root: string,
  id: string,
): Promise<{ details: RunDetails; command: RecordedCommand; path: string }> {
  const run = await readRecordedRun(root, id);
  const command = parseRecordedCommand(run?.details?.command);
  if (run?.details === undefined || command === undefined) {
    const reason = run?.error ?? `the journal of run ${shortRunId(id)} does not say how the run was started`;
    throw new UsageError(reason, `Remove it with: orgadm runs remove ${shortRunId(id)}`, 'journal-damaged');
  }
  const { details } = run;
  if (details.path !== undefined) return { details, command, path: details.path };
  throw new UsageError(
    `the list of run ${shortRunId(id)} came from standard input`,
    `Nothing was sent. Pipe the same list into: ${command.pipedInto ?? 'orgadm people bulk-add - --resume'}`,
  );
}

/** Returns the global options of a run. Those of this command line win. */
function flagsOfRun({ service }: RunDetails, command: RecordedCommand, flags: GlobalFlags): GlobalFlags {
  const { profile, hasProfileUrl, global } = command;
  const target: GlobalFlags =
    serviceName(service) === 'sandbox'
      ? { sandbox: true }
      : { ...(profile !== undefined && { profile }), ...(!hasProfileUrl && { baseUrl: service }) };
  return { ...withoutUndefined(global), ...target, ...withoutUndefined(flags) };
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/** @throws UsageError if the settings name another service than that of the run */
async function checkService({ service }: RunDetails, { profile }: RecordedCommand, context: Context): Promise<void> {
  const settings = await context.settings();
  const present = settings.sandbox?.stateFile ?? (await context.service()).baseUrl;
  if (normalizeService(present) === normalizeService(service)) return;
  const name = settings.sandbox === undefined ? present : 'the sandbox';
  const from = settings.baseUrlFrom === `profile ${profile}` ? ` (profile ${profile})` : '';
  throw new UsageError(
    `this run was sent to ${serviceName(service)}, but the service is now ${name}${from}`,
    'Nothing was sent. Restore the base URL to continue the run.',
  );
}

function optionsOf(command: RecordedCommand, flags: ResumeFlags): BulkAddOptions {
  const { mapping, invalid, batchSize, concurrency, requestLifetimeMs, ignoreExisting } = command;
  const { errorsFile, journal, yes = false, allRows = false, annotate = false } = flags;
  const { retryFailed = false, acceptNewKey = false } = flags;
  return {
    ...{ mapping, invalid, batchSize, concurrency, requestLifetimeMs, ignoreExisting },
    ...{ errorsFile, allRows, annotate, retryFailed, acceptNewKey, yes, journal },
    list: listOptionsFrom(mapping),
    limit: undefined,
    confirm: true,
    dryRun: false,
    mode: 'resume',
    expectDigest: undefined,
  };
}

/** @throws UsageError if the list is not the one that the run has sent */
function checkUnchanged({ digest, options, list }: CheckedImport, details: RunDetails): void {
  if (runDigest(digest, options.invalid) === details.digest) return;
  throw new UsageError(
    `${list.name} has changed since the run started`,
    `Nothing was sent. Restore the list to continue the run, or import it as it is now: orgadm people bulk-add ${quoteForShell(list.name)}`,
  );
}
