import { UsageError } from '../../util/errors.ts';
import type { InvalidByte } from './utf16-text.ts';

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
