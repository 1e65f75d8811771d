/** Collects the wanted members of each element, as JSON. */
export class MemberExcerpts {
  /** Whether the element has escape sequences in keys. */
  hasEscape = false;
  /** The wanted keys as JSON, by length. */
  readonly #keys: (DataView[] | undefined)[] = [];
  /** For each member that may be wanted, offsets in the element: where its key starts and ends, and where its value ends. */
  readonly #marks: number[] = [];
  #count = 0;
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = viewOf(Buffer.from(this.#text));

  constructor(names: readonly string[]) {
    for (const key of names.map((name) => Buffer.from(JSON.stringify(name)))) {
      this.#keys[key.length] = [...(this.#keys[key.length] ?? []), viewOf(key)];
    }
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  clear(): void {
    this.#count = 0;
    this.hasEscape = false;
  }

  endKey(start: number, end: number): void {
    if (!this.hasEscape && this.#keys[end - start] === undefined) return;
    this.#marks[this.#count++] = start;
    this.#marks[this.#count++] = end;
  }

  endMember(end: number): void {
    if (this.#count % 3 === 2) this.#marks[this.#count++] = end;
  }

  /** Returns the JSON text of an object with the wanted members of the element that starts at `start`. */
  textOf(source: DataView, start: number): string {
    let isSame = true;
    let end = 0;
    for (let at = 0; at < this.#count; at += 3) {
      const from = start + (this.#marks[at] as number);
      const length = start + (this.#marks[at + 2] as number) - from;
      if (!this.#isWanted(source, from, start + (this.#marks[at + 1] as number))) this.#marks[at + 2] = 0;
      // In the excerpt, each member follows a brace or a comma.
      else if (isSame) {
        isSame = areEqual(source, from, this.#bytes, end + 1, length);
        end += length + 1;
      }
    }
    if (!isSame || Math.max(end, 1) + 1 !== this.#bytes.byteLength) this.#replace(source, start);
    return this.#text;
  }

  #replace(source: DataView, start: number): void {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const members: string[] = [];
    for (let at = 0; at < this.#count; at += 3) {
      const [from, to] = [this.#marks[at] as number, this.#marks[at + 2] as number];
      if (to > 0) members.push(bytes.toString('utf8', start + from, start + to));
    }
    this.#text = `{${members.join(',')}}`;
    this.#bytes = viewOf(Buffer.from(this.#text));
  }

  #isWanted(source: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (!this.hasEscape) return this.#keys[length]?.some((key) => areEqual(source, start, key, 0, length)) ?? false;
    // With only the escapes that JSON requires.
    const text = Buffer.from(source.buffer, source.byteOffset + start, length).toString();
    const key = Buffer.from(JSON.stringify(JSON.parse(text)));
    return this.#keys[key.length]?.some((wanted) => areEqual(wanted, 0, viewOf(key), 0, key.length)) ?? false;
  }
}

/** Returns a view, from which four bytes are read at once. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Whether `length` bytes from these positions on are the same; false beyond the end of `right`. */
function areEqual(left: DataView, leftStart: number, right: DataView, rightStart: number, length: number): boolean {
  if (rightStart + length > right.byteLength) return false;
  let at = 0;
  for (; at <= length - 4; at += 4) {
    if (left.getInt32(leftStart + at) !== right.getInt32(rightStart + at)) return false;
  }
  for (; at < length; at++) if (left.getUint8(leftStart + at) !== right.getUint8(rightStart + at)) return false;
  return true;
}
