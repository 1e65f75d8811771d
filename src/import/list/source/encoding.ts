import { isUtf8 } from 'node:buffer';
import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { MAX_ROW_LENGTH } from './list-limits.ts';

/** The encoding of a list. */
export interface ListEncoding {
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
export function detectEncoding(head: Uint8Array, requested?: string): ListEncoding {
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

/**
 * Converts a list to UTF-8 without a byte order mark.
 *
 * @throws UsageError that names the first line that is not text in this encoding
 */
export function toUtf8(bytes: Buffer, { name, hasBom }: ListEncoding): Buffer {
  const isUnchanged = name === 'utf-8' && isUtf8(bytes);
  const utf8 = isUnchanged ? bytes.subarray(hasBom ? MARKS[name].length : 0) : convert(bytes, name);
  if (utf8 === undefined) throw describeInvalidText(bytes, name);
  if (utf8.includes(0)) throw notText();
  return utf8;
}

/** Converts a text to UTF-8 in parts: all of it as a string would need several times its memory. Undefined if it is not text. */
function convert(bytes: Buffer, name: string): Buffer | undefined {
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

/** The most likely encoding of a list that is not UTF-8: Excel uses it on Windows in Western Europe. */
const LIKELY = 'windows-1252';

/** Control characters other than tabs and line ends, which no text contains. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** Returns the error for a file of another kind, such as a picture or a PDF document. */
function notText(): UsageError {
  return new UsageError(
    'the list is not a text file',
    'Export the list as CSV, JSON, or an Excel workbook. Convert UTF-32 to UTF-8.',
    'bad-encoding',
  );
}

const [LF, CR] = [10, 13];
/** Bytes at the beginning that show what kind of file it is. */
const SAMPLE_BYTES = 64 * 1024;

/** Finds the first line of a list that is not text, and returns the error that describes it. */
function describeInvalidText(bytes: Buffer, name: string): UsageError {
  // In UTF-16, a byte with the value of a line end may be half of another character.
  if (name.startsWith('utf-16')) return invalidTextError('the list', name);
  if (name === 'utf-8' && CONTROL.test(bytes.subarray(0, SAMPLE_BYTES).toString('latin1'))) return notText();
  const lineEnd = bytes.includes(LF) ? LF : CR;
  for (let [line, start] = [1, 0]; start < bytes.length; line++) {
    const found = bytes.indexOf(lineEnd, start);
    const end = found < 0 ? bytes.length : found;
    const lineBytes = bytes.subarray(start, end);
    // A text without line ends is not a list.
    if (lineBytes.length > MAX_ROW_LENGTH) return notText();
    if (convert(lineBytes, name) === undefined)
      return invalidTextError(`line ${line}`, name, convert(lineBytes, LIKELY)?.toString().trim());
    start = end + 1;
  }
  return invalidTextError('the list', name);
}

/** @param asLikely the line as it reads in `windows-1252` */
function invalidTextError(place: string, name: string, asLikely?: string): UsageError {
  const hint =
    name === 'utf-8' && asLikely !== undefined
      ? `Add --encoding ${LIKELY} if the line should read ${quote(asLikely)}. Otherwise save the list as UTF-8 (Excel: "CSV UTF-8").`
      : 'Save the list as UTF-8, or name its --encoding.';
  const shown = name.replace(/^utf-(8|16).*$/, 'UTF-$1');
  return new UsageError(`${place} is not valid ${shown}`, hint, 'bad-encoding');
}
