/** Collects the wanted members of an element, as JSON. */
export class MemberExcerpt {
  /** The wanted keys as JSON, by length. */
  readonly #keys = new Map<number, Buffer[]>();
  /** Offsets in the element of the start of each wanted key and the end of its value. */
  readonly #spans: number[] = [];
  #keyStart = 0;
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = Buffer.from(this.#text);

  constructor(names: readonly string[]) {
    for (const key of names.map((name) => Buffer.from(JSON.stringify(name)))) {
      this.#keys.set(key.length, [...(this.#keys.get(key.length) ?? []), key]);
    }
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  clear(): void {
    this.#spans.length = 0;
  }

  startKey(offset: number): void {
    this.#keyStart = offset;
  }

  /** @param element where the element starts in `bytes`; `end` is the end of the key */
  endKey(bytes: Buffer, element: number, end: number, hasEscape: boolean): void {
    const start = element + this.#keyStart;
    const key = hasEscape ? withoutEscapes(bytes.subarray(start, end)) : undefined;
    if (key === undefined ? this.#isWanted(bytes, start, end) : this.#isWanted(key, 0, key.length)) {
      this.#spans.push(this.#keyStart);
    }
  }

  endMember(end: number): void {
    if (this.#spans.length % 2 === 1) this.#spans.push(end);
  }

  /** Returns the JSON text of an object with the wanted members. */
  textOf(element: Buffer): string {
    if (!this.#isSame(element)) {
      const members: string[] = [];
      for (let at = 0; at < this.#spans.length; at += 2) {
        members.push(element.toString('utf8', this.#spans[at], this.#spans[at + 1]));
      }
      this.#text = `{${members.join(',')}}`;
      this.#bytes = Buffer.from(this.#text);
    }
    return this.#text;
  }

  #isWanted(bytes: Buffer, start: number, end: number): boolean {
    const keys = this.#keys.get(end - start);
    if (keys !== undefined) for (const key of keys) if (isAt(bytes, start, key)) return true;
    return false;
  }

  /** Whether the members of the element are those of the previous excerpt. */
  #isSame(element: Buffer): boolean {
    let at = 1;
    for (let index = 0; index < this.#spans.length; index += 2) {
      const start = this.#spans[index] as number;
      const length = (this.#spans[index + 1] as number) - start;
      if (at + length > this.#bytes.length) return false;
      if (this.#bytes.compare(element, start, start + length, at, at + length) !== 0) return false;
      // After the comma, or the brace at the end.
      at += length + 1;
    }
    return Math.max(at, 2) === this.#bytes.length;
  }
}

/** Returns the key, as JSON, with only the escapes that JSON requires. */
function withoutEscapes(key: Buffer): Buffer {
  return Buffer.from(JSON.stringify(JSON.parse(key.toString())));
}

function isAt(bytes: Buffer, start: number, part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[start + at] !== part[at]) return false;
  return true;
}
