import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { JournalDamagedError } from './journal-records.ts';

const NEWLINE = 0x0a;
const READ_BYTES = 1 << 16;

export interface ReadRecord {
  record: unknown;
  /** From 1, in the order of the file. */
  number: number;
  /** Offset of the end of the line, newline included. */
  end: number;
  checksum: number;
}

/** What follows the newline of the last complete line. */
export interface JournalEnd {
  /** Offset of the end of the last intact record, without a newline that is missing. */
  offset: number;
  /** `complete`: nothing; `no-newline`: the last record is intact but its newline is missing or damaged; `torn`: part of a record. */
  state: 'complete' | 'no-newline' | 'torn';
}

/**
 * Reads a journal record by record, and changes nothing.
 *
 * @throws JournalDamagedError for damage before the end of the file; whatever `onRecord` throws
 */
export async function readLines(
  file: FileHandle,
  path: string,
  onRecord: (read: ReadRecord) => void,
): Promise<JournalEnd> {
  const block = Buffer.alloc(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  let number = 0;
  let checksum = NO_CHECKSUM;

  const decoded = (line: Buffer, length: number) => {
    const read = decodeLine(line, checksum);
    if (read === undefined) throw damagedAt(number + 1);
    number++;
    offset += length;
    checksum = read.checksum;
    onRecord({ record: read.record, number, end: offset, checksum });
  };

  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, offset + rest.length);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      // A crash leaves the start of a line. A complete line that is not intact is damaged, also as the last one.
      decoded(bytes.subarray(from, at), at + 1 - from);
      from = at + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
  }
  if (rest.length === 0) return { offset, state: 'complete' };
  const length = intactLength(rest, checksum);
  if (length === 0) return { offset, state: 'torn' };
  const after = rest.subarray(length);
  // A damaged newline is one byte, and zeros are what a power failure leaves of it. More than that was a record.
  if (after.length > 1 && after.some((byte) => byte !== 0)) throw damagedAt(number + 1);
  decoded(rest.subarray(0, length), length + 1);
  return { offset: offset - 1, state: 'no-newline' };

  function damagedAt(line: number): JournalDamagedError {
    return new JournalDamagedError(path, `is damaged in line ${line}`);
  }
}

const CHECKSUM_LENGTH = 8;
const PREFIX_LENGTH = CHECKSUM_LENGTH + 1;

/** The checksum that the first record continues. */
export const NO_CHECKSUM = 0;

/** A line of the journal, and its checksum, which the next one continues. */
export interface EncodedLine {
  line: Buffer;
  checksum: number;
}

export interface DecodedLine {
  record: unknown;
  checksum: number;
}

/**
 * Encodes a record as `<crc32 in hex> <json>` and a newline, which JSON text itself never contains. The checksum covers
 * the JSON of all records so far: `previous` is that of the record before.
 */
export function encodeLine(record: unknown, previous: number): EncodedLine {
  const json = JSON.stringify(record);
  const checksum = crc32(json, previous);
  return { line: Buffer.from(`${toHex(checksum)} ${json}\n`), checksum };
}

/** Decodes a line without its newline. Returns undefined if the checksum does not match. */
export function decodeLine(line: Buffer, previous: number): DecodedLine | undefined {
  const json = line.subarray(PREFIX_LENGTH);
  const checksum = crc32(json, previous);
  if (line.toString('latin1', 0, PREFIX_LENGTH) !== `${toHex(checksum)} `) return undefined;
  return { record: JSON.parse(json.toString('utf8')), checksum };
}

/** Returns the length of the intact record at the start of bytes that contain no newline, or 0 if there is none. */
function intactLength(bytes: Buffer, previous: number): number {
  const declared = bytes.toString('latin1', 0, PREFIX_LENGTH);
  let checksum = previous;
  let from = PREFIX_LENGTH;
  for (let at = bytes.indexOf('}', from); at >= 0; at = bytes.indexOf('}', from)) {
    checksum = crc32(bytes.subarray(from, at + 1), checksum);
    from = at + 1;
    if (`${toHex(checksum)} ` === declared) return from;
  }
  return 0;
}

function toHex(checksum: number): string {
  return checksum.toString(16).padStart(CHECKSUM_LENGTH, '0');
}
