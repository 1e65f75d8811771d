import path from 'node:path';
import { quote, quoteAll } from '../../../output/sanitize.ts';
import { comparableText } from '../../../util/visible-text.ts';
import type { LookupSource } from '../../mapping.ts';

/** A second list in memory. */
export interface LoadedLookup {
  readonly source: LookupSource;
  /** The names of its columns; undefined in JSON. */
  readonly header: readonly string[] | undefined;
  /** Its texts by the comparable text in the first list. */
  readonly texts: ReadonlyMap<string, readonly LookupText[]>;
  /** Sentences about values that orgadm does not read. */
  readonly warnings: readonly string[];
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
export class LookupTable {
  /** How many texts were translated so far, and how many were not. */
  found = 0;
  missing = 0;
  /** The name of its file. */
  readonly file: string;
  readonly #to: string;
  readonly #texts: LoadedLookup['texts'];

  constructor({ source, texts }: LoadedLookup) {
    this.file = path.basename(source.file);
    this.#to = quote(source.to);
    this.#texts = texts;
  }

  /** Returns the translation of a text, or why there is none. */
  find(text: string): { readonly text: string } | { readonly issue: string } {
    const candidates = this.#texts.get(comparableText(text)) ?? [];
    const translations = new Set(candidates.map(({ to }) => to));
    if (translations.size > 1) translations.delete('');
    const [translated] = translations;
    if (translated && translations.size === 1) {
      this.found++;
      return { text: translated };
    }
    this.missing++;
    if (candidates.length === 0) return { issue: `is not in ${this.file}` };
    const names = candidates.length > 1 ? ` (${quoteAll(candidates.map(({ from }) => from))})` : '';
    if (translated !== '') return { issue: `has several values of ${this.#to} in ${this.file}${names}` };
    const damaged = candidates.find(({ issue }) => issue !== undefined);
    const why = damaged === undefined ? names : `: ${damaged.issue}`;
    return { issue: `has no ${this.#to} in ${this.file}${why}` };
  }
}
