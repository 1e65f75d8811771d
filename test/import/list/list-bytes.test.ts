import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type MemberList, openList } from '../../../src/import/list/open-list.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { mappingOf, readOpenList } from './read-list.ts';

const LIST = 'userId,role\nu1,m\nu2,m\n';

function openStdin(stdin: Readable & { isTTY?: boolean }): Promise<MemberList> {
  return openList({ path: '-', stdin }, mappingOf({}));
}

function openPath(file: string): Promise<MemberList> {
  return openList({ path: file, stdin: Readable.from([]) }, mappingOf({}));
}

function longList(rows: number): string {
  return `userId,role\n${Array.from({ length: rows }, (_, index) => `user-${index},member\n`).join('')}`;
}

describe('standard input', () => {
  it('is read like a file, whatever the sizes of its pieces', async () => {
    for (const size of [7, 100_000]) {
      const text = longList(20_000).slice(0, -1);
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const list = await openStdin(Readable.from(pieces.map((piece) => Buffer.from(piece))));
      const { check, rows } = await readOpenList(list);
      expect([list.name, list.format, list.path, check.total]).toEqual(['standard input', 'csv', undefined, 20_000]);
      expect(rows.at(-1)).toMatchObject({ line: 20_001, number: 20_000, fields: { userId: 'user-19999' } });
    }
  });

  it('is rejected if it is a terminal', async () => {
    await expect(openStdin(Object.assign(new PassThrough(), { isTTY: true }))).rejects.toMatchObject({
      name: 'UsageError',
      message: 'standard input is a terminal, so it has no list to read',
    });
  });
});

describe('a named pipe', () => {
  it('is read once, and its rows as often as needed', async () => {
    const fifo = path.join(temporaryFolder(), 'members.csv');
    execFileSync('mkfifo', [fifo]);
    const opening = openPath(fifo);
    await writeFile(fifo, LIST);
    const list = await opening;
    const { check, rows } = await readOpenList(list);
    expect([check.total, rows.length, list.path]).toEqual([2, 2, undefined]);
  });
});

describe('a list that cannot be read', () => {
  it('is reported if it is missing', async () => {
    const file = path.join(temporaryFolder(), 'none.csv');
    await expect(openPath(file)).rejects.toMatchObject({ name: 'UsageError', message: `no such file: ${file}` });
  });

  it('is reported if it is a directory', async () => {
    const folder = temporaryFolder();
    await expect(openPath(folder)).rejects.toMatchObject({ name: 'UsageError', message: `${folder} is a directory` });
  });

  it('is reported if its permissions forbid it', async () => {
    const file = path.join(temporaryFolder(), 'secret.csv');
    await writeFile(file, LIST);
    await chmod(file, 0);
    const opening = withoutPrivileges(() => openPath(file));
    await expect(opening).rejects.toMatchObject({
      name: 'UsageError',
      message: `cannot open ${file}: permission denied (EACCES)`,
    });
  });

  it('is reported if reading fails, before anything is sent', async () => {
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error('read error'), { code: 'EIO' }));
      },
    });
    await expect(openStdin(broken)).rejects.toMatchObject({
      code: 'list-read',
      exitCode: 2,
      message: 'cannot read standard input: i/o error (EIO)',
    });
  });
});

/** Permissions do not bind root, as whom tests may run. */
async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  const user = process.geteuid?.();
  if (user !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(user);
  }
}

describe('an opened list', () => {
  it('is read through a link, and no longer depends on the file', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'members.csv');
    await mkdir(path.join(folder, 'links'));
    await writeFile(file, LIST);
    await symlink(file, path.join(folder, 'links', 'list.csv'));
    const list = await openPath(path.join(folder, 'links', 'list.csv'));
    expect(list.path).toBe(path.join(folder, 'links', 'list.csv'));
    await writeFile(file, 'userId,role\nevil,m\n');
    await unlink(file);
    expect((await readOpenList(list)).rows.map(({ fields }) => fields.userId)).toEqual(['u1', 'u2']);
  });
});
