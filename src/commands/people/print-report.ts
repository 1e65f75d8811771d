import { type RejectedRow, writeErrorsFile } from '../../import/errors-file.ts';
import type { Duplicate, RunMetadata } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { ListLayout, ListValidation, MemberList } from '../../import/list/open-list.ts';
import {
  type ImportSummary,
  type ReportDuplicate,
  type ReportRow,
  type ReportSource,
  reportDuplicates,
  reportRows,
  type StopReason,
  summarize,
} from '../../import/report.ts';
import { renderJsonText } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import type { Output } from '../../output/output.ts';
import type { Style } from '../../output/style.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { BulkAddFlags, BulkAddOptions } from './bulk-options.ts';
import { retryCommand } from './resume-command.ts';
import type { SettingHints } from './setting-hints.ts';

interface PrintReportOptions {
  stopped: StopReason | null;
  /** The rows to list, by their state; the others are only counted. Default: all but the created ones. */
  wanted?: (state: RowState) => boolean;
  metadata?: RunMetadata;
  duplicates?: readonly Duplicate[];
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: (state: RowState) => boolean;
  /** Collects from the rows which settings would have helped; printed after the report. */
  hints?: SettingHints;
}

/** Rows of a table that are laid out at a time: a report of any size needs no more memory than these. */
const TABLE_ROWS = 1000;

/** Rows that a terminal shows; a pipe gets all of them. */
const SHOWN_ROWS = 50;

/** Prints the outcome of every row in the output's format, and the settings that would have helped. */
export async function printReport(source: ReportSource, options: PrintReportOptions, context: Context): Promise<void> {
  const { output } = context;
  const duplicates = await reportDuplicates(source, options.duplicates ?? []);
  const summary = summarize(source.rowStates, duplicates.length, options.stopped);
  const hasMembers = source.memberIdFor !== undefined;
  const rows = listedRows(source, options, output);
  switch (output.format) {
    case 'json':
      await printJson(rows, summary, duplicates, options.metadata, output);
      break;
    case 'ndjson':
      for await (const row of rows) if (!options.isPrinted?.(row.state)) await output.ndjson(row);
      await output.ndjson({ summary, duplicates, ...authenticatedCaller(options.metadata) });
      break;
    case 'csv':
      await output.csvRow(['line', 'entry', 'userId', 'state', 'error', ...(hasMembers ? ['memberId'] : [])]);
      for await (const { line, entry, userId, state, error, memberId } of rows)
        await output.csvRow([line, entry, userId, state, error, ...(hasMembers ? [memberId] : [])]);
      break;
    case 'table':
    case 'markdown':
      await printTable(rows, summary, hasMembers, output);
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

/** Yields the rows to list: the created ones only with their member ids. */
async function* listedRows(
  source: ReportSource,
  { wanted = () => true, hints }: PrintReportOptions,
  output: Output,
): AsyncGenerator<ReportRow> {
  // A table only counts unsent rows: there is nothing to say about each of them, and there may be thousands.
  const isListed = (state: RowState) =>
    (state !== 'created' || source.memberIdFor !== undefined) &&
    !(output.isForPeople && state === 'unsent') &&
    wanted(state);
  for await (const { row } of reportRows(source, isListed)) {
    hints?.add(row.state, row.error);
    yield row;
  }
}

async function printJson(
  rows: AsyncIterable<ReportRow>,
  summary: ImportSummary,
  duplicates: readonly ReportDuplicate[],
  metadata: RunMetadata | undefined,
  output: Output,
): Promise<void> {
  await output.write(`{\n  "summary": ${renderJsonText(summary, 2)},\n  "rows": [`);
  let first = true;
  for await (const row of rows) {
    await output.write(`${first ? '' : ','}\n    ${renderJsonText(row, 4)}`);
    first = false;
  }
  const { authType, authenticatedUser } = authenticatedCaller(metadata);
  await output.write(first ? '],\n' : '\n  ],\n');
  await output.write(`  "duplicates": ${renderJsonText(duplicates, 2)},\n`);
  await output.write(
    `  "authType": ${renderJsonText(authType, 2)},\n  "authenticatedUser": ${renderJsonText(authenticatedUser, 2)}\n}\n`,
  );
}

function authenticatedCaller(metadata: RunMetadata | undefined) {
  return { authType: metadata?.authType ?? null, authenticatedUser: metadata?.authenticatedUser ?? null };
}

async function printTable(
  rows: AsyncIterable<ReportRow>,
  summary: ImportSummary,
  hasMembers: boolean,
  output: Output,
): Promise<void> {
  const onTerminal = output.width !== undefined;
  let chunk: ReportRow[] = [];
  let shown = 0;
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map<RowState, number>();
  for await (const row of rows) {
    const kind = row.state === 'existing' || row.state === 'created' ? row.state : 'others';
    if (onTerminal && room[kind]-- <= 0) {
      hidden.set(row.state, (hidden.get(row.state) ?? 0) + 1);
      continue;
    }
    chunk.push(row);
    if (chunk.length < TABLE_ROWS) continue;
    await printRows(chunk, shown === 0, hasMembers, output);
    shown += chunk.length;
    chunk = [];
  }
  if (chunk.length > 0) await printRows(chunk, shown === 0, hasMembers, output);
  if (hidden.size > 0) {
    const counts = [...hidden].map(([state, count]) => `${formatCount(count)} more ${state}`);
    await output.write(`… and ${counts.join(', ')}: -o csv lists them all\n`);
  }
  if (shown + chunk.length > 0) await output.write('\n');
  await output.write(renderSummary(summary, output));
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
      { header: 'error', min: 16, weight: 4, wrap: true },
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

/** Renders `14 rows: 12 created, 1 existing, 1 failed`, without the states that no row has. */
function renderSummary({ total, stopped, duplicates: _, ...counts }: ImportSummary, { style, format }: Output): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${formatCount(count)} ${state}`);
  const rows = `${formatCount(total)} ${total === 1 ? 'row' : 'rows'}`;
  const message = format === 'markdown' ? escapeMarkdown(stopped?.message ?? '') : stopped?.message;
  const reason = stopped === null ? '' : ` (${message})`;
  return `${style.strong(parts.length === 0 ? rows : `${rows}: ${parts.join(', ')}`)}${reason}\n`;
}

export interface CheckedImport {
  /** The list as the user named it. */
  file: string;
  flags: BulkAddFlags;
  options: BulkAddOptions;
  list: MemberList;
  check: ListValidation;
}

/**
 * Writes the errors file, then prints the report.
 *
 * @returns why the errors file could not be written; undefined where it was
 */
export async function reportImport(
  { flags, options, check }: Pick<CheckedImport, 'flags' | 'options' | 'check'>,
  source: ReportSource,
  report: PrintReportOptions,
  context: Context,
): Promise<OrgadmError | undefined> {
  const { errorsFile } = options;
  let errorsFileResult: ErrorsFileResult | undefined;
  if (errorsFile !== undefined) errorsFileResult = await writeRejectedRows(errorsFile, check.layout, source);
  await printReport(source, report, context);
  if (errorsFile === undefined || errorsFileResult === undefined) return undefined;
  if ('failure' in errorsFileResult) return errorsFileResult.failure;
  const { rows } = errorsFileResult;
  const countText = rows === 0 ? 'no row' : `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  context.output.note(`errors file: ${countText} to fix`);
  if (rows > 0) context.output.hint(`when fixed: ${retryCommand(errorsFile, flags, context.flags)}`);
  return undefined;
}

/** The number of rows in the errors file, or why it could not be written. */
type ErrorsFileResult = { rows: number } | { failure: OrgadmError };

/**
 * Writes the failed and invalid rows into the errors file, after the run and before its report. A failure is returned, not
 * thrown: the outcome of the rows is still reported.
 */
async function writeRejectedRows(file: string, layout: ListLayout, source: ReportSource): Promise<ErrorsFileResult> {
  try {
    return { rows: await writeErrorsFile(file, layout, rejectedRows(source)) };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    return { failure: errorsFileFailure(error) };
  }
}

async function* rejectedRows(source: ReportSource): AsyncGenerator<RejectedRow> {
  for await (const { row, listRow } of reportRows(source, (state) => state === 'failed' || state === 'invalid')) {
    if (listRow !== undefined) yield { row: listRow, error: row.error ?? '' };
  }
}

/** Once sending has begun, an errors file that cannot be written is a failure and no longer invalid usage. */
function errorsFileFailure({ code, message, cause }: OrgadmError): OrgadmError {
  return new OrgadmError(code, EXIT.failure, message, {
    hint: 'The report still lists these rows. To write them, run the same command with --resume and another --errors-file.',
    cause,
  });
}
