import path from 'node:path';
import { quote } from '../../output/sanitize.ts';
import type { LookupCounts, LookupSource } from '../list-options.ts';

/** A second list in memory. */
export interface LoadedLookup {
  readonly source: LookupSource;
  /** SHA-256 of its bytes, as 64 hex digits. */
  readonly digest: string;
  /** The text to send by the text in the first list, normalized; empty if it has none, undefined if it has several. */
  readonly texts: ReadonlyMap<string, string | undefined>;
}

/** A second list that translates the values of a field in one pass over the first list. */
export interface LookupTable {
  /** Returns the translation of a text, or why there is none. */
  find(text: string): { readonly text: string } | { readonly issue: string };
  /** Returns how many texts were translated so far. */
  result(): LookupCounts;
}

/** Starts a pass over the first list. */
export function createLookupTable({ source, texts }: LoadedLookup): LookupTable {
  const file = path.basename(source.file);
  let [found, missing] = [0, 0];
  return {
    find(text) {
      const key = normalizeText(text);
      const translated = texts.get(key);
      if (translated) {
        found++;
        return { text: translated };
      }
      missing++;
      if (!texts.has(key)) return { issue: `is not in ${file}` };
      return { issue: `has ${translated === '' ? 'no' : 'several values of'} ${quote(source.to)} in ${file}` };
    },
    result: () => ({ ...source, found, missing }),
  };
}

/** Removes differences in case and in blanks around a text, which addresses of one person may have. */
export function normalizeText(text: string): string {
  return text.trim().toLowerCase();
}
