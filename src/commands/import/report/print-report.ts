import type { RowPosition } from '../../../import/checked-row.ts';
import { shortRunId } from '../../../import/journal/run-identity.ts';
import type { RunFacts } from '../../../import/journal/run-state.ts';
import type { RowState } from '../../../import/outcome.ts';
import type { Block } from '../../../output/blocks.ts';
import type { Output } from '../../../output/output.ts';
import { printRecords } from '../../../output/print-records.ts';
import { joinText, style, successText, type Text, text } from '../../../output/text.ts';
import { countOf, formatCount, joinFirst } from '../../../util/units.ts';
import type { Context } from '../../command-context.ts';
import { runsCommand } from '../describe-run.ts';
import type { ImportOptions } from '../import-options.ts';
import { type ListRead, readLines, totalsDocument } from '../mapping/describe-mapping.ts';
import type { ImportSummary, PossibleDuplicate, ReportMismatch, ReportRow, RowPlace } from './document.ts';
import { type Ending, stopReasonOf } from './ending.ts';
import { type ListedRow, listedRows, type ReportSource } from './listed-rows.ts';
import { findPeopleToCheck, type PeopleToCheck } from './people-to-check.ts';
import { commonText, rowTables, streamedTable } from './row-tables.ts';
import { renderCounts, summarize } from './summary.ts';
import { collectTableRows } from './table-rows.ts';

/** What a command reports on: a run that it has sent, a recorded one, or a list that orgadm did not send. */
export interface RunReport extends ReportSource {
  /** How the list was read; undefined if this command has not read it. */
  read?: ListRead | undefined;
  options: Pick<ImportOptions, 'errorsFile' | 'ignoreExisting' | 'limit' | 'restart'> &
    Partial<Pick<ImportOptions, 'invalid'>>;
  /** Undefined if the run leaves nothing behind in the journal. */
  journaled?: JournaledRun | undefined;
  ending: Ending;
  /** Whether an import found nothing left to send. */
  sendsNothing?: boolean;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox: boolean;
  /** How long the run took; undefined if that is not worth mentioning. */
  durationText?: string | undefined;
}

/** The run that a report is about, and whether an earlier command began it. */
export interface JournaledRun {
  id: string;
  continued: boolean;
}

/** Prints the outcome of every row in the output's format, and warns of the people whom somebody should check. */
export async function printReport(report: RunReport, { output }: Pick<Context, 'output'>): Promise<void> {
  const { run, allRows, read, ending } = report;
  const summary = summarize(run, ending);
  const toCheck = await findPeopleToCheck(report);
  const { authType = null, authenticatedUser = null } = run.facts;
  const head = { summary, run: report.journaled ?? null };
  const list = { mapping: read?.mapping, totals: read && totalsDocument(read.totals) };
  const end = { ...list, ...toCheck, authType, authenticatedUser };
  const isDryRun = ending.kind === 'checked' && ending.isDryRun;
  const isListed = (state: RowState) => (state === 'created' ? allRows : state !== 'unsent' || !isDryRun);
  const rows = () => rowsOf(listedRows(report, isListed));
  const views = {
    json: () => ({ ...head, rows: rows(), ...end }),
    async *ndjson() {
      yield* rows();
      yield [{ ...head, ...end }];
    },
    async *csv() {
      yield [['line', 'entry', 'userId', 'state', 'message', ...(allRows ? ['memberId'] : [])]];
      for await (const group of rows())
        yield group.map(({ line, entry, userId, state, error, memberId }) => [
          ...[line, entry, userId, state, error],
          ...(allRows ? [memberId] : []),
        ]);
    },
    people: () => peopleBlocks(report, toCheck, summary, output),
  };
  await printRecords(views, output);
  warnOfPeopleToCheck(toCheck, report, output);
}

function warnOfPeopleToCheck(
  { existingInactive, possibleDuplicates, mismatches }: PeopleToCheck,
  { position, allRows, ending }: RunReport,
  output: Output,
): void {
  if (existingInactive.length > 0) warnOfInactive(existingInactive, allRows, output);
  const twice = possibleDuplicates.filter(({ memberIds }) => memberIds !== undefined);
  const others = possibleDuplicates.filter(({ memberIds }) => memberIds === undefined);
  if (others.length > 0) warnOfPossibleDuplicates(others, position, output);
  if (twice.length > 0) warnOfTwoMemberships(twice, position, output);
  if (mismatches.length === 0) return;
  const values = countOf(mismatches.length, 'value');
  output.warn(`the service stored ${values} of created members differently from what orgadm sent`);
  // The error of such a run says so.
  if (stopReasonOf(ending)?.code !== 'stored-as-active')
    output.note('Correct them in your service; orgadm cannot change members.');
}

async function* peopleBlocks(
  report: RunReport,
  { mismatches, possibleDuplicates }: PeopleToCheck,
  summary: ImportSummary,
  { width }: Pick<Output, 'width'>,
): AsyncGenerator<Block[]> {
  const { journaled, run, allRows, read, ending, position } = report;
  const isTerminal = width !== undefined;
  const quotedMessage = ending.kind === 'stopped' ? ending.quotedMessage : undefined;
  const { valid } = summary;
  if (read !== undefined && valid !== undefined) yield [{ items: readLines(read) }];
  if (allRows && !isTerminal) {
    yield* streamedTable(
      listedRows(report, (state) => state !== 'unsent'),
      position,
    );
  } else {
    // Recovered rows were added, existing ones may be most of the list, and there is nothing to say about each unsent one.
    const isShown = (state: RowState) =>
      state === 'failed' || state === 'invalid' || state === 'unknown' || (allRows && state !== 'unsent');
    const { rows, more, common } = await collectTableRows(report, isShown);
    const unquoted = rows.filter(({ error }) => error === null || error !== quotedMessage);
    const listAll = journaled === undefined ? '-o csv' : `${runsCommand('show', journaled.id)} -o csv`;
    yield rowTables({ rows: unquoted, more }, { allRows, listAll, isTerminal, position });
    const repeated = common.filter(({ message }) => message !== quotedMessage);
    if (repeated.length > 0) yield [{ items: repeated.map((message) => commonText(message, summary, position)) }];
  }
  if (mismatches.length > 0) yield [mismatchTable(mismatches, position)];
  const caller = report.isSandbox ? undefined : callerText(run.facts);
  const counts = summaryText(summary, mismatches.length + possibleDuplicates.length > 0, report);
  yield [caller === undefined ? counts : joinText([counts, caller], text`\n`)];
}

async function* rowsOf(groups: AsyncIterable<readonly ListedRow[]>): AsyncGenerator<readonly ReportRow[]> {
  for await (const group of groups) yield group.map(({ row }) => row);
}

/** Names existing members in a warning up to this many; with `--all-rows`, all of them. */
const NAMED_INACTIVE = 20;

function warnOfInactive(rows: readonly RowPlace[], allRows: boolean, output: Output): void {
  const are = rows.length === 1 ? 'is' : 'are';
  const names = joinFirst(
    rows.map(({ userId }) => userId ?? ''),
    allRows ? rows.length : NAMED_INACTIVE,
  );
  output.warn(
    text`${formatCount(rows.length)} of the existing members ${are} inactive in the list: ${names}. orgadm does not change existing members.`,
  );
}

/** Names users in a warning up to this many; the JSON report has them all. */
const NAMED_DUPLICATES = 10;

function warnOfTwoMemberships(people: readonly PossibleDuplicate[], position: RowPosition, output: Output): void {
  const users =
    people.length === 1
      ? '1 user has two active memberships'
      : `${formatCount(people.length)} users have two active memberships`;
  output.warn(`${users}: ${nameRows(people, position, ({ memberIds = [] }) => ` (${memberIds.join(', ')})`)}`);
  output.note(
    'Check these users in your service. If one appears twice, remove the membership with the second ID. orgadm cannot remove memberships.',
  );
}

function warnOfPossibleDuplicates(people: readonly PossibleDuplicate[], position: RowPosition, output: Output): void {
  const count = people.length === 1 ? '1 person' : `${formatCount(people.length)} people`;
  output.warn(
    `${count} may be in your service twice, because an earlier request may still have been running when orgadm sent them again: ${nameRows(people, position)}`,
  );
  output.note('Check them in your service. orgadm cannot remove memberships.');
}

/** Names the first rows: `usr_1 on line 2, usr_5 on line 6, and 3 more`. */
function nameRows<T extends PossibleDuplicate>(
  rows: readonly T[],
  position: RowPosition,
  detailOf: (row: T) => string = () => '',
): string {
  const named = rows.slice(0, NAMED_DUPLICATES).map((row) => {
    const listed = position === 'line' ? `on line ${row.line}` : `in row ${row.entry}`;
    const place = row.entry === null ? 'of another import' : listed;
    return `${row.userId ?? 'the user'} ${place}${detailOf(row)}`;
  });
  const more = rows.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`;
}

/** A table shows this many; the JSON report has them all. */
const SHOWN_MISMATCHES = 1_000;

function mismatchTable(mismatches: readonly ReportMismatch[], position: RowPosition): Block {
  const rows = mismatches
    .slice(0, SHOWN_MISMATCHES)
    .map(({ line, entry, userId, path, sent, stored }) => [
      String((position === 'line' ? line : entry) ?? '-'),
      userId ?? '-',
      path,
      String(sent ?? '-'),
      String(stored),
    ]);
  return {
    columns: [{ header: position, align: 'right' }, 'userId', 'field', 'sent', { header: 'stored', isWhole: true }],
    rows,
  };
}

/** Names whom the key belongs to, if the service said so. */
function callerText({ authType, authenticatedUser }: RunFacts): Text | undefined {
  const name = authenticatedUser?.email ?? authenticatedUser?.id;
  if (name === undefined) return undefined;
  return authType === undefined ? text`Authenticated as ${name}` : text`Authenticated as ${name} (${authType})`;
}

/** The states of rows that need attention, in the order in which a summary names them. */
const ATTENTION: readonly RowState[] = ['failed', 'invalid', 'unknown', 'unsent'];

/**
 * Returns `✓ 12 created, 1 recovered (run 7c2d2d29, 4 m 12 s)`, or the rows that need attention first:
 * `1 failed, 12 created (interrupted by SIGINT; run 7c2d2d29, 2 s)`.
 */
function summaryText(
  summary: ImportSummary,
  isDoubtful: boolean,
  { options, journaled, ending, durationText, sendsNothing }: RunReport,
): Text {
  const states = [...ATTENTION, ...(options.ignoreExisting ? [] : (['existing'] as const))];
  const needsAttention = isDoubtful || summary.stopped !== null || states.some((state) => summary[state] > 0);
  const rendered = text`${renderCounts(summary, ATTENTION)}`;
  const counts = summary.stopped === null ? style.strong(rendered) : rendered;
  if (sendsNothing) return nothingLeft(counts, needsAttention);
  // An error says why the run ended.
  const isInError = ending.kind === 'stopped' && ending.isError;
  const reason = isInError ? undefined : summary.stopped?.message;
  const run = journaled === undefined ? undefined : `run ${shortRunId(journaled.id)}`;
  const details = [reason, join([run, durationText], ', ')].filter((part) => part !== undefined && part !== '');
  const line = details.length === 0 ? text`${counts}` : text`${counts} (${details.join('; ')})`;
  return needsAttention ? line : successText(line);
}

function join(parts: readonly (string | undefined)[], separator: string): string {
  return parts.filter((part) => part !== undefined).join(separator);
}

/** Returns the summary of a run that had ended before this command. */
function nothingLeft(counts: Text, needsAttention: boolean): Text {
  return needsAttention
    ? text`${counts} (earlier; nothing was sent)`
    : successText(text`nothing left to send: ${counts} earlier`);
}
