import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;
const ELLIPSIS = '…';
const segmenter = new Intl.Segmenter();

/** Columns of a terminal that `text` takes, counted no further than just beyond `limit`. */
export function displayWidth(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (ASCII.test(text)) return text.length;
  if (limit === Number.POSITIVE_INFINITY) return stringWidth(text);
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += stringWidth(segment);
    if (width > limit) break;
  }
  return width;
}

/** `text` if it fits into `width` columns (1 or more), else its beginning and `…`; no character is cut in two. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text, width) <= width) return text;
  return takeWidth(text, width - 1).trimEnd() + ELLIPSIS;
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
    const pieces = breakWord(word, size, width);
    line = pieces.pop() ?? '';
    used = displayWidth(line);
    lines.push(...pieces);
  }
  lines.push(line);
  return lines;
}

/** `text` and the spaces that fill it up to `width`; `painted` is what stands for the text in the result. */
export function padToWidth(text: string, width: number, align: 'left' | 'right', painted = text): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? fill + painted : painted + fill;
}

function takeWidth(text: string, width: number): string {
  if (ASCII.test(text)) return text.slice(0, width);
  let taken = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

function breakWord(word: string, size: number, width: number): string[] {
  if (size <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of segmenter.segment(word)) {
    const own = stringWidth(segment);
    // A wide character in a column of one cannot be shown at all.
    const shown = own > width ? ELLIPSIS : segment;
    const shownWidth = Math.min(own, width);
    if (used + shownWidth > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += shown;
    used += shownWidth;
  }
  pieces.push(piece);
  return pieces;
}
