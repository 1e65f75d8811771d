import type { Field } from '../entry.ts';
import { ERROR_COLUMN, fieldOf, isForbidden, normalise } from '../field-names.ts';

/** What a key of a JSON entry stands for. */
export type KeyMeaning = Field | 'error' | 'forbidden' | 'unknown';

const MAX_KNOWN = 1000;

/** Tells what the keys of a list's entries stand for; the same few come again in each row. */
export class JsonKeys {
  readonly #map: ReadonlyMap<Field, string>;
  readonly #known = new Map<string, KeyMeaning>();

  /** `map` holds the keys that `--map` names, by exact text or else by spelling. */
  constructor(map: ReadonlyMap<Field, string>) {
    this.#map = map;
  }

  meaning(key: string): KeyMeaning {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const meaning = this.#find(key);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, meaning);
    return meaning;
  }

  #find(key: string): KeyMeaning {
    if (isForbidden(key)) return 'forbidden';
    for (const [field, wanted] of this.#map) {
      if (normalise(wanted) === normalise(key)) return field;
    }
    const field = fieldOf(key);
    if (field !== undefined) return field;
    return normalise(key) === ERROR_COLUMN ? 'error' : 'unknown';
  }
}
