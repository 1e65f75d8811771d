import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { openFile, openListText } from './read-list.ts';

const SPLIT = 'Split it into smaller files, each with the header if it has one, and import them one after another.';

describe('a list of more than 256 MiB', () => {
  it('is rejected with its size and the advice to split it, without reading it', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'members.csv');
    await writeFile(file, 'userId,role\n');
    await truncate(file, 2 ** 31);
    await expect(openFile(file)).rejects.toMatchObject({
      exitCode: 2,
      message: `${file} is 2,048 MiB; the limit for a list is 256 MiB`,
      hint: SPLIT,
    });
  });

  it('is rejected as the second list, too, with advice that fits it', async () => {
    const second = path.join(temporaryFolder(), 'directory.csv');
    await writeFile(second, 'email,id\n');
    await truncate(second, 2 ** 31);
    const lookups = { userId: { file: second, from: 'email', to: 'id' } };
    await expect(openListText('userId,role\nada@example.com,member\n', { lookups })).rejects.toMatchObject({
      exitCode: 2,
      message: `--lookup userId: ${second} is 2,048 MiB; the limit for a list is 256 MiB`,
      hint: 'Remove the rows that the first list does not need.',
    });
  });

  it('is rejected as soon as a device has yielded more', async () => {
    await expect(openFile('/dev/zero')).rejects.toMatchObject({
      exitCode: 2,
      message: '/dev/zero is larger than 256 MiB; the limit for a list is 256 MiB',
      hint: SPLIT,
    });
  });

  it('is rejected as soon as decompression has yielded more', async () => {
    // A file of gzip is the same as all of its parts.
    const part = gzipSync(Buffer.alloc(2 ** 20));
    const file = path.join(temporaryFolder(), 'members.json.gz');
    await writeFile(file, Buffer.concat(Array(300).fill(part)));
    await expect(openFile(file)).rejects.toMatchObject({
      exitCode: 2,
      message: `${file} is larger than 256 MiB after decompression; the limit for a list is 256 MiB`,
      hint: SPLIT,
    });
  });
});

// Reading five million rows takes ten seconds.
describe.runIf(process.env.CI)('a list of more than 5,000,000 rows', () => {
  it('is rejected with the advice to split it', async () => {
    const file = path.join(temporaryFolder(), 'members.csv');
    await writeFile(file, `userId,role\n${'u,m\n'.repeat(5_000_001)}`);
    const list = await openFile(file);
    await expect(list.validate(() => {})).rejects.toMatchObject({
      exitCode: 2,
      message: `${file} has more than 5,000,000 rows`,
      hint: SPLIT,
    });
  }, 60_000);
});
