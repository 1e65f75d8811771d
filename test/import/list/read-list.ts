import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Field } from '../../../src/import/entry.ts';
import type { ListOptions } from '../../../src/import/list/list-options.ts';
import { type ListCheck, type ListRow, type MemberList, openList } from '../../../src/import/list/open-list.ts';

export interface Given {
  name?: string;
  format?: ListOptions['format'];
  map?: Partial<Record<Field, string>>;
  defaults?: Partial<Record<Field, string>>;
  ignoreExtraColumns?: boolean;
}

export interface Read {
  list: MemberList;
  check: ListCheck;
  rows: ListRow[];
}

/** A folder that goes when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'orgadm-list-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Options as the command line would give them. */
export function listOptions({ format, map = {}, defaults = {}, ignoreExtraColumns = false }: Given): ListOptions {
  return {
    ...(format === undefined ? {} : { format }),
    map: new Map(Object.entries(map) as [Field, string][]),
    defaults: new Map(Object.entries(defaults) as [Field, string][]),
    ignoreExtraColumns,
  };
}

/** Opens `content` as a file named `given.name`. */
export async function openContent(content: string | Uint8Array, given: Given = {}): Promise<MemberList> {
  const folder = await temporaryFolder();
  const file = path.join(folder, given.name ?? 'members');
  await writeFile(file, content);
  const input = { path: file, stdin: Readable.from([]), spoolDir: path.join(folder, 'spool') };
  const list = await openList(input, listOptions(given));
  onTestFinished(() => list.close());
  return list;
}

/** Both passes over `list`. */
export async function readOpened(list: MemberList): Promise<Read> {
  const check = await list.check();
  const rows: ListRow[] = [];
  for await (const chunk of list.rows()) rows.push(...chunk);
  return { list, check, rows };
}

/** Both passes over `content`. */
export async function readContent(content: string | Uint8Array, given: Given = {}): Promise<Read> {
  return readOpened(await openContent(content, given));
}

/** What is sent for the rows of `content`; undefined for a row with problems. */
export async function valuesOf(content: string | Uint8Array, given: Given = {}): Promise<unknown[]> {
  return (await readContent(content, given)).rows.map((row) => row.value);
}

/** Where the rows stand and what is wrong with them: `line 3: userId is missing`. */
export async function problemsOf(content: string | Uint8Array, given: Given = {}): Promise<string[]> {
  const { rows } = await readContent(content, given);
  return rows.flatMap((row) => row.problems.map((problem) => `line ${row.line}: ${problem.message}`));
}

/** The message and hint with which reading `content` is refused, without the name of the temporary file. */
export async function refusalOf(
  content: string | Uint8Array,
  given: Given = {},
): Promise<{ message: string; hint: string }> {
  try {
    await readContent(content, given);
  } catch (error) {
    const { message, hint = '' } = error as { message: string; hint?: string };
    return { message: message.replace(/^\/.*?: /, ''), hint };
  }
  throw new Error('the list was not refused');
}
