import { UsageError } from '../../../util/errors.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/** The encoding of a list. */
export interface Encoding {
  /** A name that `TextDecoder` knows, in its own spelling: `utf-8`, `utf-16le`, `windows-1252`. */
  readonly name: string;
  /** Whether the list begins with a byte order mark. */
  readonly hasBom: boolean;
}

/**
 * Finds the encoding of a list: the requested one, the one of its byte order mark, UTF-16 if every other byte is zero, or
 * UTF-8.
 *
 * @param requested the value of --encoding
 * @throws UsageError if `requested` is not a known encoding
 */
export function detectEncoding(head: Uint8Array, requested?: string): Encoding {
  const marked = (Object.keys(MARKS) as (keyof typeof MARKS)[]).find((name) => hasMark(head, name));
  const name = requested === undefined ? (marked ?? utf16WithoutMark(head) ?? 'utf-8') : encodingName(requested);
  return { name, hasBom: marked !== undefined };
}

/** The byte order marks. */
const MARKS = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

function hasMark(bytes: Uint8Array, name: keyof typeof MARKS): boolean {
  return MARKS[name].every((byte, at) => bytes[at] === byte);
}

function encodingName(label: string): string {
  try {
    return new TextDecoder(label, { fatal: true }).encoding;
  } catch {
    throw new UsageError(
      `--encoding: "${label}" is not a known encoding`,
      'Examples: utf-8, utf-16le, windows-1252, iso-8859-2, macintosh, shift_jis, gb18030.',
    );
  }
}

/** Text that is mostly ASCII has a zero in every other byte in UTF-16. */
function utf16WithoutMark(head: Uint8Array): string | undefined {
  const zeros: [number, number] = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[(at & 1) as 0 | 1]++;
  const [even, odd] = zeros;
  const enough = head.length / 8;
  if (even === 0 && odd >= enough && odd > 1) return 'utf-16le';
  return odd === 0 && even >= enough && even > 1 ? 'utf-16be' : undefined;
}

/** Bytes that are converted at a time. */
const CONVERTED_BYTES = 64 * 1024;

/** Converts a text to UTF-8 in parts: all of it as a string would need several times its memory. Undefined if it is not text. */
export function convertToUtf8(bytes: Buffer, name: string): Buffer | undefined {
  const decoder = new TextDecoder(name, { fatal: true });
  // Memory that is never written is not used.
  const utf8 = new GrowingBuffer(2 * bytes.length);
  try {
    // Without `stream`, Node.js 20 decodes windows-1252 as Latin-1.
    for (let start = 0; start < bytes.length; start += CONVERTED_BYTES)
      utf8.append(Buffer.from(decoder.decode(bytes.subarray(start, start + CONVERTED_BYTES), { stream: true })));
    utf8.append(Buffer.from(decoder.decode()));
  } catch {
    return undefined;
  }
  return utf8.bytes;
}

/** Whether each byte of a text in this encoding is a character. */
export function isSingleByte(name: string): boolean {
  return /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866|x-user-defined)/.test(name);
}
