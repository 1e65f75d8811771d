import type { Finding, FindingsResponse } from '../../client/operations.ts';
import type { Block } from '../../output/blocks.ts';
import { renderCell } from '../../output/json.ts';
import type { Output } from '../../output/output.ts';
import { printRecords } from '../../output/print-records.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { Cell } from '../../output/table.ts';
import { style, text } from '../../output/text.ts';
import { elementTexts } from './element-texts.ts';
import { chooseColumns, type FindingColumn, fieldNames, readerOf } from './finding-columns.ts';
import { MEDIUM_SEVERITY, mostSevereFirst, severityRank } from './value-ranks.ts';

/** Prints the findings that remain in the output's format. A table begins with the most severe ones. */
export async function printFindings(
  response: FindingsResponse,
  kept: readonly Finding[],
  output: Output,
): Promise<void> {
  const views = {
    json: () => kept,
    ndjson: () => [ndjsonLines(response, kept)],
    csv: () => csvRows(kept),
    people: () => [tableOf(mostSevereFirst(kept), output)],
  };
  await printRecords(views, output);
}

/**
 * Renders each finding as one line: the text that the service sent, with numbers and the order of keys as they are. White
 * space is removed if it holds line breaks, and hidden characters are escaped.
 */
function ndjsonLines({ text: json, listPath, findings }: FindingsResponse, kept: readonly Finding[]): Buffer {
  const isKept = new Set(kept);
  const lines = elementTexts(json, listPath).filter((_, at) => isKept.has(findings[at] ?? {}));
  // A line break cannot be part of a string.
  return Buffer.from(escapeJson(lines.map((line) => `${line.replace(/\s*[\r\n]\s*/g, '')}\n`).join('')));
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
  if (rank === 0) return style.strong(style.error(value));
  return rank < MEDIUM_SEVERITY ? style.error(value) : style.warn(value);
}

function csvRows(findings: readonly Finding[]): unknown[][] {
  const names = fieldNames(findings);
  const readers = names.map(readerOf);
  return names.length === 0 ? [] : [names, ...findings.map((finding) => readers.map((read) => read(finding)))];
}
