/** Records where an object has certain members, as a reader passes over its text, and returns them as an object. */
export class MemberExcerpt {
  readonly #keys: ReadonlySet<string>;
  readonly #keyLengths: ReadonlySet<number>;
  /** For each recorded member, the offsets of the start and end of its key, and of the end of its value. */
  #spans: number[] = [];

  constructor(names: readonly string[]) {
    const keys = names.map((name) => latin1(JSON.stringify(name)));
    this.#keys = new Set(keys);
    this.#keyLengths = new Set(keys.map((key) => key.length));
  }

  get isUsed(): boolean {
    return this.#keys.size > 0;
  }

  startObject(): void {
    this.#spans = [];
  }

  startKey(offset: number): void {
    this.#spans.push(offset);
  }

  /** Ends a key, which has another length than its name if it has escape sequences. */
  endKey(offset: number, hasEscape: boolean): void {
    if (this.#spans.length % 3 !== 1) return;
    const start = this.#spans.at(-1) ?? 0;
    if (hasEscape || this.#keyLengths.has(offset - start)) this.#spans.push(offset);
    else this.#spans.pop();
  }

  endValue(offset: number): void {
    if (this.#spans.length % 3 === 2) this.#spans.push(offset);
  }

  /** Returns the JSON text of an object with the members that `object` has. */
  textOf(object: Buffer): string {
    const members: string[] = [];
    for (let at = 0; at < this.#spans.length; at += 3) {
      const [start = 0, keyEnd = 0, end = 0] = this.#spans.slice(at, at + 3);
      if (this.#isWanted(object, start, keyEnd)) members.push(object.toString('utf8', start, end));
    }
    return `{${members.join(',')}}`;
  }

  #isWanted(object: Buffer, start: number, end: number): boolean {
    const key = object.toString('latin1', start, end);
    if (!key.includes('\\')) return this.#keys.has(key);
    return this.#keys.has(latin1(JSON.stringify(JSON.parse(object.toString('utf8', start, end)))));
  }
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
