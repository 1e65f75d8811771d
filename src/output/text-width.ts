import stringWidth from 'string-width';

const ELLIPSIS = '…';

/** Cuts `text` to `width` columns (1 or more), ending in `…`, between graphemes. */
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

/** Breaks a word into pieces of at most `width` columns (1 or more), between graphemes. */
export function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    // A wide character does not fit a column of one.
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

/** One user-perceived character, and its width in terminal columns. */
export interface Grapheme {
  text: string;
  width: number;
}

const ASCII = /^[\x20-\x7e]*$/;

// Characters that are always separate graphemes, of one column below U+3000 and two columns from there: Latin, Greek, Cyrillic,
// punctuation; kana, ideographs, Hangul syllables, full-width forms. Counting them here makes a table of such text a hundred
// times faster than calling string-width for each.
const simple = [
  String.raw`\x20-\x7e\xa0-\xa8\xaa-\xac\xaf-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u20a0-\u20bf`,
  String.raw`\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`,
].join('');
const WIDE_FROM = '\u3000';
const SIMPLE = new RegExp(`^[${simple}]*$`, 'u');

// Simple characters, or others with a neighbor on each side, because neighbors may form one grapheme. Bounded, because the
// time of a segmenter grows with the square of the length.
const STRETCH = new RegExp(
  `[${simple}]+(?![^${simple}])|[${simple}]?[^${simple}]{1,500}(?:[${simple}](?![^${simple}]))?`,
  'gu',
);

/** The longest graphemes in use (families, flags) have some 14 code units for two columns. */
const UNITS_PER_COLUMN = 16;

/** Widths of the same few emoji and accents, because string-width is slow. */
const knownWidths = new Map<string, number>();
const KNOWN_LIMIT = 2000;
/** Longer ones rarely repeat, and would keep the text alive of which they are a slice. */
const KNOWN_LENGTH = 12;

/** Created at its first use: loading its data takes a third of Node's start-up time. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the terminal columns of `text`, one line without control characters. With a limit, any number above it says only
 * that the text is wider (or consists mostly of characters without width).
 */
export function displayWidth(text: string, limit = Number.POSITIVE_INFINITY): number {
  const head = text.length > limit ? text.slice(0, limit + 1) : text;
  if (ASCII.test(head)) return head.length;
  const seen = takeWidth(text, limit);
  let width = 0;
  for (const [stretch] of seen.matchAll(STRETCH)) {
    width += SIMPLE.test(stretch) ? simpleWidth(stretch) : otherWidth(stretch);
    if (width > limit) return width;
  }
  return seen.length < text.length ? limit + 1 : width;
}

/** Yields the graphemes of `text`, one line without control characters. */
export function* graphemes(text: string): Generator<Grapheme> {
  for (const [stretch] of text.matchAll(STRETCH)) {
    if (SIMPLE.test(stretch)) {
      for (const character of stretch) yield { text: character, width: simpleWidth(character) };
    } else {
      segmenter ??= new Intl.Segmenter();
      for (const { segment } of segmenter.segment(stretch)) yield { text: segment, width: otherWidth(segment) };
    }
  }
}

/** Returns as much of the start of `text` as can be needed to fill `columns`. */
function takeWidth(text: string, columns: number): string {
  const units = columns * UNITS_PER_COLUMN;
  return text.length > units ? text.slice(0, units) : text;
}

function simpleWidth(text: string): number {
  let width = text.length;
  for (let index = 0; index < text.length; index++) {
    if (text.charAt(index) >= WIDE_FROM) width++;
  }
  return width;
}

function otherWidth(text: string): number {
  if (text.length > KNOWN_LENGTH) return stringWidth(text);
  const before = knownWidths.get(text);
  if (before !== undefined) return before;
  const width = stringWidth(text);
  if (knownWidths.size >= KNOWN_LIMIT) knownWidths.clear();
  knownWidths.set(text, width);
  return width;
}
