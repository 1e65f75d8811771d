import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** A folder that is removed when the test ends. */
export async function journalDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orgadm-journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a journal with these records, and returns its path. */
export async function journalWith(...records: unknown[]): Promise<string> {
  const path = join(await journalDirectory(), 'journal');
  let checksum = 0;
  const lines = records.map((record) => {
    const json = JSON.stringify(record);
    checksum = crc32(json, checksum);
    return `${checksum.toString(16).padStart(8, '0')} ${json}\n`;
  });
  await writeFile(path, lines.join(''));
  return path;
}
