import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, copyFile, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';
import { commitByRename } from '../../util/files.ts';
import { formatByName } from '../list/list-format.ts';
import type { ListLayout } from '../list/list-layout.ts';
import type { ListRow, MemberList } from '../list/open-list.ts';
import { createCsvRowWriter, createJsonRowWriter } from './errors-file-rows.ts';

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

/** An errors file that was written. */
export interface WrittenErrors {
  /** The number of rows in it. Without rows, there is no file. */
  readonly rows: number;
  /** The file that has what was there before; undefined if nothing else was. */
  readonly backup: string | undefined;
}

/**
 * Writes an errors file (0600): the rows as they are in their list, and what is wrong with each in a last column or key `error`.
 * The file appears when it is complete. It never replaces other content, which someone may have edited: that is kept in a
 * file of the same name with `.bak`, `.bak2`, ….
 *
 * @throws OrgadmError if it cannot be written; an earlier file is left as it was
 */
export async function writeErrorsFile(
  file: string,
  layout: ListLayout,
  rows: AsyncIterable<RejectedRow>,
): Promise<WrittenErrors> {
  try {
    const target = await targetOf(file);
    const { handle, temporary } = await openTemporary(target);
    try {
      const count = await writeRows(handle, layout, rows);
      await handle.sync();
      const backup = await backUp(target, count === 0 ? undefined : temporary);
      if (count > 0) await commitByRename(temporary, target);
      else if (backup !== undefined) await rm(target);
      return { rows: count, backup };
    } finally {
      await handle.close();
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotWrite(file, error);
  }
}

/** Copies a file with other content than its replacement. Returns the copy; undefined if there is nothing to keep. */
async function backUp(target: string, replacement: string | undefined): Promise<string | undefined> {
  const before = await stat(target).catch(() => undefined);
  if (before === undefined || before.size === 0) return undefined;
  if (replacement !== undefined && (await digestOf(target)) === (await digestOf(replacement))) return undefined;
  for (let number = 1; ; number++) {
    const backup = `${target}.bak${number === 1 ? '' : number}`;
    try {
      await copyFile(target, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function writeRows(handle: FileHandle, layout: ListLayout, rows: AsyncIterable<RejectedRow>): Promise<number> {
  const writer = 'header' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
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
