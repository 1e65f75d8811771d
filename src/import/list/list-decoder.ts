import { isUtf8 } from 'node:buffer';
import type { ListEncoding } from './encoding.ts';
import { completeLength, firstInvalid } from './utf8-text.ts';
import { type InvalidByte, Utf16Reader } from './utf16-text.ts';

/** A byte that is no text. On which line it stands is found when it is asked for: nearly all lists hold none. */
export class InvalidEncodingError extends Error {
  readonly invalidByte: InvalidByte;

  constructor(bad: InvalidByte) {
    super(`byte ${bad.byte} at ${bad.offset} is no text`);
    this.invalidByte = bad;
  }
}

/** Turns the blocks of a list into UTF-8 text, whatever encoding it came in; characters may lie across blocks. */
export interface ListDecoder {
  /** The whole characters so far. Throws `InvalidEncodingError` for the first byte that is no text. */
  push(block: Buffer): Buffer;
  /** Throws `InvalidEncodingError` when the list ends within a character. */
  end(): void;
}

/** The decoder for a list of this form; it drops the byte order mark. */
export function createListDecoder(encoding: ListEncoding): ListDecoder {
  return encoding.encoding === 'utf-8' ? new Utf8Decoder(encoding.bomBytes) : new Utf16Decoder(encoding);
}

class Utf8Decoder implements ListDecoder {
  #skip: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The offset in the list at which `#rest` starts. */
  #offset = 0;

  constructor(bomBytes: number) {
    this.#skip = bomBytes;
  }

  push(block: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? block.subarray(this.#skip) : Buffer.concat([this.#rest, block]);
    this.#offset += this.#skip;
    this.#skip = 0;
    const text = bytes.subarray(0, completeLength(bytes));
    if (!isUtf8(text)) this.#reject(text, firstInvalid(text));
    const zero = text.indexOf(0);
    if (zero >= 0) this.#reject(text, zero);
    this.#offset += text.length;
    this.#rest = Buffer.from(bytes.subarray(text.length));
    return text;
  }

  end(): void {
    if (this.#rest.length > 0) this.#reject(this.#rest, 0);
  }

  #reject(bytes: Buffer, at: number): never {
    throw new InvalidEncodingError({ byte: bytes[at] ?? 0, offset: this.#offset + at });
  }
}

class Utf16Decoder implements ListDecoder {
  readonly #reader: Utf16Reader;
  #skip: number;

  constructor(encoding: ListEncoding) {
    this.#skip = encoding.bomBytes;
    this.#reader = new Utf16Reader(encoding.encoding === 'utf-16be', encoding.bomBytes);
  }

  push(block: Buffer): Buffer {
    const { text, invalidByte } = this.#reader.push(block.subarray(this.#skip));
    this.#skip = 0;
    if (invalidByte !== undefined) throw new InvalidEncodingError(invalidByte);
    return Buffer.from(text);
  }

  end(): void {
    const bad = this.#reader.unfinished();
    if (bad !== undefined) throw new InvalidEncodingError(bad);
  }
}
