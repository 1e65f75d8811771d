import type { RowPosition } from '../../../import/checked-row.ts';
import type { RunFacts } from '../../../import/journal/run-state.ts';
import type { RowState } from '../../../import/outcome.ts';
import type { Block } from '../../../output/blocks.ts';
import type { Output } from '../../../output/output.ts';
import { printRecords } from '../../../output/print-records.ts';
import { joinText, style, successText, type Text, text } from '../../../output/text.ts';
import { countOf, formatCount, joinFirst } from '../../../util/units.ts';
import type { Context } from '../../command-context.ts';
import type { ImportOptions } from '../import-options.ts';
import type { DescribedMapping } from '../mapping/mapping-in-effect.ts';
import { mappingBlocks } from '../mapping/mapping-in-effect.ts';
import { runsCommand } from '../suggested-commands.ts';
import type { Advice } from './advice.ts';
import type { ImportSummary, ReportDuplicate, ReportMismatch, ReportRow, RowPlace } from './document.ts';
import type { Ending } from './ending.ts';
import type { ReportDetails, ReportFold } from './fold-report.ts';
import { type ListedRow, type ReportSource, renderCounts, summarize } from './report.ts';

import { commonText, rowTables, streamedTable } from './row-tables.ts';

/** What a command reports on: a run that it has sent, a recorded one, or a list that orgadm did not send. */
export interface RunReport extends ReportSource {
  /** How the list was read; undefined if this command has not read it. */
  mapping?: DescribedMapping | undefined;
  options: Pick<ImportOptions, 'errorsFile' | 'ignoreExisting' | 'limit' | 'restart'> &
    Partial<Pick<ImportOptions, 'invalid'>>;
  /** Undefined if the run leaves nothing behind in the journal. */
  journaled?: JournaledRun | undefined;
  ending: Ending;
  /** Whether an import found nothing left to send. */
  sendsNothing?: boolean;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox: boolean;
  /** Finds settings that would have helped. */
  advice?: Advice;
  /** How long the run took; undefined if that is not worth mentioning. */
  durationText?: string | undefined;
}

/** The run that a report is about, and whether an earlier command began it. */
export interface JournaledRun {
  id: string;
  continued: boolean;
}

/**
 * Prints the outcome of every row in the output's format.
 *
 * @param fold the pass over the rows, which the formats for programs print on the way
 */
export async function printReport(
  report: RunReport,
  fold: ReportFold,
  { output }: Pick<Context, 'output'>,
): Promise<void> {
  const { run, allRows, mapping, ending } = report;
  const summary = summarize(run, ending);
  const { authType = null, authenticatedUser = null } = run.facts;
  const head = { summary, run: report.journaled ?? null };
  const end = { authType, authenticatedUser };
  const views = {
    json: () => ({
      ...head,
      rows: rowsOf(fold.rows()),
      mapping,
      duplicates: afterwards(fold, ({ duplicates }) => duplicates),
      possibleDuplicates: afterwards(fold, ({ possibleDuplicates }) => possibleDuplicates),
      mismatches: afterwards(fold, ({ mismatches }) => mismatches),
      existingInactive: afterwards(fold, ({ existingInactive }) => existingInactive),
      ...end,
    }),
    async *ndjson() {
      yield* rowsOf(fold.rows());
      const { duplicates, possibleDuplicates, mismatches, existingInactive } = await fold.finish();
      yield [{ ...head, mapping, duplicates, possibleDuplicates, mismatches, existingInactive, ...end }];
    },
    async *csv() {
      yield [['line', 'entry', 'userId', 'state', 'message', ...(allRows ? ['memberId'] : [])]];
      for await (const rows of rowsOf(fold.rows()))
        yield rows.map(({ line, entry, userId, state, error, memberId }) => [
          ...[line, entry, userId, state, error],
          ...(allRows ? [memberId] : []),
        ]);
    },
    people: () => peopleBlocks(report, fold, summary, output),
  };
  await printRecords(views, output);
  const { duplicates, possibleDuplicates, mismatches, existingInactive } = await fold.finish();
  if (existingInactive.length > 0) warnOfInactive(existingInactive, allRows, output);
  if (possibleDuplicates.length > 0) warnOfStall(possibleDuplicates, report.position, output);
  if (duplicates.length > 0) warnOfDuplicates(duplicates, report.position, output);
  if (mismatches.length > 0) {
    const values = countOf(mismatches.length, 'value');
    output.warn(`the service stored ${values} of created members differently from what orgadm sent`);
    // The error of such a run says so.
    if (!['stored-as-active', 'other-organization'].includes(summary.stopped?.code ?? ''))
      output.note('Correct them in your organization. orgadm cannot change members.');
  }
}

async function* peopleBlocks(
  report: RunReport,
  fold: ReportFold,
  summary: ImportSummary,
  { width }: Pick<Output, 'width'>,
): AsyncGenerator<Block[]> {
  const { journaled, run, allRows, mapping, ending } = report;
  const isTerminal = width !== undefined;
  const quotedMessage = ending.kind === 'stopped' ? ending.quotedMessage : undefined;
  const { valid } = summary;
  if (mapping !== undefined && valid !== undefined) yield mappingBlocks(mapping, valid);
  const { position } = report;
  const isStreamed = allRows && !isTerminal;
  if (isStreamed) yield* streamedTable(fold.rows(), position);
  const { common, mismatches, ...rows } = await fold.finish();
  if (!isStreamed) {
    const unquoted = rows.rows.filter(({ error }) => error === null || error !== quotedMessage);
    const listAll = journaled === undefined ? '-o csv' : `${runsCommand('show', journaled.id)} -o csv`;
    yield rowTables({ ...rows, rows: unquoted }, { allRows, listAll, isTerminal, position });
    const repeated = common.filter(({ message }) => message !== quotedMessage);
    if (repeated.length > 0) yield [{ items: repeated.map((message) => commonText(message, summary, position)) }];
  }
  if (mismatches.length > 0) yield [mismatchTable(mismatches, position)];
  const caller = report.isSandbox ? undefined : callerText(run.facts);
  const isInError = ending.kind === 'stopped' && ending.isError;
  const reason = isInError ? undefined : summary.stopped?.message;
  const counts = summaryText(summary, mismatches.length + run.stalled.size > 0, reason, report);
  yield [caller === undefined ? counts : joinText([counts, caller], text`\n`)];
}

/** Yields a list of the report once all rows are printed. */
async function* afterwards<T>(
  fold: ReportFold,
  select: (details: ReportDetails) => readonly T[],
): AsyncGenerator<readonly T[]> {
  yield select(await fold.finish());
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

function warnOfDuplicates(duplicates: readonly ReportDuplicate[], position: RowPosition, output: Output): void {
  const users =
    duplicates.length === 1
      ? '1 user has two active memberships'
      : `${formatCount(duplicates.length)} users have two active memberships`;
  output.warn(`${users}: ${nameRows(duplicates, position, ({ memberIds }) => ` (${memberIds.join(', ')})`)}`);
  output.note(
    'Check these users in your organization. If one appears twice, remove the membership with the second ID. orgadm cannot remove memberships.',
  );
}

function warnOfStall(rows: readonly RowPlace[], position: RowPosition, output: Output): void {
  const people = rows.length === 1 ? '1 person' : `${formatCount(rows.length)} people`;
  output.warn(
    `the service was stalled when orgadm sent ${people} again who may be in your organization twice: ${nameRows(rows, position)}`,
  );
  output.note(
    'Check them in your organization. orgadm cannot remove memberships. If your service always takes this long, allow more time with --timeout.',
  );
}

/** Names the first rows: `usr_1 on line 2, usr_5 on line 6, and 3 more`. */
function nameRows<T extends RowPlace>(
  rows: readonly T[],
  position: RowPosition,
  detailOf: (row: T) => string = () => '',
): string {
  const named = rows.slice(0, NAMED_DUPLICATES).map((row) => {
    const place = position === 'line' ? `on line ${row.line}` : `in row ${row.entry}`;
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
 * Returns `✓ 12 created, 1 recovered (4 m 12 s)`, or the rows that need attention first: `1 failed, 12 created (interrupted by
 * SIGINT)`.
 *
 * @param reason why the run ended early; undefined if it did not, or if an error says so
 */
function summaryText(
  summary: ImportSummary,
  isDoubtful: boolean,
  reason: string | undefined,
  { options, durationText, sendsNothing }: RunReport,
): Text {
  const states = [...ATTENTION, ...(options.ignoreExisting ? [] : (['existing'] as const))];
  const needsAttention =
    isDoubtful || summary.duplicates > 0 || summary.stopped !== null || states.some((state) => summary[state] > 0);
  const counts = style.strong(renderCounts(summary, ATTENTION));
  if (sendsNothing) return nothingLeft(counts, needsAttention);
  const details = [reason, durationText].filter((part) => part !== undefined).join('; ');
  const line = details === '' ? text`${counts}` : text`${counts} (${details})`;
  return needsAttention ? line : successText(line);
}

/** Returns the summary of a run that had ended before this command. */
function nothingLeft(counts: Text, needsAttention: boolean): Text {
  return needsAttention
    ? text`${counts} (earlier; nothing was sent)`
    : successText(text`nothing left to send: ${counts} earlier`);
}
