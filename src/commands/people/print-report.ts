import type { Duplicate, RunMetadata } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { MappingInEffect } from '../../import/list/list-options.ts';
import {
  describeIssues,
  type ImportSummary,
  type ListedRow,
  type ReportDuplicate,
  type ReportRow,
  type ReportSource,
  renderCounts,
  reportDuplicates,
  reportRows,
  type StopReason,
  summarize,
} from '../../import/report.ts';
import { renderJsonText } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import type { Output } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Style } from '../../output/style.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { SettingHints } from './next-steps.ts';

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
interface ValidationDetails {
  /** Whether only the invalid rows are listed, and the others are counted as valid. */
  isDryRun: boolean;
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
  const issues = output.isForPeople || validation !== undefined ? await commonIssuesOf(source) : [];
  const details = validation && { digest: validation.digest, mapping: validation.mapping, issues };
  const { authType = null, authenticatedUser = null } = metadata ?? {};
  const end = { ...details, duplicates, authType, authenticatedUser };
  const rows = listedRows(source, options, output);
  switch (output.format) {
    case 'json':
      await printJson(rows, { summary }, end, output);
      break;
    case 'ndjson':
      for await (const { row } of rows) if (!options.isPrinted?.(row.state)) await output.ndjson(row);
      await output.ndjson({ summary, ...end });
      break;
    case 'csv':
      await output.csvRow(['line', 'entry', 'userId', 'state', 'message', ...(hasMembers ? ['memberId'] : [])]);
      for await (const { row } of rows) {
        const { line, entry, userId, state, error, memberId } = row;
        await output.csvRow([line, entry, userId, state, error, ...(hasMembers ? [memberId] : [])]);
      }
      break;
    default:
      await printTable(rows, issues, hasMembers, options.listAll ?? '-o csv', output);
      await output.text(renderSummary(summary, options.took, output));
      if (!options.isSandbox) await printCaller(metadata, output);
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

/** What is wrong with several rows. */
interface CommonIssue {
  message: string;
  /** Number of rows. */
  rows: number;
  /** Lines of the first ones. */
  lines: number[];
}

/** An issue of more rows than this is reported once, with its count and its first lines. */
const MAX_REPEATED = 3;
const SHOWN_LINES = 5;
/** Different issues that are counted; of a list with more, the others are reported row by row. */
const MAX_ISSUES = 1000;

/** Returns the issues of many rows, the most frequent first. */
async function commonIssuesOf(source: ReportSource): Promise<CommonIssue[]> {
  const found = new Map<string, CommonIssue>();
  for await (const { listRow } of reportRows(source, (state) => state === 'invalid')) {
    for (const { message } of listRow?.issues ?? []) {
      const known = found.get(message);
      if (known === undefined && found.size >= MAX_ISSUES) continue;
      const issue = known ?? { message, rows: 0, lines: [] };
      found.set(message, issue);
      issue.rows++;
      if (listRow !== undefined && issue.lines.length < SHOWN_LINES) issue.lines.push(listRow.line);
    }
  }
  return [...found.values()].filter(({ rows }) => rows > MAX_REPEATED).sort((a, b) => b.rows - a.rows);
}

/** Rows of a table that are laid out at a time: a report of any size needs no more memory than these. */
const TABLE_ROWS = 1000;

/** Rows that a terminal shows; a pipe gets all of them. */
const SHOWN_ROWS = 50;

/** Prints rows for people, and once below them the issues of many. A terminal shows only the first rows of each kind. */
async function printTable(
  rows: AsyncIterable<ListedRow>,
  issues: readonly CommonIssue[],
  hasMembers: boolean,
  listAll: string,
  output: Output,
): Promise<void> {
  const onTerminal = output.width !== undefined;
  const isCommon = new Set(issues.map(({ message }) => message));
  let chunk: ReportRow[] = [];
  let shown = 0;
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map<RowState, number>();
  for await (const { row, listRow } of rows) {
    const own = (listRow?.issues ?? []).filter(({ message }) => !isCommon.has(message));
    if (own.length === 0 && listRow !== undefined && listRow.issues.length > 0) continue;
    const kind = row.state === 'existing' || row.state === 'created' ? row.state : 'others';
    if (onTerminal && room[kind]-- <= 0) {
      hidden.set(row.state, (hidden.get(row.state) ?? 0) + 1);
      continue;
    }
    chunk.push(own.length === 0 ? row : { ...row, error: describeIssues(own) });
    if (chunk.length < TABLE_ROWS) continue;
    await printRows(chunk, shown === 0, hasMembers, output);
    shown += chunk.length;
    chunk = [];
  }
  if (chunk.length > 0) await printRows(chunk, shown === 0, hasMembers, output);
  if (hidden.size > 0) {
    const counts = [...hidden].map(([state, count]) => `${formatCount(count)} more ${state}`);
    await output.text(`… and ${counts.join(', ')}: ${listAll} lists them all\n`);
  }
  if (shown + chunk.length > 0) await output.write('\n');
  for (const issue of issues) await output.text(renderIssue(issue, output));
  if (issues.length > 0) await output.write('\n');
}

function renderIssue({ message, rows, lines }: CommonIssue, { format }: Output): string {
  const [mark, text] = format === 'markdown' ? ['- ', escapeMarkdown(message)] : ['', message];
  const more = rows > lines.length ? ', …' : '';
  return `${mark}${formatCount(rows)} rows: ${text} (lines ${lines.join(', ')}${more})\n`;
}

function printRows(
  rows: readonly ReportRow[],
  withHeader: boolean,
  hasMembers: boolean,
  output: Output,
): Promise<void> {
  return output.table(
    [
      { header: 'line', align: 'right' },
      { header: 'userId', min: 10 },
      { header: 'state', min: 9 },
      ...(hasMembers ? [{ header: 'memberId' }] : []),
      { header: 'message', min: 16, weight: 4, wrap: true },
    ],
    rows.map(({ line, userId, state, error, memberId }) => [
      line === null ? '' : String(line),
      userId ?? '',
      { text: state, style: styleFor(state, output.style) },
      ...(hasMembers ? [memberId ?? ''] : []),
      error ?? '',
    ]),
    { header: withHeader },
  );
}

function styleFor(state: RowState, style: Style) {
  if (state === 'failed' || state === 'invalid') return style.error;
  return state === 'recovered' || state === 'created' ? style.ok : style.warn;
}

/** Renders `14 rows: 12 created, 1 existing, 1 failed (interrupted by SIGINT; 4m 12s)`. */
function renderSummary(summary: ImportSummary, took: string | undefined, { style, format }: Output): string {
  const message = summary.stopped?.message;
  const reason = message !== undefined && format === 'markdown' ? escapeMarkdown(message) : message;
  const details = [reason, took].filter((part) => part !== undefined).join('; ');
  return `${style.strong(renderCounts(summary))}${details === '' ? '' : ` (${details})`}\n`;
}
