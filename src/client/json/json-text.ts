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
