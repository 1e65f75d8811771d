import { displayWidth, graphemes, takeWidth } from './display-width.ts';

const ELLIPSIS = '…';

/** `text` if it fits into `width` columns (1 or more), else its beginning and `…`; no character is cut in two. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text, width) <= width) return text;
  let line = '';
  let used = 0;
  for (const grapheme of graphemes(takeWidth(text, width))) {
    used += grapheme.width;
    if (used > width - 1) break;
    line += grapheme.text;
  }
  return line.trimEnd() + ELLIPSIS;
}

/**
 * The lines of `text` at no more than `width` columns each (1 or more). Breaks at spaces; a word longer than a line is
 * broken where it must be. Always at least one line.
 */
export function wrapToWidth(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    const size = displayWidth(word);
    if (line !== '' && used + 1 + size <= width) {
      line += ` ${word}`;
      used += 1 + size;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = size <= width ? [word] : breakWord(word, width);
    line = pieces.pop() ?? '';
    used = displayWidth(line);
    lines.push(...pieces);
  }
  lines.push(line);
  return lines;
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    // A wide character in a column of one cannot be shown at all.
    const { text, width: graphemeWidth } = grapheme.width > width ? { text: ELLIPSIS, width: 1 } : grapheme;
    if (used + graphemeWidth > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += text;
    used += graphemeWidth;
  }
  pieces.push(piece);
  return pieces;
}
