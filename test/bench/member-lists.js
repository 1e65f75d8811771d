import { writeFile } from 'node:fs/promises';

/** Returns the ID of row `entry` (from 1): 36 characters, as long as a UUID. */
export function userId(entry) {
  const number = String(entry).padStart(12, '0');
  return `6f1c2a9e-${number.slice(-4)}-4b1d-8f00-${number}`;
}

/** Writes a CSV list of `count` people. */
export async function writeList(path, count) {
  const rows = Array.from({ length: count }, (_, at) => `${userId(at + 1)},member,it,true\n`);
  await writeFile(path, `userId,role,department,isActive\n${rows.join('')}`);
}
