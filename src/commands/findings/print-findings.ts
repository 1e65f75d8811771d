import type { Output } from '../../output/output.ts';
import type { Finding } from '../../service/findings.ts';
import { allColumns, chooseColumns, type FindingColumn, findingCell, valueAt } from './columns.ts';
import { fitColumns, layoutOf } from './fit-columns.ts';
import { sortFindings } from './sort.ts';

export interface FindingsLayout {
  /** Undefined: chosen by what arrives. */
  columns: readonly FindingColumn[] | undefined;
  sort: string | undefined;
  wrap: boolean;
}

/** Findings from which the columns of a csv are chosen: the header stands before the rest is known. */
const CSV_SAMPLE = 1000;

/** Prints findings in the output's format; ndjson and csv as they come in, unless they are to be sorted. */
export async function printFindings(
  findings: AsyncIterable<Finding>,
  layout: FindingsLayout,
  output: Output,
): Promise<void> {
  const { sort } = layout;
  const ordered = sort === undefined ? findings : sortFindings(await collect(findings), sort);
  switch (output.format) {
    case 'json':
      // One document or nothing: an answer that breaks off must not leave half of one.
      return void (await output.jsonArray(await collect(ordered)));
    case 'ndjson':
      for await (const finding of whileRead(ordered, output)) await output.ndjson(finding);
      return;
    case 'csv':
      return printCsv(whileRead(ordered, output), layout.columns, output);
    case 'table':
      return printTable(await collect(ordered), layout, output);
  }
}

/** Lists the fields that these findings have, by their dotted names. */
export async function printFields(findings: AsyncIterable<Finding>, output: Output): Promise<void> {
  const names = allColumns(await collect(findings)).map(({ path }) => path);
  if (output.format === 'json') return output.json(names);
  for (const name of names) await (output.format === 'ndjson' ? output.ndjson(name) : output.csvRow([name]));
}

async function printTable(
  findings: readonly Finding[],
  { columns, wrap }: FindingsLayout,
  output: Output,
): Promise<void> {
  if (findings.length === 0) return output.note('no findings');
  const { width } = output;
  const chosen = columns ?? chooseForTable(findings, width);
  const medium = width === undefined ? 'pipe' : 'terminal';
  await output.table(
    chosen.map((column) => layoutOf(column, wrap)),
    findings.map((finding) => chosen.map((column) => paint(column.path, findingCell(finding, column, medium), output))),
  );
}

function chooseForTable(findings: readonly Finding[], width: number | undefined): readonly FindingColumn[] {
  const fitting = chooseColumns(findings);
  return width === undefined ? fitting : fitColumns(fitting, findings, width);
}

function paint(path: string, text: string, { style }: Output) {
  if (path !== 'severity') return text;
  if (text === 'critical' || text === 'high') return { text, paint: style.bad };
  return text === 'medium' ? { text, paint: style.warn } : text;
}

async function printCsv(
  findings: AsyncIterable<Finding>,
  columns: readonly FindingColumn[] | undefined,
  output: Output,
): Promise<void> {
  const sample: Finding[] = [];
  let chosen = columns;
  const writeRow = (finding: Finding) => output.csvRow((chosen ?? []).map(({ path }) => valueAt(finding, path)));
  const start = async () => {
    chosen ??= allColumns(sample);
    if (chosen.length > 0) await output.csvRow(chosen.map(({ path }) => path));
    for (const finding of sample.splice(0)) await writeRow(finding);
  };
  let started = false;
  for await (const finding of findings) {
    if (started) await writeRow(finding);
    else if (sample.push(finding) === CSV_SAMPLE) {
      await start();
      started = true;
    }
  }
  if (!started) await start();
}

/** Ends when nobody reads the output any more: a list of any size need not be fetched for `head`. */
async function* whileRead(
  findings: AsyncIterable<Finding> | Iterable<Finding>,
  output: Output,
): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    if (output.closed) return;
    yield finding;
  }
}

async function collect(findings: AsyncIterable<Finding> | Iterable<Finding>): Promise<Finding[]> {
  if (Array.isArray(findings)) return findings;
  const all: Finding[] = [];
  for await (const finding of findings) all.push(finding);
  return all;
}
