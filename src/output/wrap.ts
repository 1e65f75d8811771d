import { breakWord, displayWidth } from './text-width.ts';

/** Columns of a terminal that reports none, such as the pseudo-terminal of a CI job. */
export const DEFAULT_COLUMNS = 80;

/** A stream that may be a terminal. */
export interface SizedStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Returns the columns of a terminal, 1 or more; undefined for a stream that is not a terminal. */
export function terminalColumns(stream: SizedStream): number | undefined {
  return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : undefined;
}

/** A description that has less room than this next to its term goes below it; in columns. */
const MIN_DESCRIPTION = 30;

/**
 * Wraps text for people at spaces. It may contain colors.
 *
 * - A word longer than a line, such as a URL or a path, is left to the terminal, which copies it in one piece.
 * - So is a command at the end of a line (`$ orgadm …`, `to continue: orgadm …`), on a line of its own.
 * - The description of an indented item (`  --map <field>  read …`) continues below its start, or goes below the term.
 *
 * @param width columns, 1 or more
 * @param hang what continues a line that is not indented: spaces, if such a line could be taken for a message of its own
 */
export function wrapText(text: string, width: number, hang = ''): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, hang))
    .join('\n');
}

function wrapLine(line: string, width: number, unindented: string): string {
  // Also with two spaces in it, in a file name for example: it is copied as it is.
  if (/^ *\$ |^ {2,}orgadm .*[^.]$/.test(line)) return line;
  const [, term = '', description = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? [];
  if (term !== '') return wrapItem(term, description, width);
  if (displayWidth(line) <= width) return line;

  const indent = /^ */.exec(line)?.[0] ?? '';
  const deeper = `${indent}    `;
  // The sentence of an error or a warning may begin with this word, too.
  const [, lead, command] = /^(?!(?:error|warning): )(.*?:) (orgadm .*[^.])$/.exec(line) ?? [];
  if (lead !== undefined) return `${wrapLine(lead, width, unindented)}\n${indent}  ${command}`;

  const [start = ''] = /^ *(?:# )?/.exec(line) ?? [];
  const hang = start !== indent ? start : indent === '' ? unindented : deeper;
  return fill(start, line.slice(start.length), { width, hang });
}

/**
 * Wraps the description of an item.
 *
 * @param term with the spaces around it: `  --map <field>  `
 */
export function wrapItem(term: string, description: string, width: number): string {
  const column = displayWidth(term);
  if (width - column < MIN_DESCRIPTION) {
    const deeper = ' '.repeat(term.search(/\S/) + 4);
    return `${term.trimEnd()}\n${fill(deeper, description, { width, hang: deeper })}`;
  }
  const fits = column + displayWidth(description) <= width;
  return fits ? `${term}${description}` : fill(term, description, { width, hang: ' '.repeat(column) });
}

/** Fills lines with the words of a text: the first after `start`, the others after `hang`. */
function fill(start: string, text: string, { width, hang }: { width: number; hang: string }): string {
  return start + fitWords(text.split(/ +/), width, displayWidth(start), hang.length).join(`\n${hang}`);
}

/** Joins words to lines of at most `width` columns; longer words are lines of their own. */
function fitWords(words: readonly string[], width: number, firstColumn = 0, column = 0): string[] {
  const [first = '', ...others] = words;
  const lines: string[] = [];
  let line = first;
  let used = firstColumn + displayWidth(first);
  for (const word of others) {
    const size = displayWidth(word);
    if (used + 1 + size <= width) {
      line += ` ${word}`;
      used += 1 + size;
      continue;
    }
    lines.push(line);
    line = word;
    used = column + size;
  }
  return [...lines, line];
}

/** Wraps text into lines of at most `width` columns (1 or more) at spaces. A longer word, such as a URL, is not broken. */
export function wrapWords(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => fitWords(line.split(' '), width));
}

/** Wraps the text of a cell into lines of at most `width` columns (1 or more), also within words that are longer. */
export function wrapCell(text: string, width: number): string[] {
  return wrapWords(text, width).flatMap((line) => (displayWidth(line) <= width ? [line] : [...breakWord(line, width)]));
}

const ASCII_WORD = /^[\x21-\x7e]+$/;

/** Returns the columns of the longest word that is at most `limit` columns wide, and that only its reader could split. */
export function longestWord(text: string, limit: number): number {
  let longest = 0;
  for (const word of text.split(/[ \n]/)) {
    if (word.length > longest && word.length <= limit && ASCII_WORD.test(word)) longest = word.length;
  }
  return longest;
}
