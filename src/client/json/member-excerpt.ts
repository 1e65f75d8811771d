/** Collects the wanted members of each element, as JSON. */
export class MemberExcerpts {
  /** Whether the element has escape sequences in keys. */
  hasEscape = false;
  /** The wanted keys as JSON, by length. */
  readonly #keys: (Buffer[] | undefined)[] = [];
  /** For each member: where its key starts and ends in the element, and where its value ends; those of earlier elements after it. */
  readonly #marks: number[] = [];
  #count = 0;
  /** The bytes of the members and their text. Most elements of a list have the same ones, which are decoded once. */
  #members: string[] = [];
  #text = '{}';

  constructor(names: readonly string[]) {
    for (const key of names.map((name) => Buffer.from(JSON.stringify(name)))) {
      this.#keys[key.length] = [...(this.#keys[key.length] ?? []), key];
    }
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  clear(): void {
    this.#count = 0;
    this.hasEscape = false;
  }

  /** Adds where a key starts, where it ends, or where its value ends: each offset in the element in turn. */
  mark(offset: number): void {
    this.#marks[this.#count++] = offset;
  }

  /** Returns the JSON text of an object with the wanted members of the element that starts at `start`. */
  textOf(source: Buffer, start: number): string {
    let found = 0;
    let isSame = true;
    for (let at = 0; at < this.#count; at += 3) {
      const key = start + (this.#marks[at] as number);
      if (!this.#isWanted(source, key, start + (this.#marks[at + 1] as number))) continue;
      const member = source.toString('latin1', key, start + (this.#marks[at + 2] as number));
      if (member !== this.#members[found]) {
        this.#members[found] = member;
        isSame = false;
      }
      found++;
    }
    if (!isSame || found < this.#members.length) {
      this.#members = this.#members.slice(0, found);
      this.#text = Buffer.from(`{${this.#members.join(',')}}`, 'latin1').toString();
    }
    return this.#text;
  }

  #isWanted(source: Buffer, start: number, end: number): boolean {
    if (this.hasEscape) {
      // With only the escapes that JSON requires.
      const key = Buffer.from(JSON.stringify(JSON.parse(source.toString('utf8', start, end))));
      return this.#keys[key.length]?.some((wanted) => wanted.equals(key)) ?? false;
    }
    const keys = this.#keys[end - start];
    if (keys !== undefined) for (const key of keys) if (isAt(source, start, key)) return true;
    return false;
  }
}

function isAt(source: Buffer, start: number, part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) if (source[start + at] !== part[at]) return false;
  return true;
}
