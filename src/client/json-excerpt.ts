const [BRACE, BACKSLASH, COMMA] = [0x7b, 0x5c, 0x2c] as const;

/** Returns some members of objects, whose positions a reader has recorded, as JSON. */
export class MemberExcerpt {
  /** The keys as JSON. */
  readonly #keys: readonly Buffer[];
  readonly keyLengths: ReadonlySet<number>;
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = Buffer.from(this.#text);

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => Buffer.from(JSON.stringify(name)));
    this.keyLengths = new Set(this.#keys.map(({ length }) => length));
  }

  /**
   * Returns the JSON text of an object with the wanted members of an element.
   *
   * @param spans for each candidate, the offsets of the start and end of its key, and of the end of its value
   */
  textOf(element: Buffer, spans: readonly number[]): string {
    const wanted: number[] = [];
    for (let at = 0; at < spans.length; at += 3) {
      const start = spans[at] as number;
      if (this.#isWanted(element, start, spans[at + 1] as number)) wanted.push(start, spans[at + 2] as number);
    }
    if (!this.#isSame(element, wanted)) {
      const members = wanted.flatMap((start, at) =>
        at % 2 === 0 ? [element.toString('utf8', start, wanted[at + 1])] : [],
      );
      this.#text = `{${members.join(',')}}`;
      this.#bytes = Buffer.from(this.#text);
    }
    return this.#text;
  }

  #isWanted(element: Buffer, start: number, end: number): boolean {
    for (const key of this.#keys) if (key.length === end - start && isAt(element, start, key)) return true;
    let at = start;
    while (at < end && element[at] !== BACKSLASH) at++;
    if (at === end) return false;
    const plain = Buffer.from(JSON.stringify(JSON.parse(element.toString('utf8', start, end))));
    return this.#keys.some((key) => key.equals(plain));
  }

  /** Whether the members at these offsets are those of the previous excerpt. */
  #isSame(element: Buffer, wanted: readonly number[]): boolean {
    const bytes = this.#bytes;
    let at = 0;
    for (let index = 0; index < wanted.length; index += 2) {
      if (bytes[at++] !== (index === 0 ? BRACE : COMMA)) return false;
      const end = wanted[index + 1] as number;
      for (let from = wanted[index] as number; from < end; from++) if (element[from] !== bytes[at++]) return false;
    }
    return Math.max(at + 1, 2) === bytes.length;
  }
}

function isAt(bytes: Buffer, start: number, part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[start + at] !== part[at]) return false;
  return true;
}
