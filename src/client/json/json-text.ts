/** Bytes from `start` to `end`. */
export interface Span {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The text of one value that may come in pieces. */
export class ValueText {
  /** Bytes of the value so far. */
  bytes = 0;
  #pieces: Buffer[] = [];
  #kept = true;

  /** Begins a value. One that is not kept is counted only. */
  begin(kept: boolean): void {
    this.bytes = 0;
    this.#pieces = [];
    this.#kept = kept;
  }

  /** Whether the value's text is there in the end. */
  get kept(): boolean {
    return this.#kept;
  }

  /** Gives the text up. */
  drop(): void {
    this.#kept = false;
    this.#pieces = [];
  }

  /** Takes a piece after which others follow. It is copied, for the caller may use its buffer again. */
  add(bytes: Buffer, from: number): void {
    this.bytes += bytes.length - from;
    if (this.#kept) this.#pieces.push(Buffer.from(bytes.subarray(from)));
  }

  /** Takes the last piece, and gives the text, in the piece itself where there was no other; nothing if it is not kept. */
  end(bytes: Buffer, start: number, end: number): Span {
    this.bytes += end - start;
    if (!this.#kept || this.#pieces.length === 0) return { bytes, start, end: this.#kept ? end : start };
    const whole = Buffer.concat([...this.#pieces, bytes.subarray(start, end)]);
    this.#pieces = [];
    return { bytes: whole, start: 0, end: whole.length };
  }
}

/** So much becomes text at a time: larger strings take Node ten times as long to make. */
const WINDOW_BYTES = 64 * 1024;

/** A part of some bytes as text in which each character stands for a byte, for patterns to read. */
export class ByteWindow {
  text = '';
  #bytes: Buffer = Buffer.alloc(0);
  #base = 0;

  /** Makes text of what begins at the offset `from`, and gives its place in the text: 0. */
  show(bytes: Buffer, from: number): number {
    this.#bytes = bytes;
    this.#base = from;
    this.text = bytes.toString('latin1', from, from + WINDOW_BYTES);
    return 0;
  }

  /** Where the offset `from` of these bytes stands in the text; undefined where it does not. */
  place(bytes: Buffer, from: number): number | undefined {
    const at = from - this.#base;
    return bytes === this.#bytes && at >= 0 && at < this.text.length ? at : undefined;
  }

  /** Whether the bytes go on where the text ends. */
  get isCut(): boolean {
    return this.#base + this.text.length < this.#bytes.length;
  }
}

/** Where a member stands in the text of its object. */
export interface MemberSpan {
  readonly key: string;
  /** The offset of the key's opening quote. */
  readonly start: number;
  /** The offset just after the colon. */
  readonly value: number;
  /** The offset just after the value. */
  readonly end: number;
}

/** The members of the object that `text` is, in order, duplicate keys too. `text` must be valid JSON. */
export function objectMembers(text: string): MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start < 0) return members;
    const keyEnd = endOfString(text, start);
    const value = text.indexOf(':', keyEnd) + 1;
    const end = endOfValue(text, value);
    members.push({ key: String(JSON.parse(text.slice(start, keyEnd))), start, value, end });
    at = end;
  }
}

/** A key that stands more than once in the object that `text` is; the last one would win silently. */
export function findDuplicateKey(text: string, keys: readonly string[]): string | undefined {
  if (!hasMore(text, ':', keys.length)) return undefined;
  const seen = new Set<string>();
  return objectMembers(text).find(({ key }) => seen.size === seen.add(key).size)?.key;
}

/** Each key brings one colon: where there are no more of them than keys, no key stands twice. */
function hasMore(text: string, token: string, count: number): boolean {
  let at = -1;
  for (let seen = 0; seen <= count; seen++) {
    at = text.indexOf(token, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The offset after the value that begins at or after `from`, trailing white space left out. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (character === undefined || ((character === ',' || character === '}' || character === ']') && depth === 0))
      break;
    else if (character === '}' || character === ']') depth--;
    at++;
  }
  return from + text.slice(from, at).trimEnd().length;
}
