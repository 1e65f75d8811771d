import { UsageError } from '../../util/errors.ts';
import { quote } from './list-row.ts';

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

/** Returns the beginning of a list as text, without its byte order mark; wrong bytes become U+FFFD. */
export function decodeHead(head: Uint8Array, { name }: ListEncoding): string {
  return new TextDecoder(name).decode(head, { stream: true });
}

/**
 * Decodes the blocks of a list, without its byte order mark; characters may lie across blocks.
 *
 * @throws UsageError that describes the first byte that is not text in this encoding
 */
export function* decodeBlocks(blocks: readonly Uint8Array[], encoding: ListEncoding): Generator<string> {
  const texts = encoding.name === 'utf-8' ? decodeUtf8(blocks) : decodeOther(blocks, encoding.name);
  try {
    for (const text of texts) {
      if (text.includes('\0')) throw notText();
      yield text;
    }
  } catch (error) {
    throw isDecodingError(error) ? describeInvalidByte(blocks, encoding) : error;
  }
}

/**
 * Without `stream`, TextDecoder returns one-byte strings for ASCII, which makes reading a million rows a third faster
 * (npm run bench -- people).
 */
function* decodeUtf8(blocks: readonly Uint8Array[]): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest: Uint8Array = new Uint8Array(0);
  for (const [index, block] of blocks.entries()) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const end = completeLength(bytes);
    yield decoder.decode(bytes.subarray(index === 0 && hasMark(bytes, 'utf-8') ? 3 : 0, end));
    rest = bytes.subarray(end);
  }
  yield decoder.decode(rest);
}

function* decodeOther(blocks: readonly Uint8Array[], name: string): Generator<string> {
  const decoder = new TextDecoder(name, { fatal: true });
  for (const block of blocks) yield decoder.decode(block, { stream: true });
  yield decoder.decode();
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** Returns the length of `bytes` without a UTF-8 character that is cut off at the end. */
function completeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length - back : length;
  }
  return length;
}

/** The most likely encoding of a list that is not UTF-8: Excel uses it on Windows in Western Europe. */
const LIKELY = 'windows-1252';

/** Control characters other than tabs and line ends, which no text contains. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** Returns the error for a file of another kind, such as a picture or a PDF document. */
function notText(): UsageError {
  return new UsageError(
    'the list is not a text file',
    'Export the list as CSV, JSON or an Excel workbook. Convert UTF-32 to UTF-8.',
    'bad-encoding',
  );
}

/** Finds the first invalid byte of a list, in a second pass over its bytes, and returns the error that describes it. */
function describeInvalidByte(blocks: readonly Uint8Array[], { name }: ListEncoding): UsageError {
  const invalidBlock = findInvalidBlock(blocks, name);
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  let [lineFeeds, returns] = [0, 0];
  const read = (bytes: Uint8Array): string => {
    const text = decoder.decode(bytes, { stream: true });
    lineFeeds += text.split('\n').length - 1;
    returns += text.split('\r').length - 1;
    return text;
  };
  // A character has at most four bytes, so the invalid one may begin in these bytes of the block before.
  const last = blocks[invalidBlock - 1]?.subarray(-4) ?? new Uint8Array(0);
  const bytes = Buffer.concat([last, blocks[invalidBlock] ?? new Uint8Array(0)]);
  let offset = -last.length;
  for (const [index, block] of blocks.slice(0, invalidBlock).entries()) {
    read(index === invalidBlock - 1 ? block.subarray(0, -4) : block);
    offset += block.length;
  }
  let invalid = 0;
  try {
    for (let at = 0; at < bytes.length; at++) if (read(bytes.subarray(at, at + 1)) !== '') invalid = at + 1;
  } catch {
    // The character that begins at `invalid` is not valid.
  }
  if (name === 'utf-8' && CONTROL.test(bytes.toString('latin1'))) return notText();
  const hex = (bytes[invalid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const place = `byte 0x${hex} at offset ${offset + invalid} (line ${Math.max(lineFeeds, returns) + 1})`;
  return invalidByteError(place, bytes.subarray(startOfLine(bytes, invalid), endOfLine(bytes, invalid)), name);
}

/** Returns the index of the block that `TextDecoder` rejects; that of the last one if a character is cut off at the end. */
function findInvalidBlock(blocks: readonly Uint8Array[], name: string): number {
  const decoder = new TextDecoder(name, { fatal: true });
  const invalid = blocks.findIndex((block) => {
    try {
      decoder.decode(block, { stream: true });
      return false;
    } catch {
      return true;
    }
  });
  return invalid < 0 ? blocks.length - 1 : invalid;
}

const LINE_ENDS = [10, 13];

function startOfLine(bytes: Uint8Array, at: number): number {
  return Math.max(...LINE_ENDS.map((end) => bytes.subarray(0, at).lastIndexOf(end))) + 1;
}

function endOfLine(bytes: Uint8Array, at: number): number {
  const ends = LINE_ENDS.map((end) => bytes.indexOf(end, at)).filter((end) => end >= 0);
  return Math.min(bytes.length, ...ends);
}

function invalidByteError(place: string, line: Uint8Array, name: string): UsageError {
  const asLikely = new TextDecoder(LIKELY).decode(line).trim();
  const hint =
    name === 'utf-8'
      ? `Add --encoding ${LIKELY} if the line should read ${quote(asLikely)}. Otherwise save the list as UTF-8 (Excel: "CSV UTF-8").`
      : 'Save the list as UTF-8, or name its --encoding.';
  const shown = name.replace(/^utf-(8|16).*$/, 'UTF-$1');
  return new UsageError(`${place} is not valid ${shown}`, hint, 'bad-encoding');
}
