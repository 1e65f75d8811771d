import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** Returns the terminal columns of one line of text, as cli-table3 measures them. Colors have none. */
export function displayWidth(text: string): number {
  // Most text is ASCII, and the cells of a long table may hold megabytes of it.
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Cuts `text` to `width` columns (1 or more), ending in `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const [start = ''] = width === 1 ? [] : breakWord(text, width - 1);
  return `${start.trimEnd()}…`;
}

/** Yields the characters that readers see: an emoji or a letter with its marks is one. */
function* charactersOf(text: string): Generator<string> {
  if (ASCII.test(text)) yield* text;
  else for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}

/** Yields the pieces of a word, of at most `width` columns (1 or more). */
export function* breakWord(word: string, width: number): Generator<string> {
  let piece = '';
  let used = 0;
  for (const character of charactersOf(word)) {
    const columns = displayWidth(character);
    if (used > 0 && used + columns > width) {
      yield piece;
      piece = '';
      used = 0;
    }
    piece += character;
    used += columns;
  }
  yield piece;
}
