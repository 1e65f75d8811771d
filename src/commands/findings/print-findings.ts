import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import { type Output, printRecords } from '../../output/output.ts';
import { cleanLine, escapeJson } from '../../output/sanitize.ts';
import type { ValueCount } from './count-values.ts';
import {
  allColumns,
  type ColumnCheck,
  chooseColumns,
  type FindingColumn,
  findingCell,
  findingColumnLayout,
  fitFindingColumns,
  readerOf,
} from './finding-columns.ts';
import { sortFindings } from './sort-findings.ts';
import { MEDIUM_SEVERITY, severityRank } from './value-ranks.ts';

export interface FindingsLayout {
  /** Undefined to choose them by the findings. */
  columns: readonly FindingColumn[] | undefined;
  /** Knows the requested columns that no finding has had so far. */
  columnCheck: ColumnCheck;
  sort: string | undefined;
  wrap: boolean;
}

/** Findings as they arrive, in groups that arrived together. */
type FindingGroups = AsyncIterable<readonly ListedFinding[]>;

/** Prints findings in the output's format; ndjson and csv as they arrive, unless they are sorted. */
export async function printFindings(groups: FindingGroups, layout: FindingsLayout, output: Output): Promise<void> {
  const { sort } = layout;
  const ordered = sort === undefined ? groups : sorted(groups, sort);
  switch (output.format) {
    case 'json':
      // Printed only when complete: a response that is cut off must not leave half a document.
      return void (await output.jsonArray(await collectFindings(ordered)));
    case 'ndjson':
      for await (const group of whileRead(ordered, output)) await output.write(renderLines(group));
      return;
    case 'csv':
      return printCsv(whileRead(ordered, output), layout, output);
    case 'table':
    case 'markdown':
      return printTable(await collectFindings(ordered), layout, output);
  }
}

/** Prints the fields of these findings by dotted name. */
export async function printFields(groups: FindingGroups, output: Output): Promise<void> {
  const names = allColumns(await collectFindings(groups)).map(({ path }) => path);
  if (names.length === 0) output.note('no findings, so there are no fields to list');
  if (output.format === 'json') return output.json(names);
  for (const name of names) {
    if (output.format === 'ndjson') await output.ndjson(name);
    else if (output.format === 'csv') await output.csvRow([name]);
    else if (output.format === 'markdown') await output.write(`- ${escapeMarkdown(name)}\n`);
    else await output.write(`${cleanLine(name)}\n`);
  }
}

/** Prints the counts of a field's values in the output's format. */
export function printValueCounts(path: string, counts: readonly ValueCount[], output: Output): Promise<void> {
  const csv = [[path, 'count'], ...counts.map(({ value, count }) => [value, count])];
  const rows = counts.map(({ value, count }) => [value === null ? '(none)' : renderCell(value), String(count)]);
  const table = () =>
    counts.length === 0
      ? printNoFindings(output)
      : output.table([{ header: path }, { header: 'count', align: 'right' }], rows);
  return printRecords({ json: counts, ndjson: counts, csv, table }, output);
}

/** A string or white space of a JSON text. */
const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|\s+/g;

/**
 * Renders each finding as one line: the text that the service sent, with numbers and the order of keys as they are. White
 * space is removed if it holds line breaks, and hidden characters are escaped.
 */
function renderLines(findings: readonly ListedFinding[]): string {
  const lines = findings.map(({ text }) =>
    /[\r\n]/.test(text) ? text.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : '')) : text,
  );
  return escapeJson(`${lines.join('\n')}\n`);
}

async function printTable(
  findings: readonly Finding[],
  { columns, wrap }: FindingsLayout,
  output: Output,
): Promise<void> {
  if (findings.length === 0) return printNoFindings(output);
  const { width } = output;
  const chosen = columns ?? chooseColumns(findings);
  const fitting = columns === undefined && width !== undefined ? fitFindingColumns(chosen, findings, width) : chosen;
  const medium = width === undefined ? 'pipe' : 'terminal';
  await output.table(
    fitting.map((column) => findingColumnLayout(column, wrap)),
    // Created on demand: a table holds its findings, but not the text of all cells.
    {
      *[Symbol.iterator]() {
        for (const finding of findings) {
          yield fitting.map((column) => styleCell(column.path, findingCell(finding, column, medium), output));
        }
      },
    },
  );
}

function styleCell(path: string, text: string, { style }: Output) {
  const rank = path === 'severity' ? severityRank(text) : undefined;
  if (rank === undefined || rank > MEDIUM_SEVERITY) return text;
  return { text, style: rank < MEDIUM_SEVERITY ? style.error : style.warn };
}

/** Number of findings by which the columns of a csv are chosen and checked, because its header comes first. */
const CSV_SAMPLE = 1000;

async function printCsv(
  groups: FindingGroups,
  { columns, columnCheck, sort }: FindingsLayout,
  output: Output,
): Promise<void> {
  const sample: Finding[] = [];
  let readers: readonly ((finding: Finding) => unknown)[] | undefined;
  const writeRows = (rows: readonly Finding[]) =>
    output.csvRows(rows.map((finding) => (readers ?? []).map((read) => read(finding))));
  const start = async (isComplete: boolean) => {
    columnCheck.check({ isComplete: isComplete || sort !== undefined });
    const chosen = columns ?? allColumns(sample.slice(0, CSV_SAMPLE));
    readers = chosen.map(({ path }) => readerOf(path));
    if (chosen.length > 0) await output.csvRow(chosen.map(({ path }) => path));
    await writeRows(sample.splice(0));
  };
  for await (const group of groups) {
    const rows = group.map(({ value }) => value);
    if (readers !== undefined) await writeRows(rows);
    else if (sample.push(...rows) >= CSV_SAMPLE) await start(false);
  }
  if (readers === undefined) await start(true);
}

/** Sorted findings are printed in groups of this size. */
const SORTED_GROUP = 100;

async function* sorted(groups: FindingGroups, by: string): AsyncGenerator<readonly ListedFinding[]> {
  const all: ListedFinding[] = [];
  for await (const group of groups) all.push(...group);
  const ordered = sortFindings(all, by);
  for (let at = 0; at < ordered.length; at += SORTED_GROUP) yield ordered.slice(at, at + SORTED_GROUP);
}

/** Ends when the reader of the output has exited, for example `head`. */
async function* whileRead(groups: FindingGroups, output: Output): AsyncGenerator<readonly ListedFinding[]> {
  for await (const group of groups) {
    if (output.closed) return;
    yield group;
  }
}

async function collectFindings(groups: FindingGroups): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const group of groups) for (const { value } of group) all.push(value);
  return all;
}

/** Prints that there are no findings: on stderr, or in a Markdown report that would be empty without it. */
async function printNoFindings(output: Output): Promise<void> {
  if (output.format === 'markdown') return output.write('No findings.\n');
  output.note('no findings');
}
