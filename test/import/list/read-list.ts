import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import { type MemberList, openList, type Validation } from '../../../src/import/list/open-list.ts';
import type { FileOptions, LookupSource, Mapping } from '../../../src/import/mapping.ts';
import type { MemberField } from '../../../src/import/new-member.ts';
import { UsageError } from '../../../src/util/errors.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

export interface ListText extends FileOptions {
  name?: string;
  /** Columns by field; `!` in front inverts. */
  map?: Mapping['columns'];
  lookups?: Partial<Record<MemberField, LookupSource>>;
  omit?: MemberField[];
  ignored?: readonly string[];
  ignoreExtraColumns?: boolean;
  valueMap?: Partial<Record<MemberField, Record<string, string>>>;
  defaults?: Partial<Record<MemberField, string>>;
}

export interface ReadResult {
  list: MemberList;
  check: Validation;
  rows: CheckedRow[];
}

/** Says who is active in a list with columns that are not fields. */
export const ALL_ACTIVE = { isActive: 'true' } as const;

/** The mapping, as the command line passes it. */
export function mappingOf({ name: _, map, valueMap, ...given }: ListText): Mapping {
  const { lookups, omit, ignored = [], ignoreExtraColumns, defaults, ...options } = given;
  return {
    columns: map,
    values: valueMap,
    lookups,
    omit,
    ignored: [...ignored],
    ignoreExtraColumns,
    defaults,
    options,
  };
}

/** Opens a file. */
export async function openFile(
  file: string,
  given: ListText = {},
  mapping: Mapping = mappingOf(given),
): Promise<MemberList> {
  return openList({ path: file, stdin: Readable.from([]) }, mapping);
}

/** Opens `content` as a file named `given.name`. */
export async function openListText(
  content: string | Uint8Array,
  given: ListText = {},
  mapping: Mapping = mappingOf(given),
): Promise<MemberList> {
  const file = path.join(temporaryFolder(), given.name ?? 'members');
  await writeFile(file, content);
  return openFile(file, given, mapping);
}

/** Checks all rows of `list`. */
export async function readOpenList(list: MemberList): Promise<ReadResult> {
  const rows: CheckedRow[] = [];
  const check = await list.validate((row) => rows.push(row));
  if (check.undecided !== undefined) throw new UsageError(check.undecided.message, undefined, 'bad-columns');
  return { list, check, rows };
}

/** Checks all rows of `content`. */
export async function readListText(content: string | Uint8Array, given: ListText = {}): Promise<ReadResult> {
  return readOpenList(await openListText(content, given));
}

/** Returns the members sent for the rows of `content`; undefined for a row with problems. */
export async function valuesOf(content: string | Uint8Array, given: ListText = {}): Promise<unknown[]> {
  return (await readListText(content, given)).rows.map((row) => row.member);
}

/** The lines of the rows and what is wrong with them: `line 3: userId is missing`. */
export async function problemsOf(content: string | Uint8Array, given: ListText = {}): Promise<string[]> {
  const { rows } = await readListText(content, given);
  return rows.flatMap((row) => row.issues.map((problem) => `line ${row.line}: ${problem.message}`));
}

/** The lines of the invalid rows and their invalid fields: `line 3: userId`. */
export async function invalidFieldsOf(content: string | Uint8Array, given: ListText = {}): Promise<string[]> {
  const { rows } = await readListText(content, given);
  return rows.flatMap((row) => row.issues.map(({ field }) => `line ${row.line}: ${field}`));
}

/** The message, hint and code with which reading `content` is rejected; the temporary file is called `the list`. */
export async function listErrorOf(
  content: string | Uint8Array,
  given: ListText = {},
): Promise<{ message: string; hint: string; code: string }> {
  try {
    await readListText(content, given);
  } catch (error) {
    const { message, hint = '', code } = error as { message: string; hint?: string; code: string };
    const unnamed = message.replace(/^\/\S*\/orgadm-folder-[^/]+\/[^\s:]+(: )?/, (_, colon) =>
      colon ? '' : 'the list',
    );
    return { message: unnamed, hint, code };
  }
  throw new Error('the list was not rejected');
}
