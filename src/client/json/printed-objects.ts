import { isAscii, isUtf8 } from 'node:buffer';
import { ByteWindow } from './json-text.ts';
import { learnObjectShape, NUMBER, type ObjectShape, type ShapeRules } from './object-shape.ts';

const PLAIN = '[^"\\\\\\x00-\\x1f\\x7f]*';
/** A text as it is printed: all characters as they are, but for those that must be escaped, and these in the shortest way. */
const TEXT = `"${PLAIN}(?:\\\\["\\\\bfnrt]${PLAIN})*"`;
/** Integers of so many digits are exact. */
const INTEGER = '(?:0|-?[1-9][0-9]{0,14})';
const SIMPLE = `(?:${TEXT}|true|false|null|${INTEGER})`;
/** In a group, for a number is printed as it stands only where JavaScript writes it just so. */
const NUMBERED = `(?:${TEXT}|true|false|null|(${NUMBER}))`;

const IS_SIMPLE = new RegExp(`^${SIMPLE}$`);
const IS_NUMBER = new RegExp(`^${NUMBER}$`);
/** Not `__proto__`, and none that begins with a digit, which objects put first. */
const KEY = /^"(?!__|[0-9])[ !#-[\]-~]*"$/;
/** The name of a group that holds a number: no key, for those have quotes. */
const CHECKED = 'number';

/** The UTF-8 bytes of C1, marks of direction, line separators and the byte order mark, which are printed as escapes. */
const HIDDEN = /\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xef\xbb\xbf/;

/** Objects of a list have few shapes. So many are tried, the last one that fitted first, and learned in all. */
const TRIED_SHAPES = 4;
const LEARNED_SHAPES = 100;

/** A shape, ready for use. */
interface KnownShape {
  readonly pattern: RegExp;
  readonly groups: ObjectShape['groups'];
}

/**
 * Finds objects that stand in a text as they would be printed, byte for byte, when they were parsed and printed again:
 * valid JSON without white space, without a key that stands twice or goes elsewhere (`__proto__`, and those that begin
 * with a digit), numbers and strings in their usual form. Printing means `JSON.stringify` with hidden characters escaped.
 * Of anything that it is not sure of, it says that it is none.
 */
export class CanonicalObjects {
  readonly #rules: ShapeRules;
  /** The keys whose members `excerpt` reads, with their names. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #shapes: KnownShape[] = [];
  #learned = 0;

  readonly #window = new ByteWindow();
  /** Of what the window shows. */
  #isAscii = true;

  /** What stood in the groups last, and what it means. */
  #texts: readonly (string | undefined)[] = [];
  #shape: KnownShape | undefined;
  #excerpt: Readonly<Record<string, unknown>> | undefined;
  #isExact = true;

  /** @param names of members that `excerpt` is to read */
  constructor(names: readonly string[] = []) {
    this.#names = new Map(names.map((name) => [JSON.stringify(name), name]));
    this.#rules = {
      spaced: false,
      key: KEY,
      scalar(token, repeated, groups) {
        if (IS_SIMPLE.test(token)) return SIMPLE;
        if (repeated || !IS_NUMBER.test(token)) return undefined;
        groups.push(CHECKED);
        return NUMBERED;
      },
      wants: (key) => this.#names.has(key),
    };
  }

  /**
   * The offset after the object that begins at `from`; -1 where it does not end in `bytes`, or is not as printed. The
   * bytes stay as they are as long as objects are looked for in them.
   */
  end(bytes: Buffer, from: number): number {
    let at = this.#window.place(bytes, from) ?? this.#show(bytes, from);
    let length = this.#match(at);
    if (length < 0 && at > 0 && this.#window.isCut) {
      // It may be cut by the end of the window.
      at = this.#show(bytes, from);
      length = this.#match(at);
    }
    if (length < 0 && this.#learn(at)) length = this.#match(at);
    if (length < 0) return -1;
    const end = from + length;
    return this.#isAscii || isKept(bytes.subarray(from, end)) ? end : -1;
  }

  /** Of the members of the object that `end` found last, those of the names. What it gives stays as it is. */
  excerpt(): Readonly<Record<string, unknown>> {
    if (this.#excerpt !== undefined) return this.#excerpt;
    const found: [string, unknown][] = [];
    for (const [at, key] of (this.#shape?.groups ?? []).entries()) {
      const name = this.#names.get(key);
      const text = this.#texts[at];
      if (name !== undefined && text !== undefined) found.push([name, JSON.parse(utf8(text))]);
    }
    this.#excerpt = Object.fromEntries(found);
    return this.#excerpt;
  }

  #show(bytes: Buffer, from: number): number {
    const at = this.#window.show(bytes, from);
    this.#isAscii = isAscii(bytes.subarray(from, from + this.#window.text.length));
    return at;
  }

  /** The length of the object that begins at `at` in the window; -1 where it is of no known shape, or not as printed. */
  #match(at: number): number {
    for (const [place, shape] of this.#shapes.entries()) {
      const { pattern } = shape;
      pattern.lastIndex = at;
      const match = pattern.exec(this.#window.text);
      if (match === null) continue;
      if (place > 0) {
        this.#shapes.splice(place, 1);
        this.#shapes.unshift(shape);
      }
      return this.#keep(shape, match) ? pattern.lastIndex - at : -1;
    }
    return -1;
  }

  /** Keeps what was found for `excerpt`. Tells whether the numbers are as they would be printed. */
  #keep(shape: KnownShape, match: RegExpExecArray): boolean {
    const { groups } = shape;
    let isSame = shape === this.#shape;
    for (let at = 0; isSame && at < groups.length; at++) isSame = match[at + 1] === this.#texts[at];
    if (!isSame) {
      this.#shape = shape;
      this.#texts = match.slice(1);
      this.#excerpt = undefined;
      this.#isExact = groups.every((name, at) => name !== CHECKED || isExact(this.#texts[at]));
    }
    return this.#isExact;
  }

  #learn(at: number): boolean {
    if (this.#learned >= LEARNED_SHAPES) return false;
    const shape = learnObjectShape(this.#window.text, at, this.#rules);
    if (shape === undefined) return false;
    this.#learned++;
    this.#shapes.unshift({ pattern: new RegExp(shape.pattern, 'y'), groups: shape.groups });
    this.#shapes.splice(TRIED_SHAPES);
    return true;
  }
}

function isExact(number: string | undefined): boolean {
  return number === undefined || String(Number(number)) === number;
}

/** Whether these bytes are UTF-8 without characters that are printed as escapes. */
function isKept(bytes: Buffer): boolean {
  return isAscii(bytes) || (isUtf8(bytes) && !HIDDEN.test(bytes.toString('latin1')));
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
