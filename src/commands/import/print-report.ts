import type { RowState } from '../../import/journal/row-states.ts';
import type { RunFacts } from '../../import/journal/run-state.ts';
import type { ReportDetails, ReportFold } from '../../import/report/fold-report.ts';
import {
  type ImportSummary,
  type ListedRow,
  positionIn,
  type ReportDuplicate,
  type ReportMismatch,
  type ReportRow,
  type ReportSource,
  type RowPosition,
  renderCounts,
  type StopReason,
  summarize,
} from '../../import/report/report.ts';
import type { Block } from '../../output/blocks.ts';
import type { Output } from '../../output/output.ts';
import { printRecords } from '../../output/print-records.ts';
import { joinText, style, successText, type Text, text } from '../../output/text.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { DescribedMapping } from './mapping-in-effect.ts';
import { commonText, rowTables, streamedTable } from './row-tables.ts';

export interface PrintReportOptions {
  stopped: StopReason | null;
  /** Whether the command ends with an error that says why the run stopped, so that a table need not. */
  endsInError?: boolean;
  /** The run in the journal; undefined for a list that orgadm did not send. */
  journaled?: JournaledRun | undefined;
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: ((state: RowState) => boolean) | undefined;
  /** A message that an error quotes. */
  quotedMessage?: string | undefined;
  /** The command or option that lists the rows that a terminal does not show; default `-o csv`. */
  listAll?: string;
  /** How long the run took, for people; undefined if that is not worth mentioning. */
  durationText?: string | undefined;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox?: boolean;
  /** Whether existing members are as requested: people read only their number. */
  ignoreExisting?: boolean | undefined;
  /** The mapping in effect of an import. */
  mapping?: DescribedMapping | undefined;
  /** Set for a list that orgadm did not send. */
  validation?: ValidationDetails;
}

/** The run that a report is about, and whether an earlier command began it. */
export interface JournaledRun {
  id: string;
  continued: boolean;
}

/** Additional parts of the report on a list that orgadm did not send. */
interface ValidationDetails {
  /**
   * The mapping for people, who read it before the rows of a dry run, which lists only the invalid rows and counts the others as
   * valid. Undefined for a list that orgadm rejects.
   */
  dryRunMapping: readonly Block[] | undefined;
}

/**
 * Prints the outcome of every row in the output's format.
 *
 * @param fold the pass over the rows, which the formats for programs print on the way
 */
export async function printReport(
  source: ReportSource,
  fold: ReportFold,
  options: PrintReportOptions,
  { output }: Pick<Context, 'output'>,
): Promise<void> {
  const { stopped, validation, isPrinted = () => false } = options;
  const { run, allRows } = source;
  const isDryRun = validation?.dryRunMapping !== undefined;
  const summary = summarize(run, { stopped, isDryRun });
  const { authType = null, authenticatedUser = null } = run.facts;
  const head = { summary, run: options.journaled ?? null };
  const end = { authType, authenticatedUser };
  const views = {
    json: () => ({
      ...head,
      rows: rowsOf(fold.rows()),
      mapping: options.mapping,
      duplicates: afterwards(fold, ({ duplicates }) => duplicates),
      mismatches: afterwards(fold, ({ mismatches }) => mismatches),
      ...end,
    }),
    async *ndjson() {
      for await (const rows of rowsOf(fold.rows())) yield rows.filter(({ state }) => !isPrinted(state));
      const { duplicates, mismatches } = await fold.finish();
      yield [{ ...head, mapping: options.mapping, duplicates, mismatches, ...end }];
    },
    async *csv() {
      yield [['line', 'entry', 'userId', 'state', 'message', ...(allRows ? ['memberId'] : [])]];
      for await (const rows of rowsOf(fold.rows()))
        yield rows.map(({ line, entry, userId, state, error, memberId }) => [
          ...[line, entry, userId, state, error],
          ...(allRows ? [memberId] : []),
        ]);
    },
    people: () => {
      // Markdown goes to a page that does not have the error.
      const endsInError = options.endsInError && output.format === 'table';
      return peopleBlocks(source, fold, summary, { ...options, endsInError }, output.width !== undefined);
    },
  };
  await printRecords(views, output);
  const { duplicates, mismatches } = await fold.finish();
  if (duplicates.length > 0) warnOfDuplicates(duplicates, positionIn(source), output);
  if (mismatches.length > 0)
    output.warn(
      `the service stored ${countOf(mismatches.length, 'value')} of created members differently from what orgadm sent`,
    );
}

async function* peopleBlocks(
  source: ReportSource,
  fold: ReportFold,
  summary: ImportSummary,
  options: PrintReportOptions,
  isTerminal: boolean,
): AsyncGenerator<Block[]> {
  const { validation, listAll = '-o csv' } = options;
  const { run, allRows } = source;
  const { dryRunMapping = [] } = validation ?? {};
  yield [...dryRunMapping];
  const position = positionIn(source);
  const isStreamed = allRows && !isTerminal;
  if (isStreamed) yield* streamedTable(fold.rows(), position);
  const { common, mismatches, ...rows } = await fold.finish();
  if (!isStreamed) {
    const unquoted = rows.rows.filter(({ error }) => error === null || error !== options.quotedMessage);
    yield rowTables({ ...rows, rows: unquoted }, { allRows, listAll, isTerminal, position });
    const repeated = common.filter(({ message }) => message !== options.quotedMessage);
    if (repeated.length > 0) yield [{ items: repeated.map((message) => commonText(message, summary, position)) }];
  }
  if (mismatches.length > 0) yield [mismatchTable(mismatches, position)];
  const caller = options.isSandbox ? undefined : callerText(run.facts);
  const counts = summaryText(summary, mismatches.length > 0, options);
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

/** Names users in a warning up to this many; the JSON report has them all. */
const NAMED_DUPLICATES = 10;

function warnOfDuplicates(duplicates: readonly ReportDuplicate[], position: RowPosition, output: Output): void {
  const describe = ({ userId, line, entry, memberIds }: ReportDuplicate) =>
    `${userId ?? 'the user'} ${position === 'line' ? `on line ${line}` : `in row ${entry}`} (${memberIds.join(', ')})`;
  const users =
    duplicates.length === 1
      ? '1 user has two active memberships'
      : `${formatCount(duplicates.length)} users have two active memberships`;
  const more =
    duplicates.length > NAMED_DUPLICATES ? `, and ${formatCount(duplicates.length - NAMED_DUPLICATES)} more` : '';
  output.warn(`${users}: ${duplicates.slice(0, NAMED_DUPLICATES).map(describe).join(', ')}${more}`);
  output.note(
    'Check these users in your organization. If one appears twice, remove the membership with the second ID. orgadm cannot remove memberships.',
  );
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
  return { columns: [{ header: position, align: 'right' }, 'userId', 'field', 'sent', 'stored'], rows };
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
 */
function summaryText(
  summary: ImportSummary,
  hasMismatches: boolean,
  { ignoreExisting, endsInError, durationText }: PrintReportOptions,
): Text {
  if (summary.total === 0) return text`0 rows: nothing was sent`;
  const states = [...ATTENTION, ...(ignoreExisting ? [] : (['existing'] as const))];
  const needsAttention =
    hasMismatches || summary.duplicates > 0 || summary.stopped !== null || states.some((state) => summary[state] > 0);
  const counts = style.strong(renderCounts(summary, ATTENTION));
  const reason = endsInError ? undefined : summary.stopped?.message;
  const details = [reason, durationText].filter((part) => part !== undefined).join('; ');
  const line = details === '' ? text`${counts}` : text`${counts} (${details})`;
  return needsAttention ? line : successText(line);
}
