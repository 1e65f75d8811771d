import { promises } from 'node:fs';
import { open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { JournalFile } from '../../../src/import/journal/journal-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** With the checksums of any other crc32, such as that of `gzip` or of Python's zlib: of the JSON of all records so far. */
const FIRST = '5c5651ac {"t":"a"}\n';
const SECOND = 'fe457954 {"t":"b"}\n';
const THIRD = 'fad83db4 {"t":"c"}\n';

const folder = temporaryFolder();

async function holding(content: string | Buffer): Promise<string> {
  const path = join(folder.path, 'journal');
  await writeFile(path, content);
  return path;
}

async function readRecords(path: string): Promise<unknown[]> {
  const records: unknown[] = [];
  const journal = await JournalFile.open(path, (record) => records.push(record));
  await journal.close();
  return records;
}

/** Watches the syncs of all files. */
async function watchSyncs() {
  const handle = await open('/dev/null');
  const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync');
  await handle.close();
  onTestFinished(() => datasync.mockRestore());
  return datasync;
}

it('appends each record as a line with the checksum of all records so far', async () => {
  const path = await holding(FIRST);
  const journal = await JournalFile.open(path, () => {});
  journal.append({ t: 'b' });
  journal.append({ t: 'c' });
  await journal.close();
  expect(await readFile(path, 'utf8')).toBe(FIRST + SECOND + THIRD);
});

it('returns the records that it was given, of any length and with letters of any script', async () => {
  const path = await holding('');
  const journal = await JournalFile.open(path, () => {});
  const records = [{ words: 'a\nb\r\n' }, { words: 'Łódź 東京 👩‍👩‍👧 \u2028' }, ['x'.repeat(600_000)], 4];
  for (const record of records) journal.append(record);
  await journal.close();
  expect(await readRecords(path)).toEqual(records);
});

it('replaces a journal only once the new one is on disk', async () => {
  const path = await holding(FIRST);
  const datasync = await watchSyncs();
  const rename = vi.spyOn(promises, 'rename');
  onTestFinished(() => rename.mockRestore());
  const journal = await JournalFile.create(path);
  journal.append({ t: 'c' });
  expect(await readFile(path, 'utf8')).toBe(FIRST);
  await journal.commitFile();
  const [syncedAt, renamedAt] = [datasync, rename].map(({ mock }) => mock.invocationCallOrder[0] ?? 0);
  expect(renamedAt).toBeGreaterThan(syncedAt ?? 0);
  expect(syncedAt).toBeGreaterThan(0);
  await journal.close();
  expect(await readRecords(path)).toEqual([{ t: 'c' }]);
  expect(await readdir(folder.path)).toEqual(['journal']);
});

it.each([
  ['deleted', (path: string) => rm(path)],
  ['truncated', (path: string) => truncate(path, 5)],
])('appends nothing to a journal that was %s while it was open', async (_how, damage) => {
  const path = await holding(FIRST);
  const journal = await JournalFile.open(path, () => {});
  await damage(path);
  expect(() => journal.append({ t: 'b' })).toThrow(`cannot write the journal ${path}: `);
  await expect(journal.commit()).rejects.toMatchObject({ code: 'journal-write', exitCode: 1 });
  await journal.close();
});

it('syncs a record that was appended after the last sync began, and the last one of a process that died', async () => {
  const datasync = await watchSyncs();
  const journal = await JournalFile.open(await holding(FIRST), () => {});
  await journal.commit();
  expect(datasync).toHaveBeenCalledTimes(1);
  journal.append({ n: 1 });
  const first = journal.commit();
  journal.append({ n: 2 });
  await Promise.all([first, journal.commit()]);
  expect(datasync).toHaveBeenCalledTimes(3);
  await journal.close();
});

describe('a torn last line', () => {
  it('is removed wherever it is torn', async () => {
    for (let length = 1; length < SECOND.length; length++) {
      const path = await holding(FIRST + SECOND.slice(0, length));
      expect(await readRecords(path)).toEqual([{ t: 'a' }]);
      expect(await readFile(path, 'utf8')).toBe(FIRST);
    }
  });

  it('is removed whatever its length, also if a power failure left zeros', async () => {
    expect(await readRecords(await holding(FIRST + 'x'.repeat(300_000)))).toEqual([{ t: 'a' }]);
    const path = await holding(FIRST);
    await truncate(path, 100_000);
    expect(await readRecords(path)).toEqual([{ t: 'a' }]);
    expect((await stat(path)).size).toBe(FIRST.length);
  });
});

describe('damage', () => {
  it('is detected in every byte of every line but the last one, and left as it is', async () => {
    const intact = Buffer.from(FIRST + SECOND);
    for (let at = 0; at < FIRST.length - 1; at++) {
      const damaged = Buffer.from(intact);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      const path = await holding(damaged);
      await expect(readRecords(path), `byte ${at}`).rejects.toMatchObject({ code: 'journal-damaged', exitCode: 2 });
      expect(await readFile(path)).toEqual(damaged);
    }
  });

  it.each([
    ['a record that is missing', FIRST + THIRD + THIRD, 2],
    ['a record that occurs twice', FIRST + SECOND + SECOND + THIRD, 3],
    ['a hole in the middle', `${FIRST}${'\0'.repeat(19)}\n${SECOND}`, 2],
  ])('is detected: %s', async (_, content, line) => {
    await expect(readRecords(await holding(content))).rejects.toThrow(`is damaged in line ${line}`);
  });
});
