import type { Member } from './bulk-rows.ts';

/* Patterns of JSON text in which each character stands for a byte. */
const SPACE = '[ \\t\\n\\r]*';
const PLAIN = '[^"\\\\\\x00-\\x1f]*';
const TEXT = `"${PLAIN}(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})${PLAIN})*"`;
const NUMBER = '-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?';
const SCALAR = `(?:${TEXT}|true|false|null|${NUMBER})`;
/** An identifier that needs no decoding. */
const IDENTIFIER = '"([^"\\\\\\x00-\\x1f\\x7f-\\xff]+)"';
/** What follows a member: another one, of which a character has to be there, or, captured, the end of the array. */
const AFTER = `${SPACE}(?:,${SPACE}(?=[^ \\t\\n\\r])|(\\]))`;

const TOKEN = new RegExp(`(${SPACE})(${SCALAR}|[{}[\\],:])`, 'y');
const PLAIN_IDENTIFIER = new RegExp(`^${IDENTIFIER}$`);

/** The fields of a member (interface 2.2) that are read; without the first it cannot be. */
const USER = '"userId"';
const ORGANIZATION = '"organizationId"';

/** Values nested deeper than this are not gone into. */
const MAX_DEPTH = 64;
/** A pattern may be so long, which is a member of more than a hundred values. */
const MAX_PATTERN = 20_000;

/** A member that was read. */
interface FoundMember {
  row: Member;
  /** The offset after it and what follows it. */
  end: number;
  isLast: boolean;
}

/** Reads members of one shape: with the same keys in the same order, whatever texts, numbers and words they hold. */
export class MemberPattern {
  readonly #pattern: RegExp;
  /** The numbers of the groups that hold the identifiers. */
  readonly #user: number;
  readonly #organization: number;
  readonly #last: number;

  /** @param source of a member, with a group for each of the keys `captured`, in their order */
  constructor(source: string, captured: readonly string[]) {
    this.#pattern = new RegExp(source + AFTER, 'y');
    this.#user = captured.indexOf(USER) + 1;
    this.#organization = captured.indexOf(ORGANIZATION) + 1;
    this.#last = captured.length + 1;
  }

  /** The member that begins at `at`; undefined where none of this shape does. */
  read(text: string, at: number): FoundMember | undefined {
    const pattern = this.#pattern;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const organizationId = this.#organization === 0 ? undefined : match[this.#organization];
    return {
      row: { userId: match[this.#user], organizationId },
      end: pattern.lastIndex,
      isLast: match[this.#last] !== undefined,
    };
  }
}

/** The pattern of the member that begins at `at`; undefined where there is none, or where it must be read the long way. */
export function learnMember(text: string, at: number): MemberPattern | undefined {
  const captured: string[] = [];
  const source = new Shape(text, at, captured).member();
  if (source === undefined || source.length > MAX_PATTERN || !captured.includes(USER)) return undefined;
  return new MemberPattern(source, captured);
}

/** Walks over one value, token by token, and writes the pattern of its shape. */
class Shape {
  readonly #text: string;
  readonly #captured: string[];
  #at: number;
  /** The white space before the token, and the token; empty where there is none. */
  #space = '';
  #token = '';

  constructor(text: string, at: number, captured: string[]) {
    this.#text = text;
    this.#at = at;
    this.#captured = captured;
  }

  /** The pattern of a member; undefined for what is none. */
  member(): string | undefined {
    this.#next();
    return this.#token === '{' ? this.#items('}', 0) : undefined;
  }

  #next(): void {
    TOKEN.lastIndex = this.#at;
    const [all = '', space = '', token = ''] = TOKEN.exec(this.#text) ?? [];
    this.#at += all.length;
    this.#space = space;
    this.#token = token;
  }

  /** The pattern of the object or array that the present token opens and `close` closes. */
  #items(close: '}' | ']', depth: number): string | undefined {
    let source = `${this.#space}\\${this.#token}`;
    this.#next();
    if (this.#token === close) return `${source}${this.#space}\\${close}`;
    for (;;) {
      const item = close === '}' ? this.#field(depth) : this.#value(depth);
      if (item === undefined) return undefined;
      source += item;
      this.#next();
      if (this.#token === close) return `${source}${this.#space}\\${close}`;
      if (this.#token !== ',') return undefined;
      source += `${this.#space},`;
      this.#next();
    }
  }

  #field(depth: number): string | undefined {
    const key = this.#token;
    if (!key.startsWith('"') || key.includes('\\')) return undefined;
    const source = `${this.#space}${escaped(key)}`;
    this.#next();
    if (this.#token !== ':') return undefined;
    const colon = `${this.#space}:`;
    this.#next();
    const isRead = depth === 0 && (key === USER || key === ORGANIZATION);
    const value = isRead ? this.#identifier(key) : this.#value(depth);
    return value === undefined ? undefined : source + colon + value;
  }

  #identifier(key: string): string | undefined {
    if (!PLAIN_IDENTIFIER.test(this.#token) || this.#captured.includes(key)) return undefined;
    this.#captured.push(key);
    return `${this.#space}${IDENTIFIER}`;
  }

  #value(depth: number): string | undefined {
    const token = this.#token;
    if (token === '{' || token === '[')
      return depth < MAX_DEPTH ? this.#items(token === '{' ? '}' : ']', depth + 1) : undefined;
    return token === '' || ':,}]'.includes(token) ? undefined : this.#space + SCALAR;
  }
}

/** A text as a pattern that matches it alone. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
