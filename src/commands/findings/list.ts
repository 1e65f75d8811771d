import type { Command } from 'commander';
import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import { parseJson } from '../../client/parse-json.ts';
import type { Output, OutputFormat } from '../../output/output.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../help-text.ts';
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

JSON output: always the array of findings, without the envelope of the response.
ndjson: one finding a line, exactly as the service sent it. With --count: a
number. With --columns help: the array of field names.
`;

/** Registers `findings list` under the noun `findings`. */
export function registerFindingsList(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('List the findings of a task, an evidence submission, an evidence form type or a people-area scope.')
    .option('--task <id>', 'findings of a task')
    .option('--evidence-submission <id>', 'findings of an evidence submission')
    .addOption(choiceOption('--evidence-form-type <type>', 'findings of a form type', SELECTABLE_FORM_TYPES))
    .addOption(choiceOption('--scope <scope>', 'findings of a people-area scope', SELECTABLE_SCOPES))
    .option('--all', 'no selector: whatever the service returns without one')
    .option('--columns <names>', 'fields to show, dotted names for nested ones; "help" lists those of this response')
    .option('--sort <field>', 'sort by a field, or by -field in reverse order; severity: most severe first')
    .option('--wrap', 'wrap long cells of a table instead of cutting them')
    .option('--count', 'print only the number of findings')
    .action((options: FindingsListOptions) => runFindingsList(options, context()));
}

/** Lists findings in the output's format, and warns if the service seems to have ignored the selector. */
export async function runFindingsList(options: FindingsListOptions, context: Context): Promise<void> {
  const { output } = context;
  const columns = readColumns(options, output.format);
  checkOptions(options);
  const { wire } = await context.settings();
  const selector = readSelector(options, wire.findings);
  const query = selector && { name: wire.findings[selector.kind], value: selector.value };
  const { listFindings } = await import('../../client/list-findings.ts');
  const mismatch = new SelectorMismatch(selector, wire.findings);
  const missing = new MissingColumns(columns ?? []);
  let count = 0;
  async function* observed(listed: AsyncIterable<readonly ListedFinding[]>) {
    let excerptText = '{}';
    let excerpt: Finding = {};
    for await (const findings of listed) {
      count += findings.length;
      for (const finding of findings) {
        // Most findings of a list have the same excerpt.
        if (finding.excerpt !== excerptText) {
          excerptText = finding.excerpt;
          excerpt = parseJson(excerptText) as Finding;
        }
        mismatch.add(excerpt);
        if (columns !== undefined) missing.add(finding.value);
      }
      yield findings;
    }
  }

  const excerpt = mismatch.fields.flatMap(keysAt);
  const findings = observed(listFindings(await context.service(), query, { excerpt, onWarning: output.warn }));
  try {
    if (options.count) await printCount(findings, output);
    else if (options.columns === 'help') await printFields(findings, output);
    else await printFindings(findings, { columns, sort: options.sort, wrap: options.wrap ?? false }, output);
  } catch (error) {
    throw explainRejectedSelector(error, selector, query?.name);
  }
  if (count === 0) noteUnchecked(columns, options.sort, output);
  for (const warning of [mismatch.warning(), missing.warning()]) {
    if (warning !== undefined) output.warn(warning);
  }
}

function readColumns({ columns }: FindingsListOptions, format: OutputFormat): readonly FindingColumn[] | undefined {
  if (columns === undefined || columns === 'help') return undefined;
  if (format === 'json' || format === 'ndjson') {
    throw new UsageError(`--columns goes with tables and csv; -o ${format} keeps every field`);
  }
  return parseColumns(columns);
}

function checkOptions(options: FindingsListOptions): void {
  if (options.sort === '-') throw new UsageError('--sort must name a field', 'Write --sort -createdAt to reverse it.');
  for (const other of ['columns', 'sort'] as const) {
    if (options.count && options[other] !== undefined)
      throw new UsageError(`--count and --${other} exclude each other`);
  }
}

/** Notes which field names an empty list leaves unchecked: with findings, they may be an error. */
function noteUnchecked(columns: readonly FindingColumn[] | undefined, sort: string | undefined, output: Output): void {
  const named = { '--columns': columns?.map(({ path }) => path) ?? [], '--sort': sort ? [sort.replace(/^-/, '')] : [] };
  for (const [flag, paths] of Object.entries(named)) {
    const unknown = paths.filter((path) => !isKnownField(path)).map((path) => `"${path}"`);
    if (unknown.length > 0) output.note(`${flag}: ${unknown.join(', ')} not checked, because there are no findings`);
  }
}

async function printCount(findings: AsyncIterable<readonly ListedFinding[]>, output: Output): Promise<void> {
  let count = 0;
  for await (const some of findings) count += some.length;
  await output.write(`${count}\n`);
}
