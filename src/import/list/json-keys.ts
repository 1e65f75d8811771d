import type { MemberField } from '../entry.ts';
import { ERROR_COLUMN, fieldForSpelling, isForbiddenKey, normalizeSpelling } from '../field-names.ts';

/** What a key of a JSON entry stands for. */
export type KeyRole = MemberField | 'error' | 'forbidden' | 'unknown';

const MAX_KNOWN = 1000;

/** Tells what the keys of a list's entries stand for; the same few come again in each row. */
export class JsonKeys {
  readonly #map: ReadonlyMap<MemberField, string>;
  readonly #known = new Map<string, KeyRole>();

  /** `map` holds the keys that `--map` names, by exact text or else by spelling. */
  constructor(map: ReadonlyMap<MemberField, string>) {
    this.#map = map;
  }

  roleOf(key: string): KeyRole {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const role = this.#find(key);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, role);
    return role;
  }

  #find(key: string): KeyRole {
    if (isForbiddenKey(key)) return 'forbidden';
    for (const [field, wanted] of this.#map) {
      if (normalizeSpelling(wanted) === normalizeSpelling(key)) return field;
    }
    const field = fieldForSpelling(key);
    if (field !== undefined) return field;
    return normalizeSpelling(key) === ERROR_COLUMN ? 'error' : 'unknown';
  }
}
