import type { Duplicate, RunMetadata } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { MappingInEffect } from '../../import/list/list-options.ts';
import {
  type ListedRow,
  type ReportDuplicate,
  type ReportSource,
  reportDuplicates,
  reportRows,
  type StopReason,
  summarize,
} from '../../import/report.ts';
import { renderJsonText } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import type { Output } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { type CommonIssue, IssueCounts, printReportTable } from './report-table.ts';
import type { SettingHints } from './setting-hints.ts';

interface PrintReportOptions {
  stopped: StopReason | null;
  metadata?: RunMetadata;
  duplicates?: readonly Duplicate[];
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: (state: RowState) => boolean;
  /** Collects from the rows which settings would have helped; printed after the report. */
  hints?: SettingHints;
  /** The command or option that lists the rows that a terminal does not show; default `-o csv`. */
  listAll?: string | undefined;
  /** How long the run took, for people; undefined if that is not worth mentioning. */
  took?: string | undefined;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox?: boolean;
  /** Set for a list of which nothing was sent. */
  validation?: ValidationDetails;
}

/** What the report of a list of which nothing was sent has in addition. */
export interface ValidationDetails {
  /** Whether only the invalid rows are listed, and the others are counted as valid. */
  isDryRun: boolean;
  /** The issues of many rows. */
  issues: readonly CommonIssue[];
  digest: string | undefined;
  mapping: (MappingInEffect & { sample: readonly unknown[] }) | undefined;
}

/** Prints the outcome of every row in the output's format, and the settings that would have helped. */
export async function printReport(source: ReportSource, options: PrintReportOptions, context: Context): Promise<void> {
  const { output } = context;
  const { stopped, metadata, validation } = options;
  const duplicates = await reportDuplicates(source, options.duplicates ?? []);
  const isDryRun = validation?.isDryRun ?? false;
  const summary = summarize(source.rowStates, { duplicates: duplicates.length, stopped, isDryRun });
  const hasMembers = source.memberIdFor !== undefined;
  const { isDryRun: _, ...details } = validation ?? {};
  const caller = {
    authType: metadata?.authType ?? null,
    authenticatedUser: metadata?.authenticatedUser ?? null,
  };
  switch (output.format) {
    case 'json':
      await printJson(listedRows(source, options, output), { summary }, { ...details, duplicates, ...caller }, output);
      break;
    case 'ndjson':
      for await (const { row } of listedRows(source, options, output))
        if (!options.isPrinted?.(row.state)) await output.ndjson(row);
      await output.ndjson({ summary, ...details, duplicates, ...caller });
      break;
    case 'csv':
      await output.csvRow(['line', 'entry', 'userId', 'state', 'message', ...(hasMembers ? ['memberId'] : [])]);
      for await (const { row } of listedRows(source, options, output)) {
        const { line, entry, userId, state, error, memberId } = row;
        await output.csvRow([line, entry, userId, state, error, ...(hasMembers ? [memberId] : [])]);
      }
      break;
    case 'table':
    case 'markdown': {
      const issues = validation?.issues ?? (await commonIssuesOf(source));
      const { took, listAll = '-o csv' } = options;
      const table = { summary, issues, hasMembers, took, listAll };
      await printReportTable(listedRows(source, options, output), table, output);
      if (!options.isSandbox) await printCaller(metadata, output);
    }
  }
  if (duplicates.length > 0) warnOfDuplicates(duplicates, output);
  for (const hint of options.hints?.hints() ?? []) output.hint(hint);
}

/** Names users in a warning up to this many; the JSON report has them all. */
const NAMED_DUPLICATES = 10;

function warnOfDuplicates(duplicates: readonly ReportDuplicate[], output: Output): void {
  const describe = ({ userId, line, memberIds }: ReportDuplicate) => {
    const ids = memberIds.length === 0 ? '' : ` (${memberIds.join(', ')})`;
    return `${userId ?? 'an unreadable row'}${line === null ? '' : ` on line ${line}`}${ids}`;
  };
  const warn = (one: string, several: string, found: readonly ReportDuplicate[]) => {
    if (found.length === 0) return;
    const users = found.length === 1 ? `1 user ${one}` : `${formatCount(found.length)} users ${several}`;
    const more = found.length > NAMED_DUPLICATES ? `, and ${formatCount(found.length - NAMED_DUPLICATES)} more` : '';
    output.warn(`${users}: ${found.slice(0, NAMED_DUPLICATES).map(describe).join(', ')}${more}`);
  };
  const certain = duplicates.filter((duplicate) => duplicate.certain);
  const possible = duplicates.filter((duplicate) => !duplicate.certain);
  warn('has two active memberships', 'have two active memberships', certain);
  warn('may have been added twice', 'may have been added twice', possible);
  output.hint('Check these users in the organization, and remove the second membership.');
}

/** Names whom the key belongs to, if the service said so. */
async function printCaller(metadata: RunMetadata | undefined, output: Output): Promise<void> {
  const { email, id } = metadata?.authenticatedUser ?? {};
  const name = email ?? id;
  if (name === undefined) return;
  const authType = metadata?.authType === undefined ? '' : ` (${metadata.authType})`;
  await output.text(
    `Authenticated as ${output.format === 'markdown' ? escapeMarkdown(name) : cleanLine(name)}${authType}\n`,
  );
}

/** Yields the rows to list: the created ones only with their member ids. */
async function* listedRows(
  source: ReportSource,
  { validation, hints }: PrintReportOptions,
  output: Output,
): AsyncGenerator<ListedRow> {
  // A table only counts unsent rows: there is nothing to say about each of them, and there may be thousands.
  const isUnsentListed = !output.isForPeople && !validation?.isDryRun;
  const isListed = (state: RowState) =>
    state === 'created' ? source.memberIdFor !== undefined : state !== 'unsent' || isUnsentListed;
  for await (const listed of reportRows(source, isListed)) {
    hints?.add(listed.row.state, listed.row.error);
    yield listed;
  }
}

/** Prints a document whose rows are between the members `before` and `after`. */
async function printJson(rows: AsyncIterable<ListedRow>, before: object, after: object, output: Output): Promise<void> {
  const members = (object: object) =>
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${JSON.stringify(name)}: ${renderJsonText(value, 2)}`],
    );
  await output.write(`{\n${members(before).join(',\n')},\n  "rows": [`);
  let first = true;
  for await (const { row } of rows) {
    await output.write(`${first ? '' : ','}\n    ${renderJsonText(row, 4)}`);
    first = false;
  }
  await output.write(`${first ? '' : '\n  '}],\n${members(after).join(',\n')}\n}\n`);
}

async function commonIssuesOf(source: ReportSource): Promise<CommonIssue[]> {
  const counts = new IssueCounts();
  for await (const { listRow } of reportRows(source, (state) => state === 'invalid')) if (listRow) counts.add(listRow);
  return counts.common();
}
