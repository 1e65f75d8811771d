import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** Writes a journal with these records, and returns its path. */
export async function journalWith(...records: unknown[]): Promise<string> {
  const path = join(temporaryFolder(), 'journal');
  let checksum = 0;
  const lines = records.map((record) => {
    const json = JSON.stringify(record);
    checksum = crc32(json, checksum);
    return `${checksum.toString(16).padStart(8, '0')} ${json}\n`;
  });
  await writeFile(path, lines.join(''));
  return path;
}
