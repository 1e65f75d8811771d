import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { commitByRename } from '../util/write-file.ts';
import { formatByName } from './list/detect-format.ts';
import type { ListLayout, ListRow, MemberList } from './list/open-list.ts';
import { createRowWriter, type RowWriter } from './list/row-writer.ts';

/** A row that has to be fixed, and what is wrong with it. */
export interface RejectedRow {
  row: ListRow;
  error: string;
}

const BUFFER_CHARACTERS = 64 * 1024;

/**
 * Checks before anything is sent that the errors file can be written to `file`: it must not be the list itself, nor have
 * a name under which it would be read in another format, and its folder must be writable.
 *
 * @throws UsageError for such a name
 * @throws OrgadmError if nothing can be written
 */
export async function checkErrorsPath(file: string, list: Pick<MemberList, 'file' | 'format'>): Promise<void> {
  const there = await stat(file, { bigint: true }).catch(() => undefined);
  if (there !== undefined && there.dev === list.file?.dev && there.ino === list.file.ino) {
    throw new UsageError(
      `--errors-file ${file}: that is the list itself`,
      'Choose another file: the list must not be overwritten.',
    );
  }
  if (there !== undefined && !there.isFile()) throw new UsageError(`--errors-file ${file}: that is not a file`);
  if (/\.(?:xlsx|xlsm|xls|ods|gz)$/i.test(file)) {
    throw new UsageError(
      `--errors-file ${file}: the rows are written as ${list.format}`,
      `Name a file that ends in .${list.format}.`,
    );
  }
  const named = formatByName(file);
  const fits = named === undefined || named === list.format || (named === 'csv' && list.format === 'tsv');
  if (!fits) {
    throw new UsageError(
      `--errors-file ${file}: the rows are written as the list is, in ${list.format}`,
      `Name a file that ends in .${list.format}, so that it can be read again.`,
    );
  }
  try {
    const { handle, temporary } = await openTemporary(await targetOf(file));
    await handle.close();
    await rm(temporary);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * Writes an errors file (0600) in the format of its list: delimiter, byte order mark, columns, and what is wrong with each
 * row in a last column or key `error`. It replaces an earlier file only when it is complete. Without rows no file is
 * created, but an earlier one is replaced by an empty list, so that it does not show the rows of an earlier run.
 *
 * @returns the number of rows in it
 * @throws OrgadmError if it cannot be written; an earlier file is left as it was
 */
export async function writeErrorsFile(
  file: string,
  layout: ListLayout,
  rows: AsyncIterable<RejectedRow>,
): Promise<number> {
  try {
    const target = await targetOf(file);
    const { handle, temporary } = await openTemporary(target);
    try {
      const count = await writeRows(handle, createRowWriter(layout), rows);
      if (count === 0 && !(await exists(target))) return 0;
      await handle.sync();
      await commitByRename(temporary, target);
      return count;
    } finally {
      await handle.close();
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotWrite(file, error);
  }
}

async function writeRows(handle: FileHandle, writer: RowWriter, rows: AsyncIterable<RejectedRow>): Promise<number> {
  let text = writer.begin();
  let count = 0;
  for await (const { row, error } of rows) {
    text += writer.row(row.raw, error);
    count++;
    if (text.length < BUFFER_CHARACTERS) continue;
    await handle.writeFile(text);
    text = '';
  }
  await handle.writeFile(text + writer.end());
  return count;
}

/** Creates a file in the folder of the target. */
async function openTemporary(target: string): Promise<{ handle: FileHandle; temporary: string }> {
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  return { handle: await open(temporary, 'wx', 0o600), temporary };
}

/** Returns where a link points, so that it stays a link. */
function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function cannotWrite(file: string, cause: unknown): OrgadmError {
  return new OrgadmError(
    'errors-file-failed',
    EXIT.usage,
    `--errors-file ${file}: cannot be written: ${describeFsError(cause)}`,
    {
      hint: 'Choose a file in a writable folder with enough free space.',
      cause,
    },
  );
}
