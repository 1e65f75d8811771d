import { isUtf8 } from 'node:buffer';
import { type ByteForm, badByte } from './encoding.ts';
import { LineCounter } from './line-ends.ts';
import { firstInvalid, wholeLength } from './utf8-text.ts';
import { Utf16Reader } from './utf16-text.ts';

/** Turns the blocks of a list into UTF-8 text, whatever encoding it came in; characters may lie across blocks. */
export interface ListDecoder {
  /** The whole characters so far. Throws `UsageError` naming the first byte that is no text, its offset and line. */
  push(block: Buffer): Buffer;
  /** Throws `UsageError` when the list ends within a character. */
  end(): void;
}

/** The decoder for a list of this form; it drops the byte order mark. */
export function createDecoder(form: ByteForm): ListDecoder {
  return form.encoding === 'utf-8' ? new Utf8Decoder(form.bomBytes) : new Utf16Decoder(form);
}

class Utf8Decoder implements ListDecoder {
  #skip: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The offset in the list at which `#rest` starts. */
  #offset = 0;
  readonly #lines = new LineCounter();

  constructor(bomBytes: number) {
    this.#skip = bomBytes;
  }

  push(block: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? block.subarray(this.#skip) : Buffer.concat([this.#rest, block]);
    this.#offset += this.#skip;
    this.#skip = 0;
    const text = bytes.subarray(0, wholeLength(bytes));
    if (!isUtf8(text)) this.#refuse(text, firstInvalid(text));
    const zero = text.indexOf(0);
    if (zero >= 0) this.#refuse(text, zero);
    this.#lines.add(text);
    this.#offset += text.length;
    this.#rest = Buffer.from(bytes.subarray(text.length));
    return text;
  }

  end(): void {
    if (this.#rest.length > 0) this.#refuse(this.#rest, 0);
  }

  #refuse(bytes: Buffer, at: number): never {
    this.#lines.add(bytes, 0, at);
    throw badByte(bytes[at] ?? 0, this.#offset + at, this.#lines.count + 1, 'utf-8');
  }
}

class Utf16Decoder implements ListDecoder {
  readonly #form: ByteForm;
  readonly #reader: Utf16Reader;
  #skip: number;
  readonly #lines = new LineCounter();

  constructor(form: ByteForm) {
    this.#form = form;
    this.#skip = form.bomBytes;
    this.#reader = new Utf16Reader(form.encoding === 'utf-16be', form.bomBytes);
  }

  push(block: Buffer): Buffer {
    const { text, bad } = this.#reader.push(block.subarray(this.#skip));
    this.#skip = 0;
    const utf8 = Buffer.from(text);
    this.#lines.add(utf8);
    if (bad !== undefined) throw badByte(bad.byte, bad.offset, this.#lines.count + 1, this.#form.encoding);
    return utf8;
  }

  end(): void {
    const bad = this.#reader.unfinished();
    if (bad !== undefined) throw badByte(bad.byte, bad.offset, this.#lines.count + 1, this.#form.encoding);
  }
}
