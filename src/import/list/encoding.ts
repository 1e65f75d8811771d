import { UsageError } from '../../util/errors.ts';
import { quote } from './list-row.ts';

/** How the bytes of a list are turned into text. */
export interface ListEncoding {
  /** A name that `TextDecoder` knows, in its own spelling: `utf-8`, `utf-16le`, `windows-1252`. */
  readonly name: string;
  /** Whether the list begins with a byte order mark. */
  readonly hasBom: boolean;
}

/**
 * Finds the encoding of a list: the requested one, or what the byte order mark says, or UTF-16 if every other byte is
 * zero, or UTF-8.
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

/** Thrown for bytes that are not text in the encoding of a list. `describeInvalidByte` finds the first of them. */
export class InvalidEncodingError extends Error {}

/**
 * Decodes the blocks of a list, without its byte order mark; characters may lie across blocks.
 *
 * @throws InvalidEncodingError for bytes that are not text in this encoding, and for zero bytes
 */
export function decodeBlocks(blocks: AsyncIterable<Uint8Array>, { name }: ListEncoding): AsyncGenerator<string> {
  return name === 'utf-8' ? decodeUtf8(blocks) : decodeOther(blocks, name);
}

/**
 * Without `stream`, TextDecoder returns one-byte strings for ASCII, which makes reading a million rows a third faster
 * (npm run bench -- people).
 */
async function* decodeUtf8(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest: Uint8Array = new Uint8Array(0);
  let isFirst = true;
  for await (const block of blocks) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const end = completeLength(bytes);
    const start = isFirst && hasMark(bytes, 'utf-8') ? 3 : 0;
    isFirst = false;
    yield decode(() => decoder.decode(bytes.subarray(start, end)));
    rest = Uint8Array.from(bytes.subarray(end));
  }
  yield decode(() => decoder.decode(rest));
}

async function* decodeOther(blocks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(name, { fatal: true });
  for await (const block of blocks) yield decode(() => decoder.decode(block, { stream: true }));
  yield decode(() => decoder.decode());
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

function decode(read: () => string): string {
  let text: string;
  try {
    text = read();
  } catch (cause) {
    throw new InvalidEncodingError('the list has bytes that are not text', { cause });
  }
  if (text.includes('\0')) throw new InvalidEncodingError('the list has zero bytes');
  return text;
}

/** What is most likely if a list is not UTF-8: what Excel and others write on Windows in Western Europe. */
const LIKELY = 'windows-1252';

const CR = 13;
const LF = 10;

/** Finds the first invalid byte of a list, in a slow pass over its bytes, and returns the error that describes it. */
export async function describeInvalidByte(
  blocks: AsyncIterable<Uint8Array>,
  { name }: ListEncoding,
): Promise<UsageError> {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  let line = 1;
  let lineStart = 0;
  let bytes: number[] = [];
  /** How many bytes of the line are text, as far as they were decoded. */
  let textLength = 0;
  let previous = '';
  let isText = true;
  const decodeNext = (next?: Uint8Array) => {
    try {
      return decode(() => decoder.decode(next, { stream: next !== undefined }));
    } catch {
      isText = false;
      return '';
    }
  };
  const error = () => {
    const byte = bytes[textLength] ?? 0;
    const hex = byte.toString(16).toUpperCase().padStart(2, '0');
    const place = `byte 0x${hex} at offset ${lineStart + textLength} (line ${line})`;
    return invalidByteError(place, byte, Uint8Array.from(bytes), name);
  };
  for await (const block of blocks) {
    for (const byte of block) {
      // The rest of the line is only shown.
      if (!isText && (byte === CR || byte === LF)) return error();
      bytes.push(byte);
      const text = isText ? decodeNext(Uint8Array.of(byte)) : '';
      if (text === '') continue;
      textLength = bytes.length;
      if (text === '\r' || (text === '\n' && previous !== '\r')) {
        line++;
        lineStart += bytes.length;
        bytes = [];
        textLength = 0;
      }
      previous = text;
    }
  }
  if (isText) decodeNext();
  if (!isText) return error();
  return new UsageError('the list was changed while it was being read', 'Run the command again.', 'list-changed');
}

function invalidByteError(place: string, byte: number, line: Uint8Array, name: string): UsageError {
  const save = 'Save the list as UTF-8, or name its --encoding.';
  if (byte === 0) {
    const hint = `Zero bytes occur in UTF-32 and in files that are not text. ${save}`;
    return new UsageError(`${place} is not text`, hint, 'bad-encoding');
  }
  const asLikely = new TextDecoder(LIKELY).decode(line, { stream: true }).trim();
  const hint =
    name === 'utf-8'
      ? `Add --encoding ${LIKELY} if the line should read ${quote(asLikely)}. Otherwise save the list as UTF-8 (Excel: "CSV UTF-8").`
      : save;
  const shown = name.replace(/^utf-(8|16).*$/, 'UTF-$1');
  return new UsageError(`${place} is not valid ${shown}`, hint, 'bad-encoding');
}
