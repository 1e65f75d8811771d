import type { Command } from 'commander';
import type { ListedFinding } from '../../client/finding.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { choiceOption } from '../option-parsers.ts';
import { type FindingColumn, isKnownField, keysAt, MissingColumns, parseColumns } from './finding-columns.ts';
import {
  explainRejectedSelector,
  readSelector,
  SELECTABLE_FORM_TYPES,
  SELECTABLE_SCOPES,
  type SelectorFlags,
  SelectorMismatch,
} from './finding-selector.ts';
import { printFields, printFindings } from './print-findings.ts';

export interface FindingsListOptions extends SelectorFlags {
  columns?: string;
  sort?: string;
  wrap?: boolean;
  count?: boolean;
}

const HELP = `
Exactly one selector is required. If a setting (wire.findings.<selector>) renames
the parameter of a form type or scope, its values are open.

A warning is printed if findings do not belong to the selector, or if no finding
has a field that shows what it belongs to: a service that does not know a
selector may ignore it and return everything.

A table shows id, severity, status, type, content and the day of creation, as
many of them as fit the terminal; --columns shows any others. --sort accepts a
field, dotted names included. severity, in any case, is sorted as blocker,
critical, high, medium or moderate, low, info or informational, status from open
to closed; a value without a rank comes after these and is named in a note.
Findings without the field come last.

Examples:
  $ orgadm findings list --task tsk_0001 --sandbox
  $ orgadm findings list --scope people_devices --sort severity --sandbox
  $ orgadm findings list --evidence-form-type penetration-test --sandbox
  $ orgadm findings list --task tsk_0001 --columns id,task.title --sandbox
  $ orgadm findings list --task tsk_0002 --columns help --sandbox
  $ orgadm findings list --scope people --output csv --sandbox > findings.csv

JSON output: always the array of findings, each as the service answered it,
whatever envelope it came in. ndjson gives one finding a line. With --count: a
number. With --columns help: the array of field names.
`;

/** Registers `findings list` under the noun `findings`. */
export function registerFindingsList(command: Command, context: () => Context): void {
  command
    .description('List the findings of a task, an evidence submission, an evidence form type or a people-area scope.')
    .option('--task <id>', 'findings of a task')
    .option('--evidence-submission <id>', 'findings of an evidence submission')
    .addOption(choiceOption('--evidence-form-type <type>', 'findings of a form type', SELECTABLE_FORM_TYPES))
    .addOption(choiceOption('--scope <scope>', 'findings of a people-area scope', SELECTABLE_SCOPES))
    .option('--all', 'no selector: whatever the service gives without one')
    .option('--columns <names>', 'fields to show, dotted names for nested ones; "help" lists those of this answer')
    .option('--sort <field>', 'sort by a field, -field for the other way round; severity: most severe first')
    .option('--wrap', 'wrap long cells of a table instead of cutting them')
    .option('--count', 'print how many there are, and nothing else')
    .addHelpText('after', HELP)
    .action((options: FindingsListOptions) => runFindingsList(options, context()));
}

/** Lists findings in the output's format, and warns when the service seems to have ignored the selector. */
export async function runFindingsList(options: FindingsListOptions, context: Context): Promise<void> {
  const { output } = context;
  const columns =
    options.columns === undefined || options.columns === 'help' ? undefined : parseColumns(options.columns);
  if (columns !== undefined && (output.format === 'json' || output.format === 'ndjson')) {
    throw new UsageError(`--columns goes with tables and csv; -o ${output.format} keeps every field`);
  }
  if (options.sort === '-') throw new UsageError('--sort must name a field', 'Write --sort -createdAt to reverse it.');
  for (const other of ['columns', 'sort'] as const) {
    if (options.count && options[other] !== undefined)
      throw new UsageError(`--count and --${other} exclude each other`);
  }
  const { wire } = await context.settings();
  const selector = readSelector(options, wire.findings);
  const wireName = selector === undefined ? undefined : wire.findings[selector.kind];
  const { listFindings } = await import('../../client/list-findings.ts');
  const query =
    selector === undefined || wireName === undefined ? undefined : { name: wireName, value: selector.value };
  const mismatches = new SelectorMismatch(selector, wire.findings);
  const absent = columns === undefined ? undefined : new MissingColumns(columns);
  const listed = listFindings(await context.service(), query, {
    excerpt: mismatches.fields.flatMap(keysAt),
    onWarning: output.warn,
  });
  let count = 0;
  const findings = observed(explainRejectedSelector(listed, selector, wireName), (finding) => {
    count++;
    mismatches.add(finding.excerpt);
    absent?.add(finding.value);
  });

  if (options.count) await printCount(findings, context);
  else if (options.columns === 'help') await printFields(findings, output);
  else await printFindings(findings, { columns, sort: options.sort, wrap: options.wrap ?? false }, output);
  if (count === 0) noteUnchecked(columns, options.sort, output);
  for (const warning of [mismatches.warning(), absent?.warning()]) {
    if (warning !== undefined) output.warn(warning);
  }
}

/** Says which names of fields an empty list could not prove right or wrong: on another day they may be an error. */
function noteUnchecked(
  columns: readonly FindingColumn[] | undefined,
  sort: string | undefined,
  output: Context['output'],
): void {
  const named = { '--columns': columns?.map(({ path }) => path) ?? [], '--sort': sort ? [sort.replace(/^-/, '')] : [] };
  for (const [flag, paths] of Object.entries(named)) {
    const unknown = paths.filter((path) => !isKnownField(path)).map((path) => `"${path}"`);
    if (unknown.length > 0) output.note(`${flag}: ${unknown.join(', ')} not checked, because there are no findings`);
  }
}

/** Findings that came together. */
type Findings = readonly ListedFinding[];

async function* observed(
  findings: AsyncIterable<Findings>,
  see: (finding: ListedFinding) => void,
): AsyncGenerator<Findings> {
  for await (const some of findings) {
    some.forEach(see);
    yield some;
  }
}

async function printCount(findings: AsyncIterable<Findings>, { output }: Context): Promise<void> {
  let count = 0;
  for await (const some of findings) count += some.length;
  await output.write(`${count}\n`);
}
