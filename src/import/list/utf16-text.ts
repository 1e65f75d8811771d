const NO_TEXT = /[\0\p{Surrogate}]/u;

/** A byte that cannot stand where it does; `offset` is counted from the start of the list. */
export interface InvalidByte {
  byte: number;
  offset: number;
}

/** Reads UTF-16 that comes in pieces. */
export class Utf16Reader {
  readonly #bigEndian: boolean;
  #rest: Buffer = Buffer.alloc(0);
  /** The offset in the list at which `#rest` starts. */
  #offset: number;

  constructor(bigEndian: boolean, offset: number) {
    this.#bigEndian = bigEndian;
    this.#offset = offset;
  }

  /** The whole characters so far, up to the first that is none: U+0000 or half of a surrogate pair. */
  push(piece: Uint8Array): { text: string; invalidByte: InvalidByte | undefined } {
    const bytes = Buffer.concat([this.#rest, piece]);
    const text = this.#decode(bytes.subarray(0, bytes.length & ~1));
    const last = text.charCodeAt(text.length - 1);
    const whole = last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
    const at = whole.search(NO_TEXT);
    if (at >= 0) return { text: whole.slice(0, at), invalidByte: this.#bad(bytes, at * 2) };
    this.#rest = bytes.subarray(whole.length * 2);
    this.#offset += whole.length * 2;
    return { text: whole, invalidByte: undefined };
  }

  /** The first byte of a character that was begun and not ended. */
  unfinished(): InvalidByte | undefined {
    const byte = this.#rest[0];
    return byte === undefined ? undefined : { byte, offset: this.#offset };
  }

  /** Of a lone surrogate it is the high byte that tells. */
  #bad(bytes: Buffer, unit: number): InvalidByte {
    const zero = bytes[unit] === 0 && bytes[unit + 1] === 0;
    const at = zero || this.#bigEndian ? unit : unit + 1;
    return { byte: bytes[at] ?? 0, offset: this.#offset + at };
  }

  #decode(bytes: Buffer): string {
    return (this.#bigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  }
}
