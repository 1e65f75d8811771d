import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const ROWS_AT_ONCE = 1000;

/** The id of row `entry` (from 1): 36 characters, as long as a UUID. */
export function userId(entry) {
  const number = String(entry).padStart(12, '0');
  return `6f1c2a9e-${number.slice(-4)}-4b1d-8f00-${number}`;
}

/** Writes a CSV list of `count` rows, each with an id of its own. In an invalid one no row has a value for its role. */
export async function writeList(path, count, { valid = true } = {}) {
  const rest = valid ? 'member,it,true' : ',it,maybe';
  function* chunks() {
    yield 'userId,role,department,isActive\n';
    for (let from = 1; from <= count; from += ROWS_AT_ONCE) {
      const length = Math.min(ROWS_AT_ONCE, count + 1 - from);
      yield Array.from({ length }, (_, at) => `${userId(from + at)},${rest}\n`).join('');
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path));
}
