import { cleanCell } from './sanitize.ts';
import type { Cell, Column, TableChoices } from './table.ts';

/** Rows that are rendered at a time: no more of a long table is held as text. */
const BLOCK_ROWS = 200;

/**
 * Yields a GitHub-flavored table in pieces, for job summaries and merge-request comments. Nothing is cut, and a line break
 * in a cell becomes `<br>`.
 *
 * @param header false to continue a table
 */
export function* markdownTable(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  { header = true }: TableChoices = {},
): Generator<string> {
  if (columns.length === 0) return;
  if (header) {
    yield renderLine(columns.map((column) => escapeMarkdown(column.header)));
    yield renderLine(columns.map(({ align }) => (align === 'right' ? '--:' : '---')));
  }
  let block: string[] = [];
  for (const row of rows) {
    block.push(renderLine(columns.map((_, index) => escapeMarkdown(textOf(row[index] ?? '')))));
    if (block.length < BLOCK_ROWS) continue;
    yield block.join('');
    block = [];
  }
  if (block.length > 0) yield block.join('');
}

function renderLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * What GitHub links without any markup: addresses, and references to issues. They are broken up by a character that
 * is not shown, because HTML entities and backslashes are resolved before links are found.
 */
const LINKED = /(?<=\b(?:https?|ftp):)(?=\/\/)|(?<=\bwww)(?=\.\S)|(?<=#|\bgh-)(?=\d)/gi;

/** Makes untrusted text safe within a line of Markdown: no control characters, markup, HTML, mentions or links. */
export function escapeMarkdown(text: string): string {
  // Not constants of the module: patterns with Unicode properties take long to parse, and few outputs are Markdown.
  // Underscores within a word are never emphasis, so that ids remain readable as plain text.
  const markup = /[\\`*[\]|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
  // A mention notifies people: `@` before a name that does not follow one, as it does in an address.
  const mention = /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}_])/gu;
  return cleanCell(text)
    .trim()
    .replace(LINKED, '\u200b')
    .replace(markup, '\\$&')
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replace(mention, '@\u200b')
    .replaceAll('\u200b', '&#8203;')
    .replaceAll('\t', ' ')
    .replaceAll('\n', '<br>');
}
