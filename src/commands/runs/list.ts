import { basename } from 'node:path';
import { listRuns, removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import { ROW_STATES } from '../../import/outcome.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { style, text } from '../../output/text.ts';
import { formatTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { runsCommand } from '../import/describe-run.ts';
import { renderCounts } from '../import/report/summary.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { describeRun, isSandboxService, type RunDescription, runsDirectory } from './recorded-run.ts';

const HELP: HelpText = {
  examples: [
    'orgadm runs list',
    'orgadm runs list --jq \'.[] | select(.state == "unfinished") | .command // empty\' -r',
  ],
  notes: [
    {
      heading: 'States',
      items: {
        running: 'a process is working on it',
        unfinished: 'rows are unsent or unknown; runs resume continues it',
        superseded: 'unfinished, but a later run has sent the list',
        finished: 'every row has a final state; runs show prints the report',
        damaged: 'orgadm cannot read its journal',
      },
    },
    'runs list and the next import remove runs whose last request was more than 30 days ago, with their rows.',
    'JSON output: an array of runs, with "id", "state", "list", "summary", and "command", among others.',
  ],
};

/** Registers `runs list`. */
export default function registerRunsList(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.description('List the import runs and the commands that continue them.').action(() => printRuns(context()));
}

async function printRuns(context: Context): Promise<void> {
  const root = runsDirectory(context);
  await removeExpiredRuns(root, context.host.clock.now());
  const runs = (await listRuns(root)).map(describeRun);
  const { csv } = listOf(
    runs.map((run) => ({ ...run, ...run.summary })),
    CSV_COLUMNS,
  );
  await printRecords({ ...listOf(runs, []), csv, people: () => runBlocks(runs) }, context.output);
}

const CSV_COLUMNS = [
  ...(['id', 'state', 'startedAt', 'lastActiveAt', 'list', 'path', 'service'] as const),
  ...(['total', ...ROW_STATES, 'command', 'error'] as const),
];

const STYLES = {
  running: style.strong,
  unfinished: style.warn,
  superseded: style.dim,
  finished: style.ok,
  damaged: style.error,
} as const;

function runBlocks(runs: readonly RunDescription[]): Block[] {
  if (runs.length === 0) return [{ notice: text`no runs` }];
  const columns = ['id', 'started', 'state', 'list', 'rows', 'service'];
  const rows = runs.map((run) => [
    shortRunId(run.id),
    run.startedAt === null ? '' : formatTime(Date.parse(run.startedAt)),
    STYLES[run.state](run.state),
    run.list === null ? '' : basename(run.list),
    run.summary === null ? '' : renderCounts(run.summary),
    isSandboxService(run.service) ? 'sandbox' : (run.service ?? ''),
  ]);
  return [
    { columns, rows },
    // Below the table, which a path in one of them would widen beyond the terminal.
    ...runs.flatMap(({ id, error }) => (error === null ? [] : [text`cannot read run ${shortRunId(id)}: ${error}`])),
    ...runs
      .filter(({ state }) => state === 'unfinished')
      .map(({ id }) => text`To continue: ${runsCommand('resume', id)}`),
    ...(runs.some(({ state }) => state === 'finished')
      ? [{ notice: text`To print the report of a run: orgadm runs show <id>` }]
      : []),
  ];
}
