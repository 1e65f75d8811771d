import { isUtf8 } from 'node:buffer';
import { Excerpts } from './excerpts.ts';
import { KeySet, seedOf } from './key-set.ts';
import { PrintedStrings } from './printed-strings.ts';
import { endOfWord } from './printed-words.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const UNDERSCORE = 0x5f;
const ZERO = 0x30;
const NINE = 0x39;

/** Deeper objects are rare. */
const MAX_DEPTH = 32;
/**
 * Finds objects that stand in a text as they would be printed, byte for byte, when they were parsed and printed again:
 * valid JSON without white space, without a key that stands twice or goes elsewhere (`__proto__`, and those that begin
 * with a digit, which objects put first), numbers and strings in their usual form. Printing means `JSON.stringify` with
 * hidden characters escaped. Of anything that it is not sure of, it says that it is none.
 */
export class PrintedObjects {
  readonly #strings = new PrintedStrings();
  readonly #keys = new KeySet();
  readonly #excerpts: Excerpts;
  /** The marks that close what is open, the outermost at 1. */
  readonly #closing = new Uint8Array(MAX_DEPTH + 1);
  /** Where the hashes of the keys begin in each object that is open. */
  readonly #seeds = new Int32Array(MAX_DEPTH + 1);

  /** @param names of members that `excerpt` is to read */
  constructor(names: readonly string[] = []) {
    this.#excerpts = new Excerpts(names, seedOf(1));
  }

  /** The offset after the object that begins at `from`; -1 where it does not end in `bytes`, or is not as printed. */
  end(bytes: Buffer, from: number): number {
    if (bytes[from] !== OPEN_OBJECT) return -1;
    this.#strings.use(bytes);
    this.#keys.clear();
    this.#excerpts.clear();
    const end = this.#find(bytes, from);
    return end < 0 || !this.#strings.beyondAscii || isUtf8(bytes.subarray(from, end)) ? end : -1;
  }

  /** Of the members of the object that `end` found last, those of the names. */
  excerpt(bytes: Buffer): Readonly<Record<string, unknown>> {
    return this.#excerpts.read(bytes);
  }

  #find(bytes: Buffer, from: number): number {
    const closing = this.#closing;
    const excerpts = this.#excerpts;
    const { length } = bytes;
    let depth = 0;
    let objects = 0;
    let at = from;
    // Each turn begins where a value does. No byte beyond the end is read: code that ever did is slow from then on.
    for (;;) {
      const first = at < length ? bytes[at] : 0;
      const opens = first === OPEN_OBJECT || first === OPEN_ARRAY;
      if (opens) {
        if (++depth > MAX_DEPTH) return -1;
        // In ASCII, what closes stands two after what opens.
        closing[depth] = first + 2;
        if (first === OPEN_OBJECT) this.#seeds[depth] = seedOf(++objects);
        at++;
      } else {
        at = first === QUOTE ? this.#strings.end(at + 1) : endOfWord(bytes, at);
        if (at < 0) return -1;
      }
      // A value has ended, or what was opened is empty.
      if (!opens || (at < length ? bytes[at] : 0) === closing[depth]) {
        for (;;) {
          if (depth === 1) excerpts.end(at);
          if ((at < length ? bytes[at] : 0) !== closing[depth]) break;
          at++;
          if (--depth === 0) return at;
        }
        if ((at < length ? bytes[at] : 0) !== COMMA) return -1;
        at++;
      }
      if (closing[depth] === CLOSE_OBJECT) {
        at = this.#afterKey(bytes, at, depth);
        if (at < 0) return -1;
      }
    }
  }

  /** The offset after the colon of the key that begins at `at`. */
  #afterKey(bytes: Buffer, at: number, depth: number): number {
    const end = this.#strings.plainEnd(at + 1);
    // In an object that ends there are four bytes more at least.
    if (end + 4 > bytes.length || bytes[at] !== QUOTE || bytes[end] !== QUOTE || bytes[end + 1] !== COLON) return -1;
    const first = bytes[at + 1] ?? 0;
    if (first === UNDERSCORE ? bytes[at + 2] === UNDERSCORE : first >= ZERO && first <= NINE) return -1;
    const hash = this.#strings.hash(at + 1, end, this.#seeds[depth] ?? 0);
    if (!this.#keys.add(hash)) return -1;
    if (depth === 1) this.#excerpts.begin(hash, bytes, end + 2);
    return end + 2;
  }
}
