import { isAscii } from 'node:buffer';
import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import type { Block } from '../../output/blocks.ts';
import { renderCell } from '../../output/json.ts';
import type { Output } from '../../output/output.ts';
import { printRecords } from '../../output/print-records.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { Cell } from '../../output/table.ts';
import { style, text } from '../../output/text.ts';
import { replaceOutsideStrings } from '../../util/json/outside-strings.ts';
import { chooseColumns, type FindingColumn, fieldNames, readerOf } from './finding-columns.ts';
import { holdFindings } from './hold-findings.ts';
import { mostSevereFirst } from './sort-findings.ts';
import { MEDIUM_SEVERITY, severityRank } from './value-ranks.ts';

/** Findings as they arrive, in groups that arrived together. */
type FindingGroups = AsyncIterable<readonly ListedFinding[]>;

/**
 * Prints findings in the output's format; ndjson and csv as they arrive. A table begins with the most severe ones.
 *
 * @param onPrint called before each group that ndjson and csv print
 */
export async function printFindings(groups: FindingGroups, output: Output, onPrint: () => void): Promise<void> {
  const views = {
    // Printed only when complete: a response that is cut off must not leave half a document.
    json: () => holdFindings(groups),
    async *ndjson() {
      for await (const group of groups) {
        onPrint();
        yield [ndjsonLines(group)];
      }
    },
    async *csv() {
      for await (const rows of csvGroups(groups)) {
        onPrint();
        yield rows;
      }
    },
    async *people() {
      yield [tableOf(mostSevereFirst(await holdFindings(groups)), output)];
    },
  };
  await printRecords(views, output);
}

const DEL = 0x7f;

/**
 * Renders each finding as one line: the text that the service sent, with numbers and the order of keys as they are. White
 * space is removed if it holds line breaks, and hidden characters are escaped.
 */
function ndjsonLines(findings: readonly ListedFinding[]): Buffer {
  const lines = findings.map((finding) => {
    if (!finding.text.includes('\n') && !finding.text.includes('\r')) return finding.text;
    return replaceOutsideStrings(finding.text, (part) => part.replace(/\s+/g, ''));
  });
  const json = `${lines.join('\n')}\n`;
  const bytes = Buffer.from(json);
  // The only hidden character of ASCII that JSON may hold unescaped is DEL.
  return isAscii(bytes) && !bytes.includes(DEL) ? bytes : Buffer.from(escapeJson(json));
}

function tableOf(findings: readonly Finding[], { width }: Output): Block {
  if (findings.length === 0) return { notice: text`no findings` };
  const columns = chooseColumns(findings);
  const cells = columns.map((column) => {
    const readCell = cellReader(column, width !== undefined);
    return (finding: Finding) => styleCell(column.path, readCell(finding));
  });
  return {
    columns: columns.map(({ path }) => path),
    // Created on demand: a table holds its findings, but not the text of all cells.
    rows: {
      *[Symbol.iterator]() {
        for (const finding of findings) yield cells.map((cellOf) => cellOf(finding));
      },
    },
  };
}

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}/;

/** Returns a function that renders a finding's cell in a column of a table, not yet sanitized. */
function cellReader({ path, isDay }: FindingColumn, isTerminal: boolean): (finding: Finding) => string {
  const read = readerOf(path);
  if (!isDay || !isTerminal) return (finding) => renderCell(read(finding));
  return (finding) => {
    const time = renderCell(read(finding));
    return TIME.exec(time)?.[1] ?? time;
  };
}

function styleCell(path: string, value: string): Cell {
  const rank = path === 'severity' ? severityRank(value) : undefined;
  if (rank === undefined || rank > MEDIUM_SEVERITY) return value;
  return rank < MEDIUM_SEVERITY ? style.error(value) : style.warn(value);
}

/** Number of findings by which the columns of a csv are chosen, because its header comes first. */
const CSV_SAMPLE = 1000;

async function* csvGroups(groups: FindingGroups): AsyncGenerator<readonly unknown[][]> {
  const sample: Finding[] = [];
  let readers: readonly ((finding: Finding) => unknown)[] | undefined;
  const rowsOf = (findings: readonly Finding[]) =>
    findings.map((finding) => (readers ?? []).map((read) => read(finding)));
  function* start(): Generator<unknown[][]> {
    const names = fieldNames(sample);
    readers = names.map(readerOf);
    if (names.length > 0) yield [names];
    yield rowsOf(sample);
  }
  for await (const group of groups) {
    const findings = group.map(({ value }) => value);
    if (readers !== undefined) {
      yield rowsOf(findings);
      continue;
    }
    for (const finding of findings) sample.push(finding);
    if (sample.length >= CSV_SAMPLE) yield* start();
  }
  if (readers === undefined) yield* start();
}
