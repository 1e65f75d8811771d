import type { RowState } from '../../import/journal/row-states.ts';
import type { ListRow } from '../../import/list/open-list.ts';
import {
  describeIssues,
  type ImportSummary,
  type ListedRow,
  type ReportRow,
  renderCounts,
} from '../../import/report.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import type { Output } from '../../output/output.ts';
import type { Style } from '../../output/style.ts';
import { formatCount } from '../../util/units.ts';

/** What is wrong with several rows. */
export interface CommonIssue {
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

/** Counts the issues of rows. */
export class IssueCounts {
  readonly #issues = new Map<string, CommonIssue>();

  add({ line, issues }: Pick<ListRow, 'line' | 'issues'>): void {
    for (const { message } of issues) {
      const known = this.#issues.get(message);
      if (known === undefined && this.#issues.size >= MAX_ISSUES) continue;
      const issue = known ?? { message, rows: 0, lines: [] };
      this.#issues.set(message, issue);
      issue.rows++;
      if (issue.lines.length < SHOWN_LINES) issue.lines.push(line);
    }
  }

  /** Returns the issues of many rows, the most frequent first. */
  common(): CommonIssue[] {
    return [...this.#issues.values()].filter(({ rows }) => rows > MAX_REPEATED).sort((a, b) => b.rows - a.rows);
  }
}

/** Rows of a table that are laid out at a time: a report of any size needs no more memory than these. */
const TABLE_ROWS = 1000;

/** Rows that a terminal shows; a pipe gets all of them. */
const SHOWN_ROWS = 50;

interface ReportTable {
  summary: ImportSummary;
  /** Issues that are printed once, below the rows. */
  issues: readonly CommonIssue[];
  hasMembers: boolean;
  /** How long the run took. */
  took: string | undefined;
  /** The command or option that lists the rows that a terminal does not show. */
  listAll: string;
}

/** Prints rows and summary for people. A terminal shows only the first rows of each kind. */
export async function printReportTable(
  rows: AsyncIterable<ListedRow>,
  { summary, issues, hasMembers, took, listAll }: ReportTable,
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
  await output.text(renderSummary(summary, took, output));
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
