import { quote } from '../../../output/sanitize.ts';
import { countOf } from '../../../util/units.ts';
import { NumberToken } from '../fields/number-token.ts';
import type { SourceRecord } from '../source/source-record.ts';

/** Counts the entries of a JSON list that have several values where a field is read from one of them, as from `roles.0.value`. */
export class ChosenElements {
  /** The number of entries, by the path of an array and that of the element. */
  readonly #entries = new Map<string, { readonly array: string; readonly element: string; entries: number }>();

  observe(record: SourceRecord, path: readonly string[]): void {
    for (const [at, key] of path.entries()) {
      if (at === 0 || !/^\d+$/.test(key)) continue;
      const array = path.slice(0, at);
      const found = record.get(array);
      if (!Array.isArray(found) || found.length < 2) continue;
      const element = [...array, key].join('.');
      const known = this.#entries.get(element) ?? { array: array.join('.'), element, entries: 0 };
      this.#entries.set(element, known);
      known.entries++;
    }
  }

  /** Returns a warning for each array. */
  warnings(): string[] {
    return Array.from(this.#entries.values(), ({ array, element, entries }) => {
      const have = countOf(entries, 'entry has', 'entries have');
      return `${have} several values in ${quote(array)}, of which orgadm reads only ${quote(element)}`;
    });
  }
}

/**
 * Returns an issue if an entry has a text where a path leads into an object, such as `{"status": "left"}` for `status.name`: it is
 * not blank. Some programs write false for nothing.
 */
export function outerText(record: SourceRecord, path: readonly string[]): string | undefined {
  for (let count = path.length - 1; count > 0; count--) {
    const outer = path.slice(0, count);
    const value = record.get(outer) ?? false;
    if (value === false || value === '') continue;
    if (typeof value === 'object' && !(value instanceof NumberToken)) return undefined;
    return `${quote(outer.join('.'))} is ${quote(String(value))}, not an object (write it as in the other entries)`;
  }
  return undefined;
}
