import path from 'node:path';
import { quote, quoteAll } from '../../output/sanitize.ts';
import { comparableText } from '../../util/visible-text.ts';
import type { LookupCounts, LookupSource } from '../mapping.ts';

/** A second list in memory. */
export interface LoadedLookup {
  readonly source: LookupSource;
  /** SHA-256 of its bytes, as 64 hex digits. */
  readonly digest: string;
  /** Its texts by the comparable text in the first list. */
  readonly texts: ReadonlyMap<string, readonly LookupText[]>;
}

/** A text of the first list, and the one to send. */
export interface LookupText {
  readonly from: string;
  /** Empty if the second list has none, undefined if it has several. */
  to: string | undefined;
  /** Why the second list has none, although a person sees something there: `C4 is a formula without …`. */
  readonly issue: string | undefined;
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
      const candidates = texts.get(comparableText(text)) ?? [];
      const exact = candidates.find(({ from }) => from === text);
      const translations = new Set((exact === undefined ? candidates : [exact]).map(({ to }) => to));
      if (translations.size > 1) translations.delete('');
      const [translated] = translations;
      if (translated && translations.size === 1) {
        found++;
        return { text: translated };
      }
      missing++;
      if (candidates.length === 0) return { issue: `is not in ${file}` };
      const which = translations.size === 1 && translated === '' ? 'no' : 'several values of';
      const damaged = which === 'no' ? candidates.find(({ issue }) => issue !== undefined) : undefined;
      if (damaged !== undefined) return { issue: `has no ${quote(source.to)} in ${file}: ${damaged.issue}` };
      const names =
        exact === undefined && candidates.length > 1 ? ` (${quoteAll(candidates.map(({ from }) => from))})` : '';
      return { issue: `has ${which} ${quote(source.to)} in ${file}${names}` };
    },
    result: () => ({ ...source, found, missing }),
  };
}
