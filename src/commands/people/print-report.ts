import type { RowState } from '../../import/journal/row-states.ts';
import type { RunFacts } from '../../import/journal/run-state.ts';
import {
  type ImportSummary,
  type ListedRow,
  positionIn,
  type ReportDuplicate,
  type ReportRow,
  type ReportSource,
  type RowPosition,
  renderCounts,
  reportDuplicates,
  reportRows,
  type StopReason,
  summarize,
} from '../../import/report.ts';
import type { Output } from '../../output/output.ts';
import { printRecords } from '../../output/print-records.ts';
import { joinText, style, successText, type Text, text } from '../../output/text.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { Advice } from './advice.ts';
import { commonMessages } from './common-messages.ts';
import type { DescribedMapping } from './mapping-in-effect.ts';
import { commonText, rowTables } from './row-tables.ts';

interface PrintReportOptions {
  stopped: StopReason | null;
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: ((state: RowState) => boolean) | undefined;
  /** Collects the settings that would have helped. */
  advice?: Advice | undefined;
  /** The command or option that lists the rows that a terminal does not show; default `-o csv`. */
  listAll?: string;
  /** How long the run took, for people; undefined if that is not worth mentioning. */
  durationText?: string | undefined;
  /** Whether the key is that of the sandbox, which the user did not choose. */
  isSandbox?: boolean;
  /** Whether existing members are as requested. */
  ignoreExisting?: boolean | undefined;
  /** Set for a list that orgadm did not send. */
  validation?: ValidationDetails;
}

/** Additional parts of the report on a list that orgadm did not send. */
interface ValidationDetails {
  /** Undefined for a list that orgadm rejects. A dry run lists only the invalid rows, and counts the others as valid. */
  dryRun: DryRun | undefined;
}

interface DryRun {
  digest: string;
  mapping: DescribedMapping;
  /** The mapping for people, who read it before the rows. */
  mappingText: readonly string[];
}

/** Prints the outcome of every row in the output's format. */
export async function printReport(
  source: ReportSource,
  options: PrintReportOptions,
  { output }: Pick<Context, 'output'>,
): Promise<void> {
  const { stopped, validation, advice, listAll = '-o csv', ignoreExisting = false } = options;
  const { run, allRows } = source;
  const duplicates = await reportDuplicates(source);
  const { dryRun } = validation ?? {};
  const isDryRun = dryRun !== undefined;
  const summary = summarize(run, { stopped, isDryRun });
  const { authType = null, authenticatedUser = null } = run.facts;
  const end = async () => ({
    ...(validation && {
      digest: dryRun?.digest,
      mapping: dryRun?.mapping,
      issues: (await commonMessages(source)).map(({ state: _, ...issue }) => issue),
    }),
    duplicates,
    authType,
    authenticatedUser,
  });
  const rows = () => listedRows(source, advice, { isUnsentListed: !isDryRun });
  const views = {
    json: async () => ({ summary, rows: rowsOf(rows()), ...(await end()) }),
    async *ndjson() {
      for await (const { row } of rows()) if (!options.isPrinted?.(row.state)) yield [row];
      yield [{ summary, ...(await end()) }];
    },
    async *csv() {
      yield [['line', 'entry', 'userId', 'state', 'message', ...(allRows ? ['memberId'] : [])]];
      for await (const { row } of rows()) {
        const { line, entry, userId, state, error, memberId } = row;
        yield [[line, entry, userId, state, error, ...(allRows ? [memberId] : [])]];
      }
    },
    async *people() {
      if (dryRun !== undefined && dryRun.mappingText.length > 0) yield [{ code: dryRun.mappingText, language: 'text' }];
      const common = await commonMessages(source);
      // A table only counts unsent rows: there is nothing to say about each of them, and there may be thousands.
      const listed = listedRows(source, advice, { isUnsentListed: false });
      const position = positionIn(source);
      yield* rowTables(needingAttention(listed), common, { allRows, listAll, terminalColumns: output.width, position });
      if (common.length > 0) yield [{ items: common.map((message) => commonText(message, summary, position)) }];
      const caller = options.isSandbox ? undefined : callerText(run.facts);
      const counts = summaryText(summary, options.durationText, ignoreExisting);
      const digest = dryRun && text`digest: ${dryRun.digest}`;
      yield [joinText([counts, ...[caller, digest].filter((line) => line !== undefined)], text`\n`)];
    },
  };
  await printRecords(views, output);
  if (duplicates.length > 0) warnOfDuplicates(duplicates, positionIn(source), output);
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

/** Names whom the key belongs to, if the service said so. */
function callerText({ authType, authenticatedUser }: RunFacts): Text | undefined {
  const name = authenticatedUser?.email ?? authenticatedUser?.id;
  if (name === undefined) return undefined;
  return authType === undefined ? text`Authenticated as ${name}` : text`Authenticated as ${name} (${authType})`;
}

/** Yields the rows to list: the created ones only with their member IDs. */
async function* listedRows(
  source: ReportSource,
  advice: Advice | undefined,
  { isUnsentListed }: { isUnsentListed: boolean },
): AsyncGenerator<ListedRow> {
  const isListed = (state: RowState) => (state === 'created' ? source.allRows : state !== 'unsent' || isUnsentListed);
  for await (const listed of reportRows(source, isListed)) {
    advice?.add(listed.row, source.run.plainMessageFor(listed.row.entry));
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

/** The states of rows that need attention, in the order in which a summary names them. */
const ATTENTION: readonly RowState[] = ['failed', 'invalid', 'unknown', 'unsent'];

/**
 * `✓ 12 created, 1 recovered (4 m 12 s)`, or the rows that need attention first: `1 failed, 12 created (interrupted by SIGINT)`.
 *
 * @param ignoresExisting whether existing members are as requested
 */
function summaryText(summary: ImportSummary, durationText: string | undefined, ignoresExisting: boolean): Text {
  if (summary.total === 0) return text`0 rows: nothing was sent`;
  const states = [...ATTENTION, ...(ignoresExisting ? [] : (['existing'] as const))];
  const needsAttention =
    summary.duplicates > 0 || summary.stopped !== null || states.some((state) => summary[state] > 0);
  const counts = style.strong(renderCounts(summary, ATTENTION));
  const details = [summary.stopped?.message, durationText].filter((part) => part !== undefined).join('; ');
  const line = details === '' ? text`${counts}` : text`${counts} (${details})`;
  return needsAttention ? line : successText(line);
}
