import { Readable } from 'node:stream';
import { checkRows, type ListCheck } from '../../../src/import/check/check-rows.ts';
import { loadLookup } from '../../../src/import/check/lookup.ts';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import type { GivenMapping, Mapping } from '../../../src/import/mapping.ts';
import { readTable } from '../../../src/import/table/read-table.ts';
import type { FileOptions } from '../../../src/import/table/table.ts';
import { UsageError } from '../../../src/util/errors.ts';

/** How a list is read in a test. */
export interface Given extends Partial<Omit<GivenMapping, 'mapping'>>, FileOptions {
  readonly mapping?: Mapping;
}

/** Checks a list from standard input. */
export async function checkList(
  content: string | Uint8Array,
  given: Given = {},
): Promise<ListCheck & { rows: CheckedRow[] }> {
  const { mapping = {}, file, ignoresOthers = false, ...options } = given;
  const table = await readTable({ path: '-', stdin: Readable.from([content]) }, options);
  const lookup = mapping.lookup && (await loadLookup(mapping.lookup));
  const pass = checkRows(table, { mapping, file, ignoresOthers }, lookup);
  const rows: CheckedRow[] = [];
  let next = await pass.next();
  for (; !next.done; next = await pass.next()) rows.push(...next.value);
  return { ...next.value, rows };
}

/** Returns the members of a list. */
export async function membersOf(content: string | Uint8Array, given?: Given) {
  return (await checkList(content, given)).rows.map(({ member }) => member);
}

/** Returns the messages of the invalid rows of a list, after their lines. */
export async function messagesOf(content: string | Uint8Array, given?: Given): Promise<string[]> {
  const { rows } = await checkList(content, given);
  return rows.flatMap(({ line, issues }) => issues.map(({ message }) => `${line}: ${message}`));
}

/** Returns the message and the hint of the usage error of a list. */
export async function errorOf(content: string | Uint8Array, given?: Given): Promise<string> {
  try {
    await checkList(content, given);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}\n${error.hint ?? ''}`;
    throw error;
  }
  throw new Error('the list was read');
}
