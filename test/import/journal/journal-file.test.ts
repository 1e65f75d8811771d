import { open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { JournalFile } from '../../../src/import/journal/journal-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** With the checksums of any other crc32, such as that of `gzip` or of Python's zlib: of the JSON of all records so far. */
const FIRST = '5c5651ac {"t":"a"}\n';
const SECOND = 'fe457954 {"t":"b"}\n';
const SECOND_ALONE = '5e10eff5 {"t":"b"}\n';
const THIRD = 'fad83db4 {"t":"c"}\n';

async function created(): Promise<{ path: string; journal: JournalFile }> {
  const path = join(temporaryFolder().path, 'journal');
  const journal = await JournalFile.create(path);
  await journal.commitFile();
  return { path, journal };
}

async function holding(content: string | Buffer): Promise<string> {
  const path = join(temporaryFolder().path, 'journal');
  await writeFile(path, content);
  return path;
}

async function readRecords(path: string): Promise<unknown[]> {
  const records: unknown[] = [];
  const journal = await JournalFile.open(path, (record) => records.push(record));
  await journal.close();
  return records;
}

describe('JournalFile', () => {
  it('writes each record as a line with the checksum of all records so far', async () => {
    const { path, journal } = await created();
    journal.append({ t: 'a' });
    journal.append({ t: 'b' });
    await journal.close();
    expect(await readFile(path, 'utf8')).toBe(FIRST + SECOND);
  });

  it('returns the records that it was given, also with newlines and letters of any script', async () => {
    const { path, journal } = await created();
    const records = [{ words: 'a\nb\r\n' }, { words: 'Łódź 東京 👩‍👩‍👧 \u2028' }, ['x'.repeat(600_000)], 4];
    for (const record of records) journal.append(record);
    await journal.close();
    expect(await readRecords(path)).toEqual(records);
  });

  it.each([
    ['deleted', (path: string) => rm(path), 'it was deleted during the run'],
    ['truncated', (path: string) => truncate(path, 5), 'it was truncated during the run'],
  ])('reports a journal that was %s while it was open at the next record', async (_how, damage, reason) => {
    const { path, journal } = await created();
    journal.append({ t: 'a' });
    await journal.commit();
    await damage(path);
    expect(() => journal.append({ t: 'b' })).toThrow(`cannot write the journal ${path}: ${reason}`);
    await expect(journal.commit()).rejects.toMatchObject({ code: 'journal-write', exitCode: 1 });
    await journal.close();
  });

  it('returns the records in the order in which they were appended, also when several are appended at a time', async () => {
    const { path, journal } = await created();
    const records = Array.from({ length: 500 }, (_, n) => ({ n, pad: 'p'.repeat((n * 37) % 900) }));
    await Promise.all(
      records.map(async (record) => {
        journal.append(record);
        await journal.commit();
      }),
    );
    await journal.close();
    expect(await readRecords(path)).toEqual(records);
  });

  it('keeps an older journal until a new one is published', async () => {
    const path = await holding(FIRST);
    const journal = await JournalFile.create(path);
    journal.append({ t: 'b' });
    expect(await readFile(path, 'utf8')).toBe(FIRST);
    await journal.commitFile();
    expect(await readFile(path, 'utf8')).toBe(SECOND_ALONE);
    expect(await readdir(join(path, '..'))).toEqual(['journal']);
    await journal.close();
  });

  it('replaces a journal that a crash left uncommitted', async () => {
    const path = join(temporaryFolder().path, 'journal');
    await writeFile(`${path}.new`, 'the half of something longer than what comes now');
    const journal = await JournalFile.create(path);
    journal.append({ t: 'a' });
    await journal.commitFile();
    await journal.close();
    expect(await readFile(path, 'utf8')).toBe(FIRST);
  });

  it('creates a journal that only its owner can read', async () => {
    const { path, journal } = await created();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await journal.close();
  });

  it('appends new records to the existing ones', async () => {
    const path = await holding(FIRST);
    const journal = await JournalFile.open(path, () => {});
    journal.append({ t: 'b' });
    await journal.close();
    expect(await readFile(path, 'utf8')).toBe(FIRST + SECOND);
  });
});

describe('fdatasync', () => {
  /** Counts the syncs of all files, at the file system's own interface. */
  async function countSyncs(): Promise<() => number> {
    const handle = await open('/dev/null');
    const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync');
    await handle.close();
    onTestFinished(() => datasync.mockRestore());
    return () => datasync.mock.calls.length;
  }

  it('is called again for a record that was appended after it began', async () => {
    const { journal } = await created();
    const syncs = await countSyncs();
    journal.append({ n: 1 });
    const first = journal.commit();
    journal.append({ n: 2 });
    await Promise.all([first, journal.commit()]);
    expect(syncs()).toBe(2);
    await journal.close();
  });

  it('is called for the last record of a process that died', async () => {
    const journal = await JournalFile.open(await holding(FIRST), () => {});
    const syncs = await countSyncs();
    await journal.commit();
    expect(syncs()).toBe(1);
    await journal.close();
  });
});

describe('a torn last line', () => {
  it('is removed wherever the line is torn', async () => {
    for (let length = 1; length < SECOND.length; length++) {
      const path = await holding(FIRST + SECOND.slice(0, length));
      expect(await readRecords(path)).toEqual([{ t: 'a' }]);
      expect(await readFile(path, 'utf8')).toBe(FIRST);
    }
  });

  it('is removed before a record is appended', async () => {
    const path = await holding(`${FIRST}5e10eff5 {"t"`);
    const journal = await JournalFile.open(path, () => {});
    journal.append({ t: 'b' });
    await journal.close();
    expect(await readFile(path, 'utf8')).toBe(FIRST + SECOND);
  });

  it('is removed if the journal has no other line', async () => {
    const path = await holding('5c5651');
    expect(await readRecords(path)).toEqual([]);
    expect((await stat(path)).size).toBe(0);
  });

  it('is removed whatever its length, also if a power failure left zeros', async () => {
    expect(await readRecords(await holding(FIRST + 'x'.repeat(300_000)))).toEqual([{ t: 'a' }]);
    const path = await holding(FIRST);
    await truncate(path, 100_000);
    expect(await readRecords(path)).toEqual([{ t: 'a' }]);
  });
});

describe('damage', () => {
  it('is detected in every byte of every line but the last one', async () => {
    const intact = Buffer.from(FIRST + SECOND);
    for (let at = 0; at < FIRST.length - 1; at++) {
      const damaged = Buffer.from(intact);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      const path = await holding(damaged);
      await expect(readRecords(path), `byte ${at}`).rejects.toMatchObject({
        code: 'journal-damaged',
        exitCode: 2,
        message: `the journal ${path} is damaged in line 1`,
      });
      expect(await readFile(path), 'it is left as it is').toEqual(damaged);
    }
  });

  it.each([
    ['a record that is missing', FIRST + THIRD + THIRD, 2],
    ['a record that occurs twice', FIRST + SECOND + SECOND + THIRD, 3],
    ['a hole in the middle', `${FIRST}${'\0'.repeat(19)}\n${SECOND}`, 2],
  ])('is detected: %s', async (_, content, line) => {
    const path = await holding(content);
    await expect(readRecords(path)).rejects.toMatchObject({
      message: `the journal ${path} is damaged in line ${line}`,
    });
  });
});
