/**
 * Returns a pattern for a whole text in which `…` stands for any part of a line: tests of something else leave out the words
 * of a message, which has a test of its own.
 */
export function textLike(text: string): RegExp {
  return new RegExp(`^${sourceOf(text)}$`);
}

/** Returns a pattern for a part of a text, in which `…` stands for any part of a line. */
export function partLike(text: string): RegExp {
  return new RegExp(sourceOf(text));
}

function sourceOf(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^\\n]*');
}
