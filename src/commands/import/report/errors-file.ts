import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants, copyFile, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CheckedRow } from '../../../import/checked-row.ts';
import { ERRORS_FILE_HEADER, MEMBER_FIELDS, type MemberField } from '../../../import/new-member.ts';
import type { RowState } from '../../../import/outcome.ts';
import { renderCsv } from '../../../output/csv.ts';
import type { Redact } from '../../../output/redact.ts';
import { cleanLine } from '../../../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../../util/errors.ts';
import { commitByRename, digestOfFile } from '../../../util/files.ts';

import { listedRows, type ReportSource } from './listed-rows.ts';

const BUFFER_CHARACTERS = 64 * 1024;

/** A file that orgadm reads, and what it is in a sentence. Without a path, there is none. */
export type FileInUse = readonly [path: string | undefined, name: string];

/** The ends of names under which orgadm would not read a list as CSV. */
const OTHER_FORMAT = /\.(?:xlsx|xlsm|xls|ods|gz|json|ndjson|jsonl|tsv)$/i;

/**
 * Checks before anything is sent that the errors file can be written to `file`: it must not be a file that orgadm reads, such as
 * the list, nor have the name of another format than CSV, and its folder must be writable.
 *
 * @throws UsageError for such a name
 * @throws OrgadmError if nothing can be written
 */
export async function checkErrorsPath(file: string, inUse: readonly FileInUse[]): Promise<void> {
  const rejected = (reason: string, hint?: string) => new UsageError(`--errors-file ${file}: ${reason}`, hint);
  const existing = await identityOf(file);
  for (const [path, name] of existing === undefined ? [] : inUse) {
    const known = path === undefined ? undefined : await identityOf(path);
    if (existing?.dev === known?.dev && existing?.ino === known?.ino)
      throw rejected(`that is ${name}`, 'Choose another file, so that orgadm does not overwrite it.');
  }
  if (existing !== undefined && !existing.isFile()) throw rejected('that is not a file');
  if (OTHER_FORMAT.test(file)) throw rejected('orgadm writes the rows as CSV', 'Name a file that ends in .csv.');
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

/**
 * Writes the rows to fix: those that have failed, are invalid, or make the service fail.
 *
 * @param file the path as the user named it
 * @param redact removes the key from the message of a row
 * @throws OrgadmError if it cannot be written; an earlier file is left as it was
 */
export async function writeErrorsFile(file: string, source: ReportSource, redact: Redact): Promise<WrittenErrors> {
  const errorsFile = new ErrorsFile(file);
  try {
    for await (const group of listedRows(source, (state) => FIXABLE.has(state)))
      for (const { row, outcome, checked } of group)
        if (outcome.state !== 'unknown' || outcome.note === 'failing')
          await errorsFile.add(checked, redact(row.error ?? ''));
    return await errorsFile.finish();
  } finally {
    await errorsFile.discard();
  }
}

/** The states of rows that someone may fix; of the unknown ones, only those that make the service fail. */
const FIXABLE: ReadonlySet<RowState> = new Set(['failed', 'invalid', 'unknown']);

/** What orgadm writes for a value that is wrong, and has no text that shows it. It is not a value of any field but a user ID. */
const NOT_AVAILABLE = '#N/A';
const REQUIRED_FIELDS: ReadonlySet<MemberField> = new Set(['userId', 'role']);

/** An errors file that was written. */
export interface WrittenErrors {
  /** The number of rows in it. Without rows, there is no file. */
  readonly rows: number;
  /** The file that has what was there before; undefined if nothing else was. */
  readonly backup: string | undefined;
}

/**
 * Writes an errors file (0600), always in the same format: the fields of each row as they would be sent, or as they were in the
 * list where they could not be read, its line, and what is wrong with it. orgadm imports the file without options. It appears
 * when it is complete, and never replaces other content, which someone may have edited: that gets the name of the file with
 * `.bak`, `.bak2`, ….
 *
 * A failure does not stop the report that the rows belong to: `finish` throws it.
 */
export class ErrorsFile {
  readonly #file: string;
  #opened: { target: string; temporary: string; handle: FileHandle } | undefined;
  #text = encodeLine(ERRORS_FILE_HEADER);
  #rows = 0;
  #failure: unknown;

  /** @param file the path as the user named it */
  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a row. Never throws. */
  async add({ line, fields, issues }: CheckedRow, error: string): Promise<void> {
    const isReported = new Set(issues.map(({ field }) => field));
    // Nobody must be added only because nobody has corrected the row: one that is hidden, has too many cells, or lacks a value.
    const values = MEMBER_FIELDS.map((field) => {
      if (field === 'userId' && isReported.has(undefined)) return '';
      const value = String(fields[field] ?? '');
      return value === '' && isReported.has(field) && !REQUIRED_FIELDS.has(field) ? NOT_AVAILABLE : value;
    });
    // The message is not the user's: a spreadsheet must not evaluate it.
    const message = await renderCsv([[cleanLine(error)]]);
    this.#text += `${encodeLine([...values, String(line)]).trimEnd()},${message}`;
    this.#rows++;
    if (this.#text.length >= BUFFER_CHARACTERS) await this.#write();
  }

  /**
   * Puts the file in its place. Without rows, there is none.
   *
   * @throws OrgadmError if it cannot be written; an earlier file is left as it was
   */
  async finish(): Promise<WrittenErrors> {
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

/** Gives a file with other content than its replacement another name. Returns that; undefined if there is nothing to keep. */
async function backUp(target: string, replacement: string | undefined): Promise<string | undefined> {
  const before = await stat(target).catch(() => undefined);
  if (before === undefined || before.size === 0) return undefined;
  if (replacement !== undefined && (await digestOfFile(target)) === (await digestOfFile(replacement))) return undefined;
  for (let number = 1; ; number++) {
    const backup = `${target}.bak${number === 1 ? '' : number}`;
    try {
      // Unlike a rename, it replaces nothing.
      await copyFile(target, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function encodeLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(',')}\n`;
}

function quoteCell(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
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
