import type { Duplicate } from '../../import/journal/records.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { RunFacts } from '../../import/journal/run-state.ts';
import type { MappingInEffect } from '../../import/list/list-options.ts';
import {
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
import { joinText, style, successText, type Text, text } from '../../output/text.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { Advice } from './advice.ts';
import { annotate } from './annotations.ts';

interface PrintReportOptions {
  stopped: StopReason | null;
  facts?: RunFacts;
  duplicates?: readonly Duplicate[];
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: (state: RowState) => boolean;
  /** Collects the settings that would have helped; orgadm prints them after the report. */
  advice?: Advice;
  /** The list as the user named it, if each row that was not added gets a GitHub annotation. */
  annotatedFile?: string | undefined;
  /** The command or option that lists the rows that a terminal does not show; default `-o csv`. */
  listAll?: string | undefined;
  /** How long the run took, for people; undefined if that is not worth mentioning. */
  took?: string | undefined;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox?: boolean;
  /** Set for a list that orgadm did not send. */
  validation?: ValidationDetails;
  /** The mapping in effect, which people read before the rows. */
  before?: readonly string[];
  /** Whether existing members are as requested. */
  ignoreExisting?: boolean;
}

/** Additional parts of the report on a list that orgadm did not send. */
interface ValidationDetails {
  /** Whether only the invalid rows are listed, and the others are counted as valid. */
  isDryRun: boolean;
  digest: string | undefined;
  mapping: (MappingInEffect & { sample: readonly unknown[] }) | undefined;
}

/** Prints the outcome of every row in the output's format, and the settings that would have helped. */
export async function printReport(source: ReportSource, options: PrintReportOptions, context: Context): Promise<void> {
  const { output } = context;
  const { stopped, facts, validation, advice, annotatedFile } = options;
  const duplicates = await reportDuplicates(source, options.duplicates ?? []);
  const isDryRun = validation?.isDryRun ?? false;
  const summary = summarize(source.rowStates, { duplicates: duplicates.length, stopped, isDryRun });
  const hasMembers = source.memberIdFor !== undefined;
  const { authType = null, authenticatedUser = null } = facts ?? {};
  const endOf = (issues: readonly CommonMessage[]) => ({
    ...(validation && { digest: validation.digest, mapping: validation.mapping, issues: issues.map(withoutState) }),
    duplicates,
    authType,
    authenticatedUser,
  });
  const commonIssues = () => (validation === undefined ? [] : commonMessages(source));
  const rows = () => listedRows(source, advice, { isUnsentListed: !isDryRun });
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
      const common = await commonMessages(source);
      // A table only counts unsent rows: there is nothing to say about each of them, and there may be thousands.
      const listed = listedRows(source, advice, { isUnsentListed: false });
      yield* rowTables(needingAttention(listed), common, {
        hasMembers,
        listAll: options.listAll ?? '-o csv',
        shown: output.width,
      });
      if (common.length > 0) yield [{ items: common.map((message) => commonText(message, summary)) }];
      const caller = options.isSandbox ? undefined : callerText(facts);
      const counts = summaryText(summary, options.took, options.ignoreExisting ?? false);
      const digest = validation?.digest === undefined ? undefined : text`digest: ${validation.digest}`;
      yield [joinText([counts, ...[caller, digest].filter((line) => line !== undefined)], text`\n`)];
    },
  };
  await printRecords(views, output);
  if (annotatedFile !== undefined) await annotate(source, annotatedFile, output);
  if (duplicates.length > 0) warnOfDuplicates(duplicates, output);
  for (const hint of advice?.hints(summary.total) ?? []) output.hint(hint);
}

/** Names users in a warning up to this many; the JSON report has them all. */
const NAMED_DUPLICATES = 10;

function warnOfDuplicates(duplicates: readonly ReportDuplicate[], output: Output): void {
  const describe = ({ userId, line, memberIds }: ReportDuplicate) =>
    `${userId ?? 'an unreadable row'}${line === null ? '' : ` on line ${line}`} (${memberIds.join(', ')})`;
  const users =
    duplicates.length === 1
      ? '1 user has two active memberships'
      : `${formatCount(duplicates.length)} users have two active memberships`;
  const more =
    duplicates.length > NAMED_DUPLICATES ? `, and ${formatCount(duplicates.length - NAMED_DUPLICATES)} more` : '';
  output.warn(`${users}: ${duplicates.slice(0, NAMED_DUPLICATES).map(describe).join(', ')}${more}`);
  output.hint(
    'Check these users in your organization. If one appears twice, remove the membership with the second ID. orgadm cannot remove memberships.',
  );
}

/** Names whom the key belongs to, if the service said so. */
function callerText(facts: RunFacts | undefined): Text | undefined {
  const { email, id } = facts?.authenticatedUser ?? {};
  const name = email ?? id;
  if (name === undefined) return undefined;
  return facts?.authType === undefined
    ? text`Authenticated as ${name}`
    : text`Authenticated as ${name} (${facts.authType})`;
}

/** Yields the rows to list: the created ones only with their member IDs. */
async function* listedRows(
  source: ReportSource,
  advice: Advice | undefined,
  { isUnsentListed }: { isUnsentListed: boolean },
): AsyncGenerator<ListedRow> {
  const isListed = (state: RowState) =>
    state === 'created' ? source.memberIdFor !== undefined : state !== 'unsent' || isUnsentListed;
  for await (const listed of reportRows(source, isListed)) {
    advice?.add(listed.row, source.plainMessageFor?.(listed.row.entry));
    yield listed;
  }
}

/** Leaves out the recovered rows: they were added. */
async function* needingAttention(listed: AsyncIterable<ListedRow>): AsyncGenerator<ListedRow> {
  for await (const each of listed) if (each.row.state !== 'recovered') yield each;
}

async function* rowsOf(listed: AsyncIterable<ListedRow>): AsyncGenerator<readonly ReportRow[]> {
  for await (const { row } of listed) yield [row];
}

/** A message on several rows of the same state. */
interface CommonMessage {
  state: RowState;
  message: string;
  /** Number of rows. */
  rows: number;
  /** Lines of the first ones. */
  lines: number[];
}

function withoutState({ message, rows, lines }: CommonMessage): Omit<CommonMessage, 'state'> {
  return { message, rows, lines };
}

/** A message on more rows than this is reported once, with its count and its first lines. */
const MAX_REPEATED = 3;
const SHOWN_LINES = 5;
/** Different messages that are counted; of a list with more, the others are reported row by row. */
const MAX_MESSAGES = 1000;

/** Returns the messages of many rows, and one that all rows have, the most frequent first. */
async function commonMessages(source: ReportSource): Promise<CommonMessage[]> {
  const found = new Map<string, CommonMessage>();
  for await (const listed of reportRows(
    source,
    (state) => state !== 'created' && state !== 'recovered' && state !== 'unsent',
  )) {
    const { state, line } = listed.row;
    for (const message of messagesOf(listed)) {
      const key = keyOf(state, message);
      const known = found.get(key);
      if (known === undefined && found.size >= MAX_MESSAGES) continue;
      const common = known ?? { state, message, rows: 0, lines: [] };
      found.set(key, common);
      common.rows++;
      if (line !== null && common.lines.length < SHOWN_LINES) common.lines.push(line);
    }
  }
  const { total } = source.rowStates;
  return [...found.values()]
    .filter(({ rows }) => rows > MAX_REPEATED || (rows > 1 && rows === total))
    .sort((a, b) => b.rows - a.rows);
}

/** Returns what a report says about a row: each issue of an invalid one. */
function messagesOf({ row, listRow }: ListedRow): string[] {
  const issues = listRow?.issues ?? [];
  if (issues.length > 0) return issues.map(({ message }) => message);
  return row.error === null ? [] : [row.error];
}

function keyOf(state: RowState, message: string): string {
  return `${state} ${message}`;
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

/** Yields tables of the rows that have messages of their own. */
async function* rowTables(
  rows: AsyncIterable<ListedRow>,
  common: readonly CommonMessage[],
  { hasMembers, listAll, shown }: RowTableOptions,
): AsyncGenerator<Block[]> {
  const isCommon = new Set(common.map(({ state, message }) => keyOf(state, message)));
  let chunk: ReportRow[] = [];
  let isContinued = false;
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map<RowState, number>();
  for await (const listed of rows) {
    const { row } = listed;
    const messages = messagesOf(listed);
    const own = messages.filter((message) => !isCommon.has(keyOf(row.state, message)));
    if (own.length === 0 && messages.length > 0) continue;
    const kind = row.state === 'existing' || row.state === 'created' ? row.state : 'others';
    if (shown !== undefined && room[kind]-- <= 0) {
      hidden.set(row.state, (hidden.get(row.state) ?? 0) + 1);
      continue;
    }
    chunk.push(own.length === 0 ? row : { ...row, error: own.join('; ') });
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

/** `12 failed: Department "finance" is not allowed (lines 3, 5, 7, 9, 11, …)` */
function commonText({ state, message, rows, lines }: CommonMessage, { total }: ImportSummary): Text {
  if (state === 'failed' && rows === total)
    return text`All ${formatCount(rows)} rows failed for the same reason: ${message}`;
  const more = rows > lines.length ? ', …' : '';
  const where = lines.length === 0 ? '' : ` (lines ${lines.join(', ')}${more})`;
  return text`${formatCount(rows)} ${stateText(state)}: ${message}${where}`;
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

/** The states of rows that need attention, in the order in which a summary names them. */
const ATTENTION: readonly RowState[] = ['failed', 'invalid', 'unknown', 'unsent'];

/**
 * `✓ 12 created, 1 recovered (4 m 12 s)`, or the rows that need attention first: `1 failed, 12 created (interrupted by SIGINT)`.
 *
 * @param ignoresExisting whether existing members are as requested
 */
function summaryText(summary: ImportSummary, took: string | undefined, ignoresExisting: boolean): Text {
  if (summary.total === 0) return text`0 rows: nothing was sent`;
  const states = [...ATTENTION, ...(ignoresExisting ? [] : (['existing'] as const))];
  const needsAttention =
    summary.duplicates > 0 || summary.stopped !== null || states.some((state) => summary[state] > 0);
  const counts = style.strong(renderCounts(summary, ATTENTION));
  const details = [summary.stopped?.message, took].filter((part) => part !== undefined).join('; ');
  const line = details === '' ? text`${counts}` : text`${counts} (${details})`;
  return needsAttention ? line : successText(line);
}
