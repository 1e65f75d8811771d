import { MAX_ROW_LENGTH } from '../source/limits.ts';
import { type CsvRecord, isNotBlank, LINE_END, type ParsedRecords, rowTooLong } from './csv-record.ts';
import type { QuotingMistakes, QuotingReason } from './quoting-mistakes.ts';

/** Where and how to parse rows with quotes. */
interface ParseOptions {
  readonly delimiter: string;
  /** The physical line on which the text begins. */
  readonly firstLine: number;
  /** Whether the list ends with the text. Otherwise its last row may continue. */
  readonly isEnd: boolean;
  /** Receives what is wrong with the quotes, at most one mistake per row. */
  readonly mistakes: QuotingMistakes;
}

/** A row, or what could be read of one with a mistake. */
interface Row {
  readonly cells: string[];
  /** The offset after it. After a misplaced quote, reading goes on with the next line. */
  readonly end: number;
  /** Whether a cell in quotes has line breaks. */
  readonly hasLineBreak: boolean;
  readonly mistake: Mistake | undefined;
  /** Whether a quote is not closed before the end of the text. */
  readonly isOpen: boolean;
}

interface Mistake {
  /** The offset of its cell. */
  readonly at: number;
  /** The number of its cell, from 1. */
  readonly column: number;
  readonly reason: QuotingReason;
}

/**
 * Parses rows whose cells may be in quotes, up to the last one that is complete. White space around a cell in quotes is not
 * part of it.
 *
 * @throws UsageError for a record of more than 1 MiB
 */
export function parseQuotedRows(text: string, { delimiter, firstLine, isEnd, mistakes }: ParseOptions): ParsedRecords {
  const records: CsvRecord[] = [];
  let line = firstLine;
  let start = 0;
  while (start < text.length) {
    const { cells, end, hasLineBreak, mistake, isOpen } = readRow(text, start, delimiter);
    if (isOpen && !isEnd && text.length - start <= MAX_ROW_LENGTH) break;
    const lines = hasLineBreak ? linesOfText(text.slice(start, end)) : undefined;
    if (mistake !== undefined) {
      const linesBefore = linesOfText(text.slice(start, mistake.at)).length - 1;
      mistakes.add(line + linesBefore, mistake.column, mistake.reason);
    } else if (end - start > MAX_ROW_LENGTH) throw rowTooLong(line);
    if (isNotBlank(cells)) records.push({ line, cells, lines });
    line += lines?.length ?? 1;
    start = end;
  }
  return { records, length: start, nextLine: line };
}

/** Returns the lines of a text; its last line may have an end. */
function linesOfText(text: string): string[] {
  return text.replace(/(?:\r\n|\r|\n)$/, '').split(LINE_END);
}

function readRow(text: string, start: number, delimiter: string): Row {
  const cells: string[] = [];
  let hasLineBreak = false;
  let mistake: Mistake | undefined;
  const report = (at: number, end: number, reason: QuotingReason) => {
    const isEscaped = text.slice(start, end).includes('\\"');
    mistake ??= { at, column: cells.length + 1, reason: isEscaped ? 'backslash' : reason };
  };
  for (let at = start; ; at++) {
    const opening = skipBlanks(text, at, delimiter);
    let end = 0;
    if (text.charCodeAt(opening) === QUOTE) {
      let closing = closingQuote(text, opening + 1);
      end = skipBlanks(text, closing + 1, delimiter);
      if (closing < 0 || !isEndOfCell(text, end, delimiter)) {
        const isOpen = closing < 0;
        const next = endOfRow(text, opening);
        report(opening, isOpen ? next : end, isOpen ? 'unclosed' : 'textAfter');
        closing = mistake?.reason === 'backslash' ? closingQuoteAfterEscapes(text, opening + 1) : -1;
        end = skipBlanks(text, closing + 1, delimiter);
        if (isOpen || closing < 0 || !isEndOfCell(text, end, delimiter))
          return { cells, end: next, hasLineBreak, mistake, isOpen };
      }
      const cell = text.slice(opening + 1, closing);
      hasLineBreak ||= LINE_END.test(cell);
      cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
    } else {
      end = endOfCell(text, at, delimiter);
      const cell = text.slice(at, end);
      if (cell.includes('"') && !FORMULA_OF_TEXT.test(cell)) report(at, end, 'inside');
      cells.push(cell);
    }
    if (text[end] !== delimiter) return { cells, end: skipLineEnd(text, end), hasLineBreak, mistake, isOpen: false };
    at = end;
  }
}

/** Some exports keep Excel from changing a text by writing it as a formula: `="00123"`. */
const FORMULA_OF_TEXT = /^\s*="(?:[^"]|"")*"\s*$/;

const [TAB, LF, CR, SPACE, QUOTE] = [9, 10, 13, 32, 34];

/** Returns the offset of the quote that closes a cell; -1 if there is none. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

/** Returns the offset of the quote that closes a cell in which a backslash comes before its quotes, as MySQL writes them. */
function closingQuoteAfterEscapes(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at >= 0 && text[at - 1] === '\\') at = text.indexOf('"', at + 1);
  return at;
}

function skipBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while ((text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) && text[at] !== delimiter) at++;
  return at;
}

function isEndOfCell(text: string, at: number, delimiter: string): boolean {
  return at >= text.length || isLineEnd(text.charCodeAt(at)) || text[at] === delimiter;
}

/** Returns the offset of the next delimiter or line end. */
function endOfCell(text: string, start: number, delimiter: string): number {
  const end = delimiter.charCodeAt(0);
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === end || isLineEnd(code)) break;
  }
  return at;
}

function isLineEnd(code: number | undefined): boolean {
  return code === LF || code === CR;
}

function skipLineEnd(text: string, at: number): number {
  return Math.min(text.length, text.startsWith('\r\n', at) ? at + 2 : at + 1);
}

/** Returns the offset after the line with this offset. */
function endOfRow(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  return skipLineEnd(text, at);
}

/** Whether a tab-delimited list has a cell that is in quotes from its beginning to its end. */
export function hasQuotedCell(utf8: Buffer): boolean {
  const isEdge = (at: number) => at < 0 || at >= utf8.length || utf8[at] === TAB || isLineEnd(utf8[at]);
  for (let opening = utf8.indexOf(QUOTE); opening >= 0; opening = utf8.indexOf(QUOTE, opening + 1)) {
    if (!isEdge(opening - 1)) continue;
    let closing = utf8.indexOf(QUOTE, opening + 1);
    while (closing >= 0 && utf8[closing + 1] === QUOTE) closing = utf8.indexOf(QUOTE, closing + 2);
    if (closing < 0) return false;
    if (isEdge(closing + 1)) return true;
    opening = closing;
  }
  return false;
}
