import { suggestField } from '../../entry.ts';
import { quote, quoteAll } from '../list-row.ts';

/** Entries of a key that a message names. */
const SHOWN_ENTRIES = 3;

/** Keys of a JSON list that match no field, and the entries that have them. */
export class UnknownKeys {
  readonly #uses = new Map<string, { count: number; readonly first: number[] }>();

  /** @param entry the number of the entry, from 1 */
  add(key: string, entry: number): void {
    const use = this.#uses.get(key) ?? { count: 0, first: [] };
    use.count++;
    if (use.first.length < SHOWN_ENTRIES) use.first.push(entry);
    this.#uses.set(key, use);
  }

  /**
   * Describes the keys in at most one line: how many there are, and which of them with their entries.
   *
   * @param total number of entries in the list
   * @param areListed whether the message has listed all keys, so that this line names only misspelled ones
   */
  describe(total: number, areListed: boolean): string[] {
    const keys = [...this.#uses.keys()];
    if (keys.length === 0) return [];
    const number = keys.length === 1 ? '1 unknown key' : `${keys.length} unknown keys`;
    const shown = keys.filter((key) => !areListed || suggestField(key) !== undefined);
    const list = quoteAll(shown, (key) => this.#describeKey(key, total));
    return [list === '' ? number : `${number}: ${list}`];
  }

  /** Renders `"departmnt" (entries 3, 8; did you mean department?)`. */
  #describeKey(key: string, total: number): string {
    const { count = 0, first = [] } = this.#uses.get(key) ?? {};
    const more = count > first.length ? ', …' : '';
    const near = suggestField(key);
    const notes = [
      ...(count === total ? [] : [`${count === 1 ? 'entry' : 'entries'} ${first.join(', ')}${more}`]),
      ...(near === undefined ? [] : [`did you mean ${near}?`]),
    ];
    return notes.length === 0 ? quote(key) : `${quote(key)} (${notes.join('; ')})`;
  }
}
