import { appendFile, open, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListInput, type ListRow, type MemberList, openList } from '../../../src/import/list/open-list.ts';
import { listOptions, temporaryFolder } from './read-list.ts';

async function opened(input: Partial<ListInput>, folder: string): Promise<MemberList> {
  const all = { path: '-', stdin: Readable.from([]), spoolDir: path.join(folder, 'state', 'spool'), ...input };
  const list = await openList(all, listOptions({}));
  onTestFinished(() => list.close());
  return list;
}

function longList(rows: number): string {
  return `userId,role\n${Array.from({ length: rows }, (_, index) => `user-${index},member\n`).join('')}`;
}

/** Reads rows until the list is rejected; returns the ids that came before. */
async function idsUntilRejected(list: MemberList): Promise<{ ids: (string | undefined)[]; error: unknown }> {
  const ids: (string | undefined)[] = [];
  try {
    for await (const rows of list.rows()) ids.push(...rows.map((row: ListRow) => row.userId));
  } catch (error) {
    return { ids, error };
  }
  throw new Error('the list was not rejected');
}

describe('a file that changes after the check', () => {
  const ROWS = 20_000;

  async function checkedFile(): Promise<{ file: string; list: MemberList }> {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'members.csv');
    await writeFile(file, longList(ROWS));
    const list = await opened({ path: file }, folder);
    await list.validate();
    return { file, list };
  }

  it('is rejected before a changed row is returned', async () => {
    const { file, list } = await checkedFile();
    const target = 'user-9999,';
    const at = longList(ROWS).indexOf(target);
    const handle = await open(file, 'r+');
    await handle.write('evil-9999,', at);
    await handle.close();
    const { ids, error } = await idsUntilRejected(list);
    expect(error).toMatchObject({ name: 'ListChangedError', code: 'list-changed', exitCode: 2 });
    expect(ids).not.toContain('evil-9999');
    expect(ids).not.toContain('user-10000');
    expect(ids.slice(0, 2)).toEqual(['user-0', 'user-1']);
  });

  it.each([
    ['has grown', (file: string) => appendFile(file, 'more,member\n')],
    ['was cut', (file: string) => truncate(file, 100_000)],
    ['was emptied', (file: string) => truncate(file, 0)],
  ])('is rejected when it %s', async (_name, change) => {
    const { file, list } = await checkedFile();
    await change(file);
    const { ids, error } = await idsUntilRejected(list);
    expect(error).toMatchObject({ name: 'ListChangedError' });
    expect(ids).not.toContain('more');
    expect(ids.length).toBeLessThan(ROWS);
  });

  it('is rejected when it has grown by entire blocks', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'members.csv');
    // Exactly four blocks of 32 KiB.
    const line = 'userId,role\n';
    const text = line + Array.from({ length: 13_106 }, (_, index) => `${String(index).padStart(7, '0')},m\n`).join('');
    await writeFile(file, text + ' '.repeat(131_072 - text.length));
    const list = await opened({ path: file }, folder);
    expect((await list.validate()).total).toBe(13_106);
    await appendFile(file, '\nmore,m\n');
    const { ids, error } = await idsUntilRejected(list);
    expect(error).toMatchObject({ name: 'ListChangedError' });
    expect(ids).not.toContain('more');
  });
});

describe('a pass over a list', () => {
  it('reports the rows so far, and yields rows in chunks of a few hundred', async () => {
    const folder = await temporaryFolder();
    const list = await opened({ stdin: Readable.from([longList(3000)]) }, folder);
    const seen: number[] = [];
    await list.validate((rows) => seen.push(rows));
    expect(seen.at(-1)).toBe(3000);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    for await (const rows of list.rows()) expect(rows.length).toBeLessThanOrEqual(512);
  });

  it('can be made many times, also concurrently', async () => {
    const folder = await temporaryFolder();
    const list = await opened({ stdin: Readable.from([longList(5000)]) }, folder);
    await list.validate();
    const count = async () => {
      let rows = 0;
      for await (const chunk of list.rows()) rows += chunk.length;
      return rows;
    };
    expect(await Promise.all([count(), count(), count()])).toEqual([5000, 5000, 5000]);
  });
});
