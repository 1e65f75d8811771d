/** Collects the wanted members of an element, as JSON. */
export class MemberExcerpts {
  /** For each member of the element: offsets of the start and the end of its key, and of the end of its value. */
  readonly marks: number[] = [];
  /** Whether the element has escape sequences in keys. */
  hasEscape = false;
  /** The wanted keys as JSON, by length. */
  readonly #keys: (Buffer[] | undefined)[] = [];
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = Buffer.from(this.#text);

  constructor(names: readonly string[]) {
    for (const key of names.map((name) => Buffer.from(JSON.stringify(name)))) {
      this.#keys[key.length] = [...(this.#keys[key.length] ?? []), key];
    }
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  clear(): void {
    this.marks.length = 0;
    this.hasEscape = false;
  }

  /** Returns the JSON text of an object with the wanted members of the element that starts at `start`. */
  textOf(source: Buffer, start: number): string {
    const spans: number[] = [];
    for (let at = 0; at < this.marks.length; at += 3) {
      const [key, keyEnd, end] = [this.marks[at] as number, this.marks[at + 1] as number, this.marks[at + 2] as number];
      if (this.#isWanted(source, start + key, start + keyEnd)) spans.push(start + key, start + end);
    }
    if (!this.#isSame(source, spans)) {
      const members: string[] = [];
      for (let at = 0; at < spans.length; at += 2) members.push(source.toString('utf8', spans[at], spans[at + 1]));
      this.#text = `{${members.join(',')}}`;
      this.#bytes = Buffer.from(this.#text);
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
    if (keys !== undefined) for (const key of keys) if (isAt(source, start, key, 0, key.length)) return true;
    return false;
  }

  /** Whether the members of the element are those of the previous excerpt. */
  #isSame(source: Buffer, spans: readonly number[]): boolean {
    let at = 1;
    for (let index = 0; index < spans.length; index += 2) {
      const start = spans[index] as number;
      const length = (spans[index + 1] as number) - start;
      if (at + length > this.#bytes.length || !isAt(source, start, this.#bytes, at, length)) return false;
      // After the comma, or the brace at the end.
      at += length + 1;
    }
    return Math.max(at, 2) === this.#bytes.length;
  }
}

/** Whether `length` bytes of `source` from `start` on are those of `part` from `from` on. */
function isAt(source: Buffer, start: number, part: Buffer, from: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (source[start + at] !== part[from + at]) return false;
  return true;
}
