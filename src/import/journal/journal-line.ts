import { crc32 } from 'node:zlib';

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
export function intactLength(bytes: Buffer, previous: number): number {
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
