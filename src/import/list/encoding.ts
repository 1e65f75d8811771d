import { UsageError } from '../../util/errors.ts';
import { MAX_ROW_LENGTH, quote } from './list-row.ts';

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
 * @throws UsageError that names the first line that is not text in this encoding
 */
export function* decodeBlocks(blocks: readonly Uint8Array[], { name }: ListEncoding): Generator<string> {
  const decoder = new TextDecoder(name, { fatal: true });
  for (const [index, block] of [...blocks, new Uint8Array(0)].entries()) {
    const text = decodeOrUndefined(decoder, block, index < blocks.length);
    if (text === undefined) throw describeInvalidText(blocks, name);
    if (text.includes('\0')) throw notText();
    yield text;
  }
}

function decodeOrUndefined(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  stream = false,
): string | undefined {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return undefined;
  }
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

/** Finds the first line of a list that is not text, and returns the error that describes it. */
function describeInvalidText(blocks: readonly Uint8Array[], name: string): UsageError {
  // In UTF-16, a byte with the value of a line end may be half of another character.
  if (name.startsWith('utf-16')) return invalidTextError('the list', name);
  const decoder = new TextDecoder(name, { fatal: true });
  const lineEnd = blocks.some((block) => block.includes(LF)) ? LF : CR;
  let line = 1;
  let rest: Uint8Array = new Uint8Array(0);
  for (const block of [...blocks, Uint8Array.of(lineEnd)]) {
    const bytes = Buffer.concat([rest, block]);
    for (let start = 0; ; line++) {
      const end = bytes.indexOf(lineEnd, start);
      rest = bytes.subarray(start);
      if (end < 0) break;
      const one = bytes.subarray(start, end);
      if (decodeOrUndefined(decoder, one) === undefined) {
        return name === 'utf-8' && CONTROL.test(bytes.toString('latin1'))
          ? notText()
          : invalidTextError(`line ${line}`, name, new TextDecoder(LIKELY).decode(one).trim());
      }
      start = end + 1;
    }
    // A text without line ends is not a list.
    if (rest.length > MAX_ROW_LENGTH) return notText();
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
