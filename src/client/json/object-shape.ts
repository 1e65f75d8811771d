/*
 * Objects of a list nearly always have the same shape: the same keys in the same order, with other texts, numbers and words.
 * One regular expression made from one of them checks, and finds the end of, each of the others. It reads text in which
 * each character stands for a byte. Nothing in it can match in two ways, so that no text makes it slow.
 */

const SPACE = '[ \\t\\n\\r]*';
const PLAIN = '[^"\\\\\\x00-\\x1f]*';
const TEXT = `"${PLAIN}(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})${PLAIN})*"`;
/** A number as JSON has it. */
export const NUMBER = '-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?';
/** A text, number or word of JSON. */
export const SCALAR = `(?:${TEXT}|true|false|null|${NUMBER})`;

const TOKEN = new RegExp(`(${SPACE})(${SCALAR}|[{}[\\],:])`, 'y');

/** Objects and arrays within each other; deeper ones are not gone into. */
const MAX_DEPTH = 32;
/** A pattern may be so long, which is one of more than a hundred values. */
const MAX_PATTERN = 20_000;

/** What may be in a shape, and what is wanted of it. A group in a pattern is named by the place of its name in `groups`. */
export interface ShapeRules {
  /** White space may stand between the tokens; in the shape it is what it was. */
  readonly spaced: boolean;
  /** What the keys must be, in their quotes. */
  readonly key: RegExp;
  /**
   * The pattern of the values at the place of `token`; undefined where that may not stand. The place is `repeated` in an
   * array, where a group would tell of the last value alone.
   */
  scalar(token: string, repeated: boolean, groups: string[]): string | undefined;
  /**
   * Whether the values of a key of the object itself are wanted: `groups` gets the key. A pattern, with a group in it, says
   * that they must be of that kind.
   */
  wants(key: string): boolean | string;
}

/** The shape of an object. */
export interface ObjectShape {
  /** Source of a regular expression. */
  readonly pattern: string;
  /** What its groups hold. */
  readonly groups: readonly string[];
}

/** The shape of the JSON object that begins at `at`; undefined where none does, or the rules do not allow what is in it. */
export function learnObjectShape(text: string, at: number, rules: ShapeRules): ObjectShape | undefined {
  const groups: string[] = [];
  const pattern = new Learner(text, at, rules, groups).object();
  return pattern === undefined || pattern.length > MAX_PATTERN ? undefined : { pattern, groups };
}

/** Walks over one value, token by token. */
class Learner {
  readonly #text: string;
  readonly #rules: ShapeRules;
  readonly #groups: string[];
  #at: number;
  /** The white space before the token, and the token; empty where there is none. */
  #space = '';
  #token = '';

  constructor(text: string, at: number, rules: ShapeRules, groups: string[]) {
    this.#text = text;
    this.#at = at;
    this.#rules = rules;
    this.#groups = groups;
  }

  object(): string | undefined {
    this.#next();
    return this.#token === '{' ? this.#members(1, false) : undefined;
  }

  #next(): void {
    TOKEN.lastIndex = this.#at;
    const [all = '', space = '', token = ''] = TOKEN.exec(this.#text) ?? [];
    this.#at += all.length;
    this.#space = space;
    this.#token = space !== '' && !this.#rules.spaced ? '' : token;
  }

  /** Takes the present token, and gives the pattern of it with what stands before it. */
  #mark(token: string): string | undefined {
    return this.#token === token ? `${this.#space}\\${token}` : undefined;
  }

  /** From the bracket that opens an object to the one that closes it. */
  #members(depth: number, repeated: boolean): string | undefined {
    const keys = new Set<string>();
    let pattern = `${this.#space}\\{`;
    this.#next();
    for (let isFirst = true; ; isFirst = false) {
      const close = this.#mark('}');
      if (close !== undefined && isFirst) return pattern + close;
      if (keys.has(this.#token)) return undefined;
      keys.add(this.#token);
      const member = this.#member(depth, repeated);
      if (member === undefined) return undefined;
      pattern += member;
      this.#next();
      const end = this.#mark('}');
      if (end !== undefined) return pattern + end;
      const comma = this.#mark(',');
      if (comma === undefined) return undefined;
      pattern += comma;
      this.#next();
    }
  }

  #member(depth: number, repeated: boolean): string | undefined {
    const key = this.#token;
    if (!this.#rules.key.test(key)) return undefined;
    const name = this.#space + escaped(key);
    this.#next();
    const colon = this.#mark(':');
    this.#next();
    const wanted = depth === 1 && this.#rules.wants(key);
    if (wanted !== false) this.#groups.push(key);
    const space = this.#space;
    this.#space = '';
    const value = typeof wanted === 'string' ? this.#ofKind(wanted) : this.#value(depth, repeated);
    if (colon === undefined || value === undefined) return undefined;
    return `${name}${colon}${space}${wanted === true ? `(${value})` : value}`;
  }

  #ofKind(pattern: string): string | undefined {
    return new RegExp(`^${pattern}$`).test(this.#token) ? pattern : undefined;
  }

  #value(depth: number, repeated: boolean): string | undefined {
    if (this.#token === '[') return depth < MAX_DEPTH ? this.#elements(depth + 1) : undefined;
    if (this.#token !== '{') {
      if (this.#token === '' || ':,}]'.includes(this.#token)) return undefined;
      const scalar = this.#rules.scalar(this.#token, repeated, this.#groups);
      return scalar === undefined ? undefined : this.#space + scalar;
    }
    const space = this.#space;
    this.#space = '';
    const object = depth < MAX_DEPTH ? this.#members(depth + 1, repeated) : undefined;
    return object === undefined ? undefined : `${space}(?:${object}|null)`;
  }

  /** From the bracket that opens an array to the one that closes it: where all elements look alike there may be any number. */
  #elements(depth: number): string | undefined {
    const open = `${this.#space}\\[`;
    const found: string[] = [];
    this.#next();
    for (;;) {
      const empty = found.length === 0 ? this.#mark(']') : undefined;
      if (empty !== undefined) return open + empty;
      const element = this.#value(depth, true);
      if (element === undefined) return undefined;
      found.push(element);
      this.#next();
      const close = this.#mark(']');
      if (close !== undefined) return open + repetition(found) + close;
      if (this.#mark(',') === undefined || this.#space !== '') return undefined;
      this.#next();
    }
  }
}

function repetition(elements: readonly string[]): string {
  const [first = ''] = elements;
  return elements.every((element) => element === first) ? `${first}(?:,${first})*` : elements.join(',');
}

/** A text as a pattern that matches it alone. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
