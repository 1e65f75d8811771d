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
import type { Block } from '../../output/blocks.ts';
import type { Output } from '../../output/output.ts';
import { printRecords } from '../../output/print-records.ts';
import type { Table } from '../../output/table.ts';
import { joinText, style, type Text, text } from '../../output/text.ts';
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
  /** The mapping in effect, which people read before the rows. */
  before?: readonly string[];
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
  const { authType = null, authenticatedUser = null } = metadata ?? {};
  const endOf = (issues: readonly CommonIssue[]) => ({
    ...(validation && { digest: validation.digest, mapping: validation.mapping, issues }),
    duplicates,
    authType,
    authenticatedUser,
  });
  const commonIssues = () => (validation === undefined ? [] : commonIssuesOf(source));
  const rows = () => listedRows(source, options, { isUnsentListed: !isDryRun });
  const views = {
    json: async () => ({ summary, rows: rowsOf(rows()), ...endOf(await commonIssues()) }),
    async *ndjson() {
      for await (const { row } of rows()) if (!options.isPrinted?.(row.state)) yield [row];
      yield [{ summary, ...endOf(await commonIssues()) }];
    },
    async *csv() {
      yield [['line', 'entry', 'userId', 'state', 'message', ...(hasMembers ? ['memberId'] : [])]];
      for await (const { row } of rows()) {
        const { line, entry, userId, state, error, memberId } = row;
        yield [[line, entry, userId, state, error, ...(hasMembers ? [memberId] : [])]];
      }
    },
    async *people() {
      const { before = [] } = options;
      if (before.length > 0) yield [{ code: before, language: 'text' }];
      const issues = await commonIssuesOf(source);
      // A table only counts unsent rows: there is nothing to say about each of them, and there may be thousands.
      const listed = listedRows(source, options, { isUnsentListed: false });
      yield* rowTables(listed, issues, { hasMembers, listAll: options.listAll ?? '-o csv', shown: output.width });
      if (issues.length > 0) yield [{ items: issues.map(issueText) }];
      const caller = options.isSandbox ? undefined : callerText(metadata);
      const counts = summaryText(summary, options.took);
      const digest = validation?.digest === undefined ? undefined : text`digest: ${validation.digest}`;
      yield [joinText([counts, ...[caller, digest].filter((line) => line !== undefined)], text`\n`)];
    },
  };
  await printRecords(views, output);
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
function callerText(metadata: RunMetadata | undefined): Text | undefined {
  const { email, id } = metadata?.authenticatedUser ?? {};
  const name = email ?? id;
  if (name === undefined) return undefined;
  return metadata?.authType === undefined
    ? text`Authenticated as ${name}`
    : text`Authenticated as ${name} (${metadata.authType})`;
}

/** Yields the rows to list: the created ones only with their member ids. */
async function* listedRows(
  source: ReportSource,
  { hints }: PrintReportOptions,
  { isUnsentListed }: { isUnsentListed: boolean },
): AsyncGenerator<ListedRow> {
  const isListed = (state: RowState) =>
    state === 'created' ? source.memberIdFor !== undefined : state !== 'unsent' || isUnsentListed;
  for await (const listed of reportRows(source, isListed)) {
    hints?.add(listed.row.state, listed.row.error);
    yield listed;
  }
}

async function* rowsOf(listed: AsyncIterable<ListedRow>): AsyncGenerator<readonly ReportRow[]> {
  for await (const { row } of listed) yield [row];
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

interface RowTableOptions {
  hasMembers: boolean;
  /** The command or option that lists the rows that a terminal does not show. */
  listAll: string;
  /** The columns of the terminal, which shows only the first rows of each kind; undefined for a pipe, which gets all. */
  shown: number | undefined;
}

/** Yields tables of the rows that have issues of their own. */
async function* rowTables(
  rows: AsyncIterable<ListedRow>,
  issues: readonly CommonIssue[],
  { hasMembers, listAll, shown }: RowTableOptions,
): AsyncGenerator<Block[]> {
  const isCommon = new Set(issues.map(({ message }) => message));
  let chunk: ReportRow[] = [];
  let isContinued = false;
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map<RowState, number>();
  for await (const { row, listRow } of rows) {
    const own = (listRow?.issues ?? []).filter(({ message }) => !isCommon.has(message));
    if (own.length === 0 && listRow !== undefined && listRow.issues.length > 0) continue;
    const kind = row.state === 'existing' || row.state === 'created' ? row.state : 'others';
    if (shown !== undefined && room[kind]-- <= 0) {
      hidden.set(row.state, (hidden.get(row.state) ?? 0) + 1);
      continue;
    }
    chunk.push(own.length === 0 ? row : { ...row, error: describeIssues(own) });
    if (chunk.length < TABLE_ROWS) continue;
    yield [rowTable(chunk, hasMembers, isContinued)];
    isContinued = true;
    chunk = [];
  }
  if (chunk.length > 0) yield [rowTable(chunk, hasMembers, isContinued)];
  if (hidden.size === 0) return;
  const counts = [...hidden].map(([state, count]) => `${formatCount(count)} more ${state}`);
  yield [text`… and ${counts.join(', ')}: ${listAll} lists them all`];
}

function issueText({ message, rows, lines }: CommonIssue): Text {
  const more = rows > lines.length ? ', …' : '';
  return text`${formatCount(rows)} rows: ${message} (lines ${lines.join(', ')}${more})`;
}

function rowTable(rows: readonly ReportRow[], hasMembers: boolean, isContinued: boolean): Table {
  return {
    columns: [
      { header: 'line', align: 'right' },
      { header: 'userId', min: 10 },
      { header: 'state', min: 9 },
      ...(hasMembers ? [{ header: 'memberId' }] : []),
      { header: 'message', min: 16, weight: 4, wrap: true },
    ],
    rows: rows.map(({ line, userId, state, error, memberId }) => [
      line === null ? '' : String(line),
      userId ?? '',
      stateText(state),
      ...(hasMembers ? [memberId ?? ''] : []),
      error ?? '',
    ]),
    isContinued,
  };
}

function stateText(state: RowState): Text {
  if (state === 'failed' || state === 'invalid') return style.error(state);
  return state === 'recovered' || state === 'created' ? style.ok(state) : style.warn(state);
}

/** `14 rows: 12 created, 1 existing, 1 failed (interrupted by SIGINT; 4m 12s)` */
function summaryText(summary: ImportSummary, took: string | undefined): Text {
  const counts = style.strong(renderCounts(summary));
  const details = [summary.stopped?.message, took].filter((part) => part !== undefined).join('; ');
  return details === '' ? counts : text`${counts} (${details})`;
}
