import { toWireEntry } from '../../import/entry.ts';
import { type RejectedRow, writeErrorsFile } from '../../import/errors-file.ts';
import { quote } from '../../import/list/list-row.ts';
import type { ListRow, MappedField, MemberList } from '../../import/list/open-list.ts';
import { renderJsonText } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import type { Output } from '../../output/output.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { listDigest, suggestedCommand } from './list-flags.ts';
import type { CheckedImport } from './print-report.ts';
import { retryCommand } from './resume-command.ts';

/** Entries that a dry run shows. */
const SAMPLE_ENTRIES = 3;
/** An issue of more rows than this is reported once, with its count and its first lines. */
const MAX_REPEATED = 3;
const SHOWN_LINES = 5;
/** Different issues that are counted; of a list with more, the others are reported row by row. */
const MAX_ISSUES = 1000;
/** Rows that a terminal shows; a pipe gets all of them. */
const SHOWN_ROWS = 50;

/** What is wrong with several rows. */
interface CommonIssue {
  message: string;
  /** Number of rows. */
  rows: number;
  /** Lines of the first ones. */
  lines: number[];
}

/** What a second pass over the list found. */
interface Findings {
  issues: Map<string, CommonIssue>;
  sample: unknown[];
}

/**
 * Reports on a list of which nothing is sent: a dry run, or a list that is rejected because rows are invalid. A dry run
 * shows the mapping in effect and the first entries as they would be sent.
 *
 * @throws OrgadmError if the errors file of a valid list cannot be written
 */
export async function reportValidation(checked: CheckedImport, context: Context): Promise<void> {
  const { file, flags, options, list, check } = checked;
  const failure =
    options.errorsFile === undefined ? undefined : await writeErrors(options.errorsFile, checked, context);
  const labelName = options.dryRun ? (await context.settings()).wire.member.deviceMgmtLabelId : 'deviceMgmtLabelId';
  const findings = await inspect(list, labelName, check.invalid === 0);
  await printReport(checked, findings, context.output);
  if (check.suggestedOptions.length > 0 && check.invalid > 0) {
    context.output.hint(`Try: ${suggestedCommand(file, flags, check.suggestedOptions)}`);
  }
  if (check.invalid === 0) {
    context.output.note('dry run: the list is valid, nothing was sent');
    if (failure !== undefined) throw failure;
    return;
  }
  const rows = check.invalid === 1 ? '1 row is' : `${formatCount(check.invalid)} rows are`;
  const skip = options.dryRun ? '' : ', or add --invalid skip to send the others';
  context.output.note(`nothing was sent: ${rows} invalid. Fix the list${skip}.`);
  if (failure !== undefined) context.output.warn(failure.message);
  context.exitCode = EXIT.usage;
}

async function writeErrors(file: string, checked: CheckedImport, context: Context): Promise<OrgadmError | undefined> {
  const { flags, check } = checked;
  try {
    const rows = await writeErrorsFile(file, check.layout, invalidRows(checked));
    const count = rows === 0 ? 'no row' : `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
    context.output.note(`errors file: ${count} to fix`);
    if (rows > 0) context.output.hint(`when fixed: ${retryCommand(file, flags, context.flags)}`);
    return undefined;
  } catch (error) {
    if (error instanceof OrgadmError) return error;
    throw error;
  }
}

async function* invalidRows({ list, check }: Pick<CheckedImport, 'list' | 'check'>): AsyncGenerator<RejectedRow> {
  for await (const rows of check.invalid > 0 ? list.rows() : []) {
    for (const row of rows) if (row.value === undefined) yield { row, error: messageOf(row) };
  }
}

function messageOf({ issues }: ListRow): string {
  return issues.map(({ message }) => message).join('; ');
}

async function inspect(list: MemberList, labelName: string, isValid: boolean): Promise<Findings> {
  const findings: Findings = { issues: new Map(), sample: [] };
  for await (const rows of list.rows()) {
    if (isValid && findings.sample.length === SAMPLE_ENTRIES) break;
    for (const { line, value, issues } of rows) {
      if (value !== undefined && findings.sample.length < SAMPLE_ENTRIES) {
        findings.sample.push(toWireEntry(value, labelName));
      }
      for (const { message } of issues) {
        const known = findings.issues.get(message);
        if (known === undefined && findings.issues.size >= MAX_ISSUES) continue;
        const issue = known ?? { message, rows: 0, lines: [] };
        findings.issues.set(message, issue);
        issue.rows++;
        if (issue.lines.length < SHOWN_LINES) issue.lines.push(line);
      }
    }
  }
  return findings;
}

async function printReport(checked: CheckedImport, findings: Findings, output: Output): Promise<void> {
  const { options, check } = checked;
  const repeated = [...findings.issues.values()].filter(({ rows }) => rows > MAX_REPEATED);
  const summary = summaryOf(checked);
  const mapping = options.dryRun ? { ...check.mapping, sample: findings.sample } : undefined;
  const digest = options.dryRun ? listDigest(check.digest, options.list) : undefined;
  const issues = repeated.sort((a, b) => b.rows - a.rows);
  if (output.format === 'json') {
    await printJson(checked, { summary, digest, mapping, issues }, output);
  } else if (output.format === 'ndjson') {
    for await (const row of listedRows(checked)) await output.ndjson(row);
    await output.ndjson({ summary, digest, mapping, issues, duplicates: [], authType: null, authenticatedUser: null });
  } else if (output.format === 'csv') {
    await output.csvRow(['line', 'entry', 'userId', 'state', 'error']);
    for await (const row of listedRows(checked)) {
      await output.csvRow([row.line, row.entry, row.userId, row.state, row.error]);
    }
    if (digest !== undefined) output.note(`digest: ${digest}`);
  } else {
    const isMarkdown = output.format === 'markdown';
    if (mapping !== undefined) {
      const text = renderMapping(mapping, check.total - check.invalid);
      // No line can end the code block: each starts with a fixed word or a brace.
      await output.write(isMarkdown ? `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n\n` : text);
    }
    await printInvalidRows(checked, new Set(issues.map(({ message }) => message)), output);
    for (const { message, rows, lines } of issues) {
      const more = rows > lines.length ? ', …' : '';
      const shown = isMarkdown ? escapeMarkdown(message) : message;
      await output.write(
        `${isMarkdown ? '- ' : ''}${formatCount(rows)} rows: ${shown} (lines ${lines.join(', ')}${more})\n`,
      );
    }
    if (issues.length > 0) await output.write('\n');
    await output.write(`${output.style.strong(renderCounts(summary))} (${summary.stopped.message})\n`);
    if (digest !== undefined) await output.write(`digest: ${digest}\n`);
  }
}

function summaryOf({ options, check }: CheckedImport) {
  const valid = check.total - check.invalid;
  const isInvalid = check.invalid > 0;
  return {
    total: check.total,
    created: 0,
    existing: 0,
    recovered: 0,
    failed: 0,
    invalid: check.invalid,
    unknown: 0,
    unsent: options.dryRun ? 0 : valid,
    ...(options.dryRun ? { valid } : {}),
    duplicates: 0,
    stopped: isInvalid
      ? { code: 'invalid-list' as const, message: 'the list is invalid' }
      : { code: 'dry-run' as const, message: 'dry run' },
  };
}

function renderCounts({ total, invalid, unsent, valid = 0 }: ReturnType<typeof summaryOf>): string {
  const counts = Object.entries({ valid, invalid, unsent }).filter(([, count]) => count > 0);
  const rows = `${formatCount(total)} ${total === 1 ? 'row' : 'rows'}`;
  const states = counts.map(([state, count]) => `${formatCount(count)} ${state}`).join(', ');
  return states === '' ? rows : `${rows}: ${states}`;
}

/** The invalid rows; of a rejected list also the others, which were not sent. */
async function* listedRows({ options, list, check }: CheckedImport) {
  for await (const rows of check.invalid > 0 ? list.rows() : []) {
    for (const row of rows) {
      const isInvalid = row.value === undefined;
      if (!isInvalid && options.dryRun) continue;
      const { line, entry, userId = null } = row;
      yield { line, entry, userId, state: isInvalid ? 'invalid' : 'unsent', error: isInvalid ? messageOf(row) : null };
    }
  }
}

async function printJson(checked: CheckedImport, parts: Record<string, unknown>, output: Output): Promise<void> {
  const { summary, ...more } = parts;
  await output.write(`{\n  "summary": ${renderJsonText(summary, 2)},\n  "rows": [`);
  let first = true;
  for await (const row of listedRows(checked)) {
    await output.write(`${first ? '' : ','}\n    ${renderJsonText(row, 4)}`);
    first = false;
  }
  await output.write(first ? ']' : '\n  ]');
  for (const [name, value] of Object.entries(more)) {
    if (value !== undefined) await output.write(`,\n  "${name}": ${renderJsonText(value, 2)}`);
  }
  await output.write(',\n  "duplicates": [],\n  "authType": null,\n  "authenticatedUser": null\n}\n');
}

function renderMapping(
  { fields, ignored, sample }: CheckedImport['check']['mapping'] & { sample: readonly unknown[] },
  valid: number,
): string {
  const lines = fields.map(renderField);
  if (ignored.length > 0) lines.push(`ignored: ${ignored.map(quote).join(', ')}`);
  if (sample.length > 0) {
    const which = sample.length < valid ? `first ${sample.length} of ${formatCount(valid)} entries` : 'entries';
    lines.push(
      '',
      `${which}, as they would be sent:`,
      ...sample.map((entry) => renderJsonText(entry, 0).replace(/\n\s*/g, ' ')),
    );
  }
  return `${lines.join('\n')}\n\n`;
}

/** Renders `isActive ← not "Suspended"`. */
function renderField({ field, source, inverted, values, default: fallback }: MappedField): string {
  if (source === null) return `${field} ← ${quote(fallback ?? '')} (default)`;
  const translations = Object.entries(values).map(([from, to]) => `${from} → ${to}`);
  const notes = [...translations, ...(fallback === null ? [] : [`blank → ${fallback}`])];
  return `${field} ← ${inverted ? 'not ' : ''}${quote(source)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Prints the rows that have an issue of their own, as a table. */
async function printInvalidRows(checked: CheckedImport, repeated: ReadonlySet<string>, output: Output): Promise<void> {
  const shown: string[][] = [];
  let hidden = 0;
  let printed = false;
  const flush = async () => {
    if (shown.length === 0) return;
    await output.table(
      [
        { header: 'line', align: 'right' },
        { header: 'userId', min: 10 },
        { header: 'state', min: 7 },
        { header: 'error', min: 16, weight: 4, wrap: true },
      ],
      shown.map(([line = '', userId = '', error = '']) => [
        line,
        userId,
        { text: 'invalid', style: output.style.error },
        error,
      ]),
      { header: !printed },
    );
    printed = true;
    shown.length = 0;
  };
  for await (const { row } of invalidRows(checked)) {
    const own = row.issues.filter(({ message }) => !repeated.has(message));
    if (own.length === 0) continue;
    if (output.width !== undefined && (printed || shown.length >= SHOWN_ROWS)) hidden++;
    else shown.push([String(row.line), row.userId ?? '', own.map(({ message }) => message).join('; ')]);
    if (shown.length >= 1000) await flush();
  }
  await flush();
  if (hidden > 0) await output.write(`… and ${formatCount(hidden)} more invalid: -o csv lists them all\n`);
  if (printed) await output.write('\n');
}
