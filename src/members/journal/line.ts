import { crc32 } from 'node:zlib';

const CHECKSUM_LENGTH = 8;

/** A record as a line of the journal: `<crc32 in hex> <json>` and a newline, which JSON text itself never holds. */
export function encodeLine(record: unknown): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** The record of a line without its newline; undefined where the checksum does not fit. */
export function decodeLine(line: Buffer): unknown {
  const json = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${checksum(json)} `) return undefined;
  return JSON.parse(json.toString('utf8'));
}

function checksum(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(CHECKSUM_LENGTH, '0');
}
