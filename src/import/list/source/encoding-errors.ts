import { isAscii, isUtf8 } from 'node:buffer';
import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';
import { convertToUtf8, isSingleByte } from './encoding.ts';

/** Encodings that lists have in which there is no mark: those of Windows and macOS, and of East Asia. */
const CANDIDATES = [
  'windows-1252',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
  'euc-jp',
  'windows-1251',
  'windows-1250',
  'macintosh',
] as const;

/** Bytes that must fit an encoding before a hint names it, and that show what kind of file it is. */
const [FITTING_BYTES, SAMPLE_BYTES] = [1024 ** 2, 64 * 1024];

/** Control characters other than tabs and line ends, which no text contains. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
/** What a text in another encoding often looks like: control characters beyond ASCII, and characters without a meaning. */
const NO_TEXT = /[\x80-\x9f\p{Co}\p{Cn}]/u;

/** Returns the error for a file of another kind, such as a picture. */
export function notTextError(): UsageError {
  return new UsageError(
    'the list is not a text file',
    'Export the list as CSV, JSON, or an Excel workbook. Convert UTF-32 to UTF-8.',
    'bad-encoding',
  );
}

/**
 * Rejects lines of UTF-8 in a list of another encoding, which would change their characters. In an encoding with several bytes
 * for a character, a few words look like UTF-8, so there the whole list must.
 *
 * @throws UsageError that names the lines
 */
export function rejectUtf8Lines(bytes: Buffer, name: string): void {
  if (isAscii(bytes) || !(isSingleByte(name) || isUtf8(bytes))) return;
  const { utf8, others } = sortLines(bytes);
  if (utf8.count === 0) return;
  const hint =
    others.count === 0
      ? 'The list is UTF-8: use --encoding utf-8.'
      : `${MIXED} Save these lines in the encoding of the others, or all of them as UTF-8.`;
  throw new UsageError(`${describeLines(utf8)} UTF-8, which --encoding ${name} would garble`, hint, 'bad-encoding');
}

const MIXED = 'The list mixes two encodings.';

/** Returns the error for a list that is not valid UTF-8, with the encodings that it may have. */
export function notUtf8Error(bytes: Buffer): UsageError {
  if (CONTROL.test(bytes.toString('latin1', 0, SAMPLE_BYTES))) return notTextError();
  const { utf8, others } = sortLines(bytes);
  const fitting = CANDIDATES.filter((name) => fits(bytes, name) && (utf8.count === 0 || !isSingleByte(name)));
  const message = `${describeLines(others)} not valid UTF-8`;
  const [first] = others.known;
  if (first !== undefined && (utf8.count >= others.count || (utf8.count > 0 && fitting.length === 0))) {
    const reading = readLine(first.bytes, 'windows-1252');
    const hint = `${MIXED} Correct ${others.count === 1 ? 'this line' : 'these lines'} in an editor, and save the list as UTF-8. In windows-1252, line ${first.number} reads ${reading}.`;
    return new UsageError(`${message}, but ${describeLines(utf8)}`, hint, 'bad-encoding');
  }
  const { line, readings } = mostTelling(others.known, fitting);
  const width = Math.max(...[...readings.values()].map(({ length }) => length));
  const options = [...readings].map(([reading, name]) => `\n--encoding ${name.padEnd(width)}  ${reading}`);
  const save = 'Save the list as UTF-8 (Excel: "CSV UTF-8")';
  const choose = `, or add the encoding in which line ${line?.number} reads as it should:`;
  return new UsageError(message, options.length === 0 ? `${save}.` : save + choose + options.join(''), 'bad-encoding');
}

/** Returns the first line that reads differently in the most encodings, and its readings with the first encoding of each. */
function mostTelling(lines: readonly Line[], encodings: readonly string[]) {
  let telling: { line: Line | undefined; readings: Map<string, string> } = { line: undefined, readings: new Map() };
  for (const line of lines) {
    const readings = new Map<string, string>();
    for (const name of encodings) {
      const reading = readLine(line.bytes, name);
      if (!readings.has(reading)) readings.set(reading, name);
    }
    if (readings.size > telling.readings.size) telling = { line, readings };
  }
  return telling;
}

/** Returns the error for a list that is not text in the encoding that was named, or that its byte order mark names. */
export function notValidError(bytes: Buffer, name: string): UsageError {
  // In UTF-16, a byte with the value of a line end may be half of another character.
  const line = name.startsWith('utf-16') ? undefined : firstLine(bytes, (one) => !convertToUtf8(one, name));
  const shown = name.replace(/^utf-(8|16).*$/, 'UTF-$1');
  const place = line === undefined ? 'the list' : `line ${line.number}`;
  return new UsageError(
    `${place} is not valid ${shown}`,
    'Save the list as UTF-8, or name its --encoding.',
    'bad-encoding',
  );
}

/** A physical line, from 1. */
interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** The first of some lines, and the number of all of them. */
interface Lines {
  readonly known: readonly Line[];
  readonly count: number;
}

/** Lines that are compared, and that a message names. */
const [MAX_KNOWN, MAX_SHOWN] = [100, 5];

/** Finds the lines beyond ASCII: those that are valid UTF-8, and the others. */
function sortLines(bytes: Buffer): { utf8: Lines; others: Lines } {
  const [utf8, others] = [newLines(), newLines()];
  for (const line of linesOfBytes(bytes)) {
    if (isAscii(line.bytes)) continue;
    const lines = isUtf8(line.bytes) ? utf8 : others;
    lines.count++;
    if (lines.known.length < MAX_KNOWN) lines.known.push(line);
  }
  return { utf8, others };
}

function newLines(): { known: Line[]; count: number } {
  return { known: [], count: 0 };
}

const [LF, CR] = [10, 13];

function* linesOfBytes(bytes: Buffer): Generator<Line, void> {
  const lineEnd = bytes.includes(LF) ? LF : CR;
  for (let [number, start] = [1, 0]; start < bytes.length; number++) {
    const found = bytes.indexOf(lineEnd, start);
    const end = found < 0 ? bytes.length : found;
    yield { number, bytes: bytes.subarray(start, end) };
    start = end + 1;
  }
}

function firstLine(bytes: Buffer, matches: (line: Buffer) => boolean): Line | undefined {
  for (const line of linesOfBytes(bytes)) if (matches(line.bytes)) return line;
  return undefined;
}

/** Names lines, with their verb: `lines 2, 4, and 12 more are`. */
function describeLines({ known, count }: Lines): string {
  const numbers = known.slice(0, MAX_SHOWN).map(({ number }) => String(number));
  if (count === 1) return `line ${numbers[0]} is`;
  const more = count > MAX_SHOWN ? [`${formatCount(count - MAX_SHOWN)} more`] : [];
  return `lines ${new Intl.ListFormat('en-US').format([...numbers, ...more])} are`;
}

/** Whether the beginning of a text is readable in an encoding. */
function fits(bytes: Buffer, name: string): boolean {
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(bytes.subarray(0, FITTING_BYTES), { stream: true });
    return !NO_TEXT.test(text);
  } catch {
    return false;
  }
}

/** Characters of a line before its first one beyond ASCII, and bytes from there. */
const [MAX_BEFORE, MAX_BYTES] = [20, 400];

/** Returns what a line reads in an encoding, from a little before its first character beyond ASCII. */
function readLine(line: Buffer, name: string): string {
  const first = line.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - MAX_BEFORE);
  const text = new TextDecoder(name).decode(line.subarray(start, first + MAX_BYTES), { stream: true }).trim();
  return quote(start === 0 ? text : `…${text}`);
}
