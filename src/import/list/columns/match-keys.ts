import { comparableText, sendableText } from '../../../util/visible-text.ts';
import { normalizeSpelling } from '../../new-member.ts';

/**
 * Returns the positions of the keys that have a name: by its text, then regardless of case, then by spelling.
 *
 * @param isExact whether only the text counts
 */
export function keysNamed(wanted: string, keys: readonly string[], isExact = false): number[] {
  for (const read of isExact ? [sendableText] : [sendableText, comparableText, normalizeSpelling]) {
    const text = read(wanted);
    const found = [...keys.keys()].filter((at) => read(keys[at] ?? '') === text);
    if (found.length > 0) return found;
  }
  return [];
}
