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
  const [first, second] = head;
  const marked = hasUtf8Mark(head)
    ? 'utf-8'
    : first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : undefined;
  const name = requested === undefined ? (marked ?? utf16WithoutMark(head) ?? 'utf-8') : encodingName(requested);
  return { name, hasBom: marked !== undefined };
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
export async function* decodeBlocks(blocks: AsyncIterable<Uint8Array>, { name }: ListEncoding): AsyncGenerator<string> {
  yield* name === 'utf-8' ? decodeUtf8(blocks) : decodeOther(blocks, name);
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
    const start = isFirst && hasUtf8Mark(bytes) ? 3 : 0;
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

function hasUtf8Mark([first, second, third]: Uint8Array): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf;
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

const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
};

/** What is most likely if a list is not UTF-8: what Excel and others write on Windows in Western Europe. */
const LIKELY = 'windows-1252';

/** Finds the first invalid byte of a list, in a slow pass over its bytes, and returns the error that describes it. */
export async function describeInvalidByte(
  blocks: AsyncIterable<Uint8Array>,
  { name }: ListEncoding,
): Promise<UsageError> {
  let line = 0;
  let offset = 0;
  for await (const bytes of lines(blocks, name)) {
    line++;
    const at = invalidByteIn(bytes, name);
    if (at === undefined) {
      offset += bytes.length;
      continue;
    }
    const byte = bytes[at] ?? 0;
    const place = `byte 0x${byte.toString(16).toUpperCase().padStart(2, '0')} at offset ${offset + at} (line ${line})`;
    return new UsageError(...describe(place, byte, bytes, name), 'bad-encoding');
  }
  return new UsageError('the list was changed while it was being read', 'Run the command again.', 'list-changed');
}

function describe(place: string, byte: number, bytes: Uint8Array, name: string): [message: string, hint: string] {
  const shown = DISPLAY_NAMES[name] ?? name;
  if (byte === 0) {
    return [
      `${place} is not text`,
      'Zero bytes occur in UTF-32 and in files that are not text. Save the list as UTF-8, or name its --encoding.',
    ];
  }
  if (name !== 'utf-8') return [`${place} is not valid ${shown}`, 'Save the list as UTF-8, or name its --encoding.'];
  const asLikely = new TextDecoder(LIKELY).decode(bytes, { stream: true }).trim();
  return [
    `${place} is not valid UTF-8`,
    `Add --encoding ${LIKELY} if the line should read ${quote(asLikely)}. Otherwise save the list as UTF-8 (Excel: "CSV UTF-8").`,
  ];
}

/** Splits bytes after each CR, LF or CRLF. In every encoding but UTF-16, these bytes are never part of another character. */
async function* lines(blocks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  const step = name.startsWith('utf-16') ? 2 : 1;
  const low = name === 'utf-16be' ? 1 : 0;
  let rest: Buffer = Buffer.alloc(0);
  const isAt = (bytes: Buffer, at: number, code: number) =>
    bytes[at + low] === code && (step === 1 || bytes[at + 1 - low] === 0);
  for await (const block of blocks) {
    rest = Buffer.concat([rest, block]);
    let start = 0;
    // The next block shows whether a CR at the end is half of a CRLF.
    for (let at = 0; at + step < rest.length; at += step) {
      if (isAt(rest, at, LF) || (isAt(rest, at, CR) && !isAt(rest, at + step, LF))) {
        yield rest.subarray(start, at + step);
        start = at + step;
      }
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield rest;
}

const LF = 10;
const CR = 13;

/** Returns the offset of the first byte that cannot be decoded; undefined if all of them can. */
function invalidByteIn(bytes: Uint8Array, name: string): number | undefined {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  let characterStart = 0;
  try {
    for (let at = 0; at < bytes.length; at++) {
      const text = decoder.decode(bytes.subarray(at, at + 1), { stream: true });
      if (text.includes('\0')) return characterStart;
      if (text !== '') characterStart = at + 1;
    }
    decoder.decode();
    return undefined;
  } catch {
    return characterStart;
  }
}
