import { createHash, randomBytes } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { constants, copyFile, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Layout } from '../../../import/list/layout.ts';
import type { MemberList } from '../../../import/list/open-list.ts';
import { formatByName } from '../../../import/list/source/format.ts';
import type { RawRow } from '../../../import/list-row.ts';
import { entriesOf } from '../../../import/mapping.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../../util/errors.ts';
import { commitByRename } from '../../../util/files.ts';
import { createCsvRowWriter, createJsonRowWriter, type RowWriter } from './errors-file-rows.ts';

const BUFFER_CHARACTERS = 64 * 1024;

/** A file that orgadm reads, and what it is in a sentence. Without a path, there is none. */
export type FileInUse = readonly [path: string | undefined, name: string];

/**
 * Checks before anything is sent that the errors file can be written to `file`: it must not be a file that orgadm reads, such as
 * the list, nor have a name under which it would be read in another format, and its folder must be writable.
 *
 * @param others the files that orgadm reads next to the lists
 * @throws UsageError for such a name
 * @throws OrgadmError if nothing can be written
 */
export async function checkErrorsPath(
  file: string,
  list: Pick<MemberList, 'path' | 'format' | 'mapping'>,
  others: readonly FileInUse[] = [],
): Promise<void> {
  const rejected = (reason: string, hint?: string) => new UsageError(`--errors-file ${file}: ${reason}`, hint);
  const { format } = list;
  const existing = await identityOf(file);
  const read: FileInUse[] = [
    [list.path, 'the list itself'],
    ...entriesOf(list.mapping.lookups).map(([field, { file }]) => [file, `the list of --lookup ${field}`] as const),
    ...others,
  ];
  for (const [path, name] of existing === undefined ? [] : read) {
    const known = path === undefined ? undefined : await identityOf(path);
    if (existing?.dev === known?.dev && existing?.ino === known?.ino)
      throw rejected(`that is ${name}`, 'Choose another file, so that orgadm does not overwrite it.');
  }
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

function identityOf(file: string): Promise<BigIntStats | undefined> {
  return stat(file, { bigint: true }).catch(() => undefined);
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
 * A failure does not stop the report that the rows belong to: `finish` throws it.
 */
export class ErrorsFile {
  readonly #file: string;
  readonly #writer: RowWriter;
  #opened: { target: string; temporary: string; handle: FileHandle } | undefined;
  #text: string;
  #rows = 0;
  #failure: unknown;

  /**
   * @param file the path as the user named it
   * @param layout the format and the columns of the list
   */
  constructor(file: string, layout: Layout) {
    this.#file = file;
    this.#writer = 'header' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
    this.#text = this.#writer.begin;
  }

  /** Adds a row. Never throws. */
  async add(raw: RawRow, error: string): Promise<void> {
    this.#text += this.#writer.row(raw, error, this.#rows++);
    if (this.#text.length >= BUFFER_CHARACTERS) await this.#write();
  }

  /**
   * Puts the file in its place. Without rows, there is none.
   *
   * @throws OrgadmError if it cannot be written; an earlier file is left as it was
   */
  async finish(): Promise<WrittenErrors> {
    this.#text += this.#writer.end(this.#rows);
    await this.#write();
    try {
      if (this.#opened === undefined) throw this.#failure;
      const { target, temporary, handle } = this.#opened;
      await handle.sync();
      if (this.#failure !== undefined) throw this.#failure;
      const backup = await backUp(target, this.#rows === 0 ? undefined : temporary);
      if (this.#rows > 0) await commitByRename(temporary, target);
      else if (backup !== undefined) await rm(target);
      return { rows: this.#rows, backup };
    } catch (error) {
      throw error instanceof OrgadmError ? error : cannotWrite(this.#file, error);
    } finally {
      await this.discard();
    }
  }

  /** Closes the file, and removes it unless it is in its place. */
  async discard(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
    if (opened !== undefined) await rm(opened.temporary, { force: true });
  }

  /** Writes what is buffered, unless something has failed before. */
  async #write(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (this.#failure !== undefined) return;
    try {
      this.#opened ??= await openTarget(this.#file);
      await this.#opened.handle.writeFile(text);
    } catch (error) {
      this.#failure = error;
    }
  }
}

async function openTarget(file: string): Promise<{ target: string; temporary: string; handle: FileHandle }> {
  const target = await targetOf(file);
  return { target, ...(await openTemporary(target)) };
}

/** Copies a file with other content than its replacement. Returns the copy; undefined if there is nothing to keep. */
async function backUp(target: string, replacement: string | undefined): Promise<string | undefined> {
  const before = await stat(target).catch(() => undefined);
  if (before === undefined || before.size === 0) return undefined;
  if (replacement !== undefined && (await digestOfFile(target)) === (await digestOfFile(replacement))) return undefined;
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

async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
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
  const code = systemErrorCode(cause);
  const folder = path.dirname(file);
  const hint =
    code === 'ENOENT'
      ? `The folder ${folder} does not exist. Create it, or choose another file.`
      : 'Choose a file in a writable folder with enough free space.';
  return new OrgadmError('errors-file-failed', EXIT.usage, message, { hint, cause });
}
