import { cleanCell } from './sanitize.ts';
import { blocksOf, type Cell, completeTable, type Table } from './table.ts';
import { plainText } from './text.ts';

/**
 * Yields a GitHub-flavored table in pieces, for job summaries and merge-request comments. Nothing is cut, and a line break
 * in a cell becomes `<br>`.
 */
export function* markdownTable(table: Table): Generator<string> {
  const { columns, rows } = completeTable(table);
  if (columns.length === 0) return;
  if (table.isContinued !== true) {
    yield renderLine(columns.map(({ header }) => escapeMarkdown(header)));
    yield renderLine(columns.map(({ align }) => (align === 'right' ? '--:' : '---')));
  }
  for (const block of blocksOf(rows)) {
    yield block.map((row) => renderLine(row.map((cell) => escapeMarkdown(untrustedText(cell))))).join('');
  }
}

/** Renders lines as a block of code. They are not escaped, so the fence is longer than any of theirs. */
export function fencedCode(lines: readonly string[], language = ''): string {
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)));
  const fence = '`'.repeat(longest + 1);
  return `${[fence + language, ...lines, fence].join('\n')}\n`;
}

function renderLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Unlike a terminal, Markdown shows the lines of untrusted text. */
function untrustedText(cell: Cell): string {
  return typeof cell === 'string' ? cell : plainText(cell);
}

/** Makes untrusted text safe as a paragraph: in addition, no heading, list or rule. */
export function markdownParagraph(text: string): string {
  return escapeMarkdown(text)
    .replace(/^(?=[#+=-])/, '\\')
    .replace(/^(\d+)(?=[.)]\s)/, '$1\\');
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Matches text that GitHub links without any markup: addresses, and references to issues. They are broken up by a character that
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
    .replace(/[&<>]/g, (character) => HTML_ENTITIES[character] ?? '')
    .replace(mention, '@\u200b')
    .replaceAll('\u200b', '&#8203;')
    .replaceAll('\t', ' ')
    .replaceAll('\n', '<br>');
}
