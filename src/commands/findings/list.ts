import { type Command, Option } from 'commander';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import { parseJson } from '../../client/json/parse-json.ts';
import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import type { Output, OutputFormat } from '../../output/output.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { choiceOption, setHelpText } from '../define-command.ts';
import { type FindingColumn, isKnownField, keysAt, parseColumns, requireColumns } from './finding-columns.ts';
import { type FilterFlags, FindingFilter, SEVERITIES } from './finding-filter.ts';
import { explainRejectedSelector, readSelector, type SelectorFlags, SelectorMismatch } from './finding-selector.ts';
import { printFields, printFindings, printValueCounts, ValueCounter } from './print-findings.ts';

export interface FindingsListOptions extends SelectorFlags, FilterFlags {
  columns?: string;
  sort?: string;
  wrap?: boolean;
  count?: boolean;
  groupBy?: string;
  exitStatus?: boolean;
}

const HELP = `
Exactly one selector is required. If a setting (wire.findings.<selector>) renames
the parameter of a form type or scope, any value is accepted.

A warning is printed if findings do not belong to the selector, or if no finding
has a field that shows what it belongs to: a service that does not know a
selector may ignore it and return everything.

A table shows id, severity, status, type, content and the day of creation, as
many of them as fit the terminal; --columns shows any others. --sort accepts a
field, dotted names included. severity, in any case, is sorted as blocker,
critical, high, medium or moderate, low, info or informational, status from open
to closed; a value without a rank comes after these and is named in a note.
Findings without the field come last. A column, --sort or --group-by field that
no finding has is an error.

--status, --severity and --min-severity filter the findings that arrive, in any
case; a note says how many were filtered out. A value that no finding has is a
warning with the values seen. --min-severity keeps findings whose severity is
missing or has no rank, with a warning, so that no gate passes because of them.

Exit codes: with --exit-status 7 if any finding is left, and 0 if none. It is 1
if none is left but the response says that there are more findings, and 2 for a
--status or --severity that no finding has and that is not a usual one, so that
a misspelling lets no check pass; a service whose findings have only values of
its own is trusted to have more of them. The other codes are those of every
command (orgadm help exit-codes).

Examples:
  $ orgadm findings list --task tsk_0001 --sandbox
  $ orgadm findings list --scope people_devices --sort severity --sandbox
  $ orgadm findings list --evidence-form-type penetration-test --sandbox
  $ orgadm findings list --task tsk_0001 --columns id,task.title --sandbox
  $ orgadm findings list --task tsk_0002 --columns help --sandbox
  $ orgadm findings list --scope people --output csv --sandbox > findings.csv
  $ orgadm findings list --all --count --group-by severity --sandbox
  $ orgadm findings list --all --status open --min-severity high --exit-status --sandbox
  $ orgadm findings list --all --status open -o markdown --sandbox > findings.md

JSON output: always the array of findings, without the envelope of the response.
ndjson: one finding a line, exactly as the service sent it. With --count: a
number; with --group-by an array of {"value","count"}, where value is null for
findings without the field. With --columns help: the array of field names.
`;

/** Registers `findings list` under the noun `findings`. */
export function registerFindingsList(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('List the findings of a task, an evidence submission, an evidence form type or a people-area scope.')
    .option('--task <id>', 'findings of a task')
    .option('--evidence-submission <id>', 'findings of an evidence submission')
    .addOption(choiceOption('--evidence-form-type <type>', 'findings of a form type', EVIDENCE_FORM_TYPES))
    .addOption(choiceOption('--scope <scope>', 'findings of a people-area scope', PEOPLE_SCOPES))
    .option('--all', 'no selector: whatever the service returns without one')
    .option('--status <list>', 'only findings with one of these statuses: open,needs_revision')
    .option('--severity <list>', 'only findings with one of these severities: critical,high')
    .addOption(
      choiceOption('--min-severity <level>', 'only findings at least this severe', SEVERITIES).conflicts('severity'),
    )
    .option('--columns <names>', 'fields to show, dotted names for nested ones; "help" lists those of this response')
    .option('--sort <field>', 'sort by a field, or by -field in reverse order; severity: most severe first')
    .option('--wrap', 'wrap long cells of a table instead of cutting them')
    .addOption(new Option('--count', 'print only the number of findings').conflicts(['columns', 'sort', 'wrap']))
    .option('--group-by <field>', 'with --count: print the number for each value of a field')
    .option('--exit-status', 'exit 7 if any finding is left, 0 if none')
    .action((options: FindingsListOptions) => runFindingsList(options, context()));
}

/** Lists findings in the output's format, and warns if the service seems to have ignored the selector. */
export async function runFindingsList(options: FindingsListOptions, context: Context): Promise<void> {
  const { output } = context;
  const columns = readColumns(options, output.format);
  checkOptions(options, output.format);
  const filter = new FindingFilter(options);
  const groups = options.groupBy === undefined ? undefined : new ValueCounter(options.groupBy);
  const { wire } = await context.settings();
  const selector = readSelector(options, wire.findings);
  const query = selector && { name: wire.findings[selector.kind], value: selector.value };
  const { listFindings } = await import('../../client/list-findings.ts');
  const mismatch = new SelectorMismatch(selector, wire.findings);
  const excerpt = [...mismatch.fields.flatMap(keysAt), ...filter.fields, ...(groups?.fields ?? [])];
  let isPartial = false;
  const onWarning = (text: string, isIncomplete: boolean) => {
    isPartial ||= isIncomplete;
    output.warn(text);
  };
  const listed = listFindings(await context.service(), query, { excerpt, onWarning });
  const isStreamed = output.format === 'csv' && options.sort === undefined;
  let total = 0;
  const warnings: string[] = [];
  async function* leftOver(): AsyncGenerator<readonly ListedFinding[]> {
    for await (const findings of requireColumns(listed, columns ?? [], { isStreamed })) {
      const left: ListedFinding[] = [];
      for (const run of runsOf(findings)) {
        const fields = parseJson(run[0]?.excerpt ?? '{}') as Finding;
        mismatch.add(fields, run.length);
        if (!filter.keeps(fields, run.length)) continue;
        groups?.add(fields, run.length);
        left.push(...run);
      }
      total += findings.length;
      if (left.length > 0) yield left;
    }
    warnings.push(...filter.check());
  }

  try {
    if (options.count) await printCount(leftOver(), groups, output);
    else if (options.columns === 'help') await printFields(leftOver(), output);
    else await printFindings(leftOver(), { columns, sort: options.sort, wrap: options.wrap ?? false }, output);
  } catch (error) {
    throw explainRejectedSelector(error, selector, query?.name);
  }
  if (total === 0) noteUnchecked(columns, options, output);
  if (filter.dropped > 0) {
    output.note(`${formatCount(filter.dropped)} of ${formatCount(total)} findings were filtered out`);
  }
  for (const warning of [mismatch.warning(), ...warnings]) {
    if (warning !== undefined) output.warn(warning);
  }
  const left = total - filter.dropped;
  if (options.exitStatus && left > 0) {
    output.note(`${formatCount(left)} ${left === 1 ? 'finding is' : 'findings are'} left (exit ${EXIT.checkFailed})`);
    context.exitCode = EXIT.checkFailed;
  } else if (options.exitStatus && isPartial) {
    throw new OrgadmError(
      'incomplete-list',
      EXIT.failure,
      'no finding of this response is left, but it may be only a part of the findings',
      { hint: 'The check cannot pass. Select less, so that the service returns all of it at once.' },
    );
  }
}

/** Groups findings in a row that have the same excerpt, as most do: it is parsed and checked once. */
function* runsOf(findings: readonly ListedFinding[]): Generator<readonly ListedFinding[]> {
  for (let start = 0, end = 1; start < findings.length; start = end++) {
    while (end < findings.length && findings[end]?.excerpt === findings[start]?.excerpt) end++;
    yield findings.slice(start, end);
  }
}

function readColumns({ columns }: FindingsListOptions, format: OutputFormat): readonly FindingColumn[] | undefined {
  if (columns === undefined || columns === 'help') return undefined;
  if (format === 'json' || format === 'ndjson') {
    throw new UsageError(
      `--columns cannot be used with --output ${format}, which keeps every field`,
      'To select fields of JSON, use --jq.',
    );
  }
  return parseColumns(columns);
}

/** Rejects the combinations of options that Commander does not, because one of them would have no effect. */
function checkOptions(options: FindingsListOptions, format: OutputFormat): void {
  if (options.sort === '-') throw new UsageError('--sort must name a field', 'Write --sort -createdAt to reverse it.');
  if (options.groupBy !== undefined && !options.count) throw new UsageError('--group-by requires --count');
  if (options.wrap && format !== 'table') throw new UsageError(`--wrap cannot be used with --output ${format}`);
  if (options.columns !== 'help') return;
  for (const [flag, value] of Object.entries({
    sort: options.sort,
    wrap: options.wrap,
    'exit-status': options.exitStatus,
  })) {
    if (value !== undefined) throw new UsageError(`--${flag} cannot be used with --columns help`);
  }
}

/** Notes which field names an empty list leaves unchecked: with findings, they may be an error. */
function noteUnchecked(
  columns: readonly FindingColumn[] | undefined,
  { sort, groupBy }: FindingsListOptions,
  output: Output,
): void {
  const named = {
    '--columns': columns?.map(({ path }) => path) ?? [],
    '--sort': sort ? [sort.replace(/^-/, '')] : [],
    '--group-by': groupBy ? [groupBy] : [],
  };
  for (const [flag, paths] of Object.entries(named)) {
    const unknown = paths.filter((path) => !isKnownField(path)).map((path) => `"${path}"`);
    if (unknown.length > 0) output.note(`${flag}: ${unknown.join(', ')} not checked, because there are no findings`);
  }
}

async function printCount(
  findings: AsyncIterable<readonly ListedFinding[]>,
  groups: ValueCounter | undefined,
  output: Output,
): Promise<void> {
  let count = 0;
  for await (const some of findings) count += some.length;
  await (groups === undefined ? output.write(`${count}\n`) : printValueCounts(groups, output));
}
