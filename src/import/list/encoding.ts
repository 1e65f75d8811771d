import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../util/errors.ts';

/** The encodings in which a list may come. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How the bytes of a list are to be read. */
export interface ListEncoding {
  encoding: Encoding;
  /** Bytes of the byte order mark at the start; 0 when there is none. */
  bomBytes: number;
}

/** Reads the byte order mark off the first bytes of a list. Without one the list counts as UTF-8. */
export function detectEncoding(head: Uint8Array): ListEncoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', bomBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  return { encoding: 'utf-8', bomBytes: 0 };
}

/** The beginning of a list as text, good enough to find out its format; wrong bytes are replaced, not refused. */
export function decodeHead(head: Buffer, encoding: ListEncoding): string {
  const bytes = head.subarray(encoding.bomBytes);
  if (encoding.encoding === 'utf-8') return bytes.toString('utf8');
  const whole = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  return (encoding.encoding === 'utf-16be' ? whole.swap16() : whole).toString('utf16le');
}

/** Refuses a workbook by the mark of the zip archive that it is. Throws `UsageError`. */
export function rejectSpreadsheet(head: Uint8Array): void {
  if (head[0] !== 0x50 || head[1] !== 0x4b || head[2] !== 0x03 || head[3] !== 0x04) return;
  throw new UsageError(
    'the list is a workbook (.xlsx, .ods) or another zip archive, not a text',
    'Export the sheet as CSV (Excel: "CSV UTF-8").',
    'bad-encoding',
  );
}

const NAMES: Record<Encoding, string> = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16' };

/** A byte that has no place in a text. `line` is 1-based. */
export function invalidByteError({ byte, offset }: InvalidByte, line: number, encoding: Encoding): UsageError {
  const hex = `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  const problem = byte === 0 ? 'is no text' : `is not ${NAMES[encoding]}`;
  const hint =
    byte === 0
      ? 'Zero bytes stand in UTF-16 or UTF-32 without a byte order mark, and in files that are no text. Save the list as UTF-8.'
      : 'Save the list as UTF-8 (Excel: "CSV UTF-8"), for else names could arrive with wrong letters.';
  return new UsageError(`byte ${hex} at offset ${offset} (line ${line}) ${problem}`, hint, 'bad-encoding');
}

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

const LF = 10;
const CR = 13;

/**
 * The line, 1-based, on which a byte of a list stands; CR, LF and CRLF each end one.
 *
 * @param blocks the bytes of the list from its start, each but the last of an even length
 * @param offset of the byte
 * @param wide how two bytes make a character, where they do
 */
export async function lineAtOffset(
  blocks: AsyncIterable<Uint8Array>,
  offset: number,
  wide: 'little-endian' | 'big-endian' | undefined,
): Promise<number> {
  const step = wide === undefined ? 1 : 2;
  let left = offset;
  let line = 1;
  let last = 0;
  for await (const block of blocks) {
    for (let at = 0; at < block.length && at + step <= left; at += step) {
      const [one = 0, two = 0] = [block[at], block[at + 1]];
      const unit = wide === undefined ? one : wide === 'big-endian' ? (one << 8) | two : (two << 8) | one;
      if (unit === CR || (unit === LF && last !== CR)) line++;
      last = unit;
    }
    left -= block.length;
    if (left < step) break;
  }
  return line;
}

const NO_TEXT = /[\0\p{Surrogate}]/u;

/** A byte that cannot stand where it does; `offset` is counted from the start of the list. */
interface InvalidByte {
  byte: number;
  offset: number;
}

/** Reads UTF-16 that comes in pieces. */
class Utf16Reader {
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

/** The length of `bytes` without a character that is cut off at the end. Bytes that are wrong anyway are left in. */
function completeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? end - back : end;
  }
  return end;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return lead < 0xf8 ? 4 : 1;
  return lead >= 0xe0 ? 3 : 2;
}

/** The offset at which the first wrong sequence starts in `bytes`, which are known not to be UTF-8. */
function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const prefix = bytes.subarray(0, middle);
    if (isUtf8(prefix.subarray(0, completeLength(prefix)))) good = middle;
    else bad = middle;
  }
  return completeLength(bytes.subarray(0, good));
}
