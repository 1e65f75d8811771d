import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListInput, type MemberList, openList } from '../../../src/import/list/open-list.ts';
import { listOptions, readOpenList, temporaryFolder } from './read-list.ts';

const LIST = 'userId,role\nu1,m\nu2,m\n';

async function opened(input: Partial<ListInput>, folder: string): Promise<MemberList> {
  const all = { path: '-', stdin: Readable.from([]), spoolDir: path.join(folder, 'state', 'spool'), ...input };
  const list = await openList(all, listOptions({}));
  onTestFinished(() => list.close());
  return list;
}

describe('standard input', () => {
  it('is read like a file', async () => {
    const folder = await temporaryFolder();
    const list = await opened({ stdin: Readable.from([Buffer.from(LIST.slice(0, 5)), LIST.slice(5)]) }, folder);
    const { check, rows } = await readOpenList(list);
    expect([list.name, list.format, list.file, check.total]).toEqual(['standard input', 'csv', undefined, 2]);
    expect(rows.map((row) => row.userId)).toEqual(['u1', 'u2']);
  });

  it('is rejected if it is a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    await expect(opened({ stdin }, await temporaryFolder())).rejects.toMatchObject({
      name: 'UsageError',
      message: 'standard input is a terminal: there is no list to read',
    });
  });

  it('is copied to a private file, which is removed', async () => {
    const folder = await temporaryFolder();
    const list = await opened({ stdin: Readable.from([LIST]) }, folder);
    const spool = path.join(folder, 'state', 'spool');
    expect((await stat(spool)).mode & 0o777).toBe(0o700);
    // The name is gone as soon as the file is open.
    expect(await readdir(spool)).toEqual([]);
    await list.close();
    expect(await readdir(spool)).toEqual([]);
  });

  it('is rejected if the folder for its copy is not a folder', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'state'), '');
    await expect(opened({ stdin: Readable.from([LIST]) }, folder)).rejects.toMatchObject({
      code: 'spool-failed',
      exitCode: 1,
    });
  });
});

describe('a named pipe', () => {
  it('is read once for both passes', async () => {
    const folder = await temporaryFolder();
    const fifo = path.join(folder, 'members.csv');
    execFileSync('mkfifo', [fifo]);
    const list = opened({ path: fifo }, folder);
    await writeFile(fifo, LIST);
    const { check, rows } = await readOpenList(await list);
    expect([check.total, rows.length, (await list).file]).toEqual([2, 2, undefined]);
  });
});

describe('a list that cannot be read', () => {
  it('is reported if it is missing', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'none.csv');
    await expect(opened({ path: file }, folder)).rejects.toMatchObject({
      name: 'UsageError',
      message: `there is no file ${file}`,
    });
  });

  it('is reported if it is a directory', async () => {
    const folder = await temporaryFolder();
    await expect(opened({ path: folder }, folder)).rejects.toMatchObject({
      name: 'UsageError',
      message: `${folder} is a directory`,
    });
  });

  it('is reported if its permissions forbid it', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'secret.csv');
    await writeFile(file, LIST);
    await chmod(file, 0);
    const opening = withoutPrivileges(() => opened({ path: file }, folder));
    await expect(opening).rejects.toMatchObject({ name: 'UsageError', message: `no permission to read ${file}` });
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
  it('is read through a link, and after its name was removed', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'members.csv');
    await mkdir(path.join(folder, 'links'));
    await writeFile(file, LIST);
    await symlink(file, path.join(folder, 'links', 'list.csv'));
    const list = await opened({ path: path.join(folder, 'links', 'list.csv') }, folder);
    const { ino } = await stat(file, { bigint: true });
    expect(list.file?.ino).toBe(ino);
    await unlink(file);
    expect((await readOpenList(list)).rows).toHaveLength(2);
  });

  it('has a digest that depends only on its bytes', async () => {
    const folder = await temporaryFolder();
    const digest = async (content: string) =>
      (await (await opened({ stdin: Readable.from([content]) }, folder)).validate()).digest;
    const first = await digest(LIST);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest(LIST)).toBe(first);
    expect(await digest(`${LIST}\n`)).not.toBe(first);
    expect(await digest(LIST.replace('u2', 'u3'))).not.toBe(first);
  });
});
