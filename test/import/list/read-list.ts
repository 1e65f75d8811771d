import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { MemberField } from '../../../src/import/entry.ts';
import type { ListOptions } from '../../../src/import/list/list-options.ts';
import { type ListRow, type ListValidation, type MemberList, openList } from '../../../src/import/list/open-list.ts';

export interface ListText {
  name?: string;
  format?: ListOptions['format'];
  map?: Partial<Record<MemberField, string>>;
  defaults?: Partial<Record<MemberField, string>>;
  ignoreExtraColumns?: boolean;
}

export interface ReadResult {
  list: MemberList;
  check: ListValidation;
  rows: ListRow[];
}

/** A folder that goes when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'orgadm-list-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Options as the command line would give them. */
export function listOptions({ format, map = {}, defaults = {}, ignoreExtraColumns = false }: ListText): ListOptions {
  return {
    ...(format === undefined ? {} : { format }),
    map: new Map(Object.entries(map) as [MemberField, string][]),
    defaults: new Map(Object.entries(defaults) as [MemberField, string][]),
    ignoreExtraColumns,
  };
}

/** Opens `content` as a file named `given.name`. */
export async function openListText(content: string | Uint8Array, given: ListText = {}): Promise<MemberList> {
  const folder = await temporaryFolder();
  const file = path.join(folder, given.name ?? 'members');
  await writeFile(file, content);
  const input = { path: file, stdin: Readable.from([]), spoolDir: path.join(folder, 'spool') };
  const list = await openList(input, listOptions(given));
  onTestFinished(() => list.close());
  return list;
}

/** Both passes over `list`. */
export async function readOpenList(list: MemberList): Promise<ReadResult> {
  const check = await list.validate();
  const rows: ListRow[] = [];
  for await (const chunk of list.rows()) rows.push(...chunk);
  return { list, check, rows };
}

/** Both passes over `content`. */
export async function readListText(content: string | Uint8Array, given: ListText = {}): Promise<ReadResult> {
  return readOpenList(await openListText(content, given));
}

/** What is sent for the rows of `content`; undefined for a row with problems. */
export async function valuesOf(content: string | Uint8Array, given: ListText = {}): Promise<unknown[]> {
  return (await readListText(content, given)).rows.map((row) => row.value);
}

/** Where the rows stand and what is wrong with them: `line 3: userId is missing`. */
export async function problemsOf(content: string | Uint8Array, given: ListText = {}): Promise<string[]> {
  const { rows } = await readListText(content, given);
  return rows.flatMap((row) => row.issues.map((problem) => `line ${row.line}: ${problem.message}`));
}

/** The message and hint with which reading `content` is refused, without the name of the temporary file. */
export async function listErrorOf(
  content: string | Uint8Array,
  given: ListText = {},
): Promise<{ message: string; hint: string }> {
  try {
    await readListText(content, given);
  } catch (error) {
    const { message, hint = '' } = error as { message: string; hint?: string };
    return { message: message.replace(/^\/.*?: /, ''), hint };
  }
  throw new Error('the list was not refused');
}
