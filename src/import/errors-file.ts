import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { commitByRename } from '../util/files.ts';
import { createCsvRowWriter, createJsonRowWriter } from './errors-file-rows.ts';
import { formatByName } from './list/list-format.ts';
import type { ListLayout } from './list/list-layout.ts';
import type { ListRow, MemberList } from './list/open-list.ts';

/** A row to fix, and its error. */
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
  const rejected = (reason: string, hint?: string) => new UsageError(`--errors-file ${file}: ${reason}`, hint);
  const { format } = list;
  const existing = await stat(file, { bigint: true }).catch(() => undefined);
  if (existing !== undefined && existing.dev === list.file?.dev && existing.ino === list.file.ino)
    throw rejected('that is the list itself', 'Choose another file, so that orgadm does not overwrite the list.');
  if (existing !== undefined && !existing.isFile()) throw rejected('that is not a file');
  if (/\.(?:xlsx|xlsm|xls|ods|gz)$/i.test(file))
    throw rejected(`orgadm writes the rows as ${format}`, `Name a file that ends in .${format}.`);
  const named = formatByName(file);
  if (named !== undefined && named !== format && !(named === 'csv' && format === 'tsv')) {
    throw rejected(
      `orgadm writes the rows in the format of the list, ${format}`,
      `Name a file that ends in .${format}, so that orgadm can read it again.`,
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
      const count = await writeRows(handle, layout, rows);
      if (count === 0 && (await stat(target).catch(() => undefined)) === undefined) return 0;
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

async function writeRows(handle: FileHandle, layout: ListLayout, rows: AsyncIterable<RejectedRow>): Promise<number> {
  const writer = 'columns' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
  let text = writer.begin;
  let count = 0;
  for await (const { row, error } of rows) {
    text += writer.row(row.raw, error, count++);
    if (text.length < BUFFER_CHARACTERS) continue;
    await handle.writeFile(text);
    text = '';
  }
  await handle.writeFile(text + writer.end(count));
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

function cannotWrite(file: string, cause: unknown): OrgadmError {
  const message = `--errors-file: cannot write ${file}: ${describeFsError(cause)}`;
  const hint = 'Choose a file in a writable folder with enough free space.';
  return new OrgadmError('errors-file-failed', EXIT.usage, message, { hint, cause });
}
