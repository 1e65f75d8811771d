import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { EXIT, OrgadmError, UsageError } from '../errors.ts';
import { formatByName } from './list/formats.ts';
import { createRowWriter } from './list/row-writers.ts';
import type { ListLayout, ListRow, MemberList } from './list.ts';

/** Takes the rows that have to be mended, and writes them in the manner of their list, each with what is wrong. */
export interface ErrorsFile {
  /** Takes another row. `error` is told in a last column or key `error`. Throws `OrgadmError` when it cannot be written. */
  add(row: ListRow, error: string): Promise<void>;
  /**
   * Puts the file in its place; gives the number of rows in it. Without rows there is no file, but one that is there
   * already is replaced by an empty list, so that it does not tell of an earlier run.
   */
  close(): Promise<number>;
  /** Gives the file up: nothing is left of it, and what was there before stays. Does nothing after `close`. */
  discard(): Promise<void>;
}

const BUFFER_CHARACTERS = 64 * 1024;

/**
 * Checks before anything is sent that the errors file can stand at `file`: it must not be the list itself, nor have a
 * name under which it would be read in another format. Throws `UsageError`.
 */
export async function checkErrorsPath(file: string, list: Pick<MemberList, 'file' | 'format'>): Promise<void> {
  const there = await stat(file, { bigint: true }).catch(() => undefined);
  if (there !== undefined && there.dev === list.file?.dev && there.ino === list.file.ino) {
    throw new UsageError(
      `--errors-file ${file}: that is the list itself`,
      'Name another file: the list is needed as it is.',
    );
  }
  if (there !== undefined && !there.isFile()) throw new UsageError(`--errors-file ${file}: that is not a file`);
  const named = formatByName(file);
  const fits = named === undefined || named === list.format || (named === 'csv' && list.format === 'tsv');
  if (!fits) {
    throw new UsageError(
      `--errors-file ${file}: the rows are written as the list is, in ${list.format}`,
      `Name a file that ends in .${list.format}, so that it can be read again.`,
    );
  }
}

/**
 * Begins an errors file in a new file (0600) beside `file`, in the manner of the list it is about: format, delimiter,
 * byte order mark, columns. Throws `OrgadmError` when nothing can be written there.
 */
export async function createErrorsFile(file: string, layout: ListLayout): Promise<ErrorsFile> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
  return new DraftedErrorsFile({ file, target, draft }, handle, layout);
}

interface Paths {
  /** As the user named it. */
  file: string;
  target: string;
  draft: string;
}

class DraftedErrorsFile implements ErrorsFile {
  readonly #paths: Paths;
  readonly #handle: FileHandle;
  readonly #writer: ReturnType<typeof createRowWriter>;
  #text: string;
  #rows = 0;
  #open = true;

  constructor(paths: Paths, handle: FileHandle, layout: ListLayout) {
    this.#paths = paths;
    this.#handle = handle;
    this.#writer = createRowWriter(layout);
    this.#text = this.#writer.begin();
  }

  async add(row: ListRow, error: string): Promise<void> {
    this.#text += this.#writer.row(row.raw, error);
    this.#rows++;
    if (this.#text.length >= BUFFER_CHARACTERS) await this.#try(() => this.#flush());
  }

  async close(): Promise<number> {
    if (!this.#open) return this.#rows;
    const { target, draft } = this.#paths;
    if (this.#rows === 0 && (await stat(target).catch(() => undefined)) === undefined) {
      await this.discard();
      return 0;
    }
    await this.#try(async () => {
      this.#text += this.#writer.end();
      await this.#flush();
      await this.#handle.sync();
      await this.#handle.close();
      await rename(draft, target);
    });
    this.#open = false;
    return this.#rows;
  }

  async discard(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#handle.close().catch(() => undefined);
    await rm(this.#paths.draft, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#handle.writeFile(text);
  }

  async #try(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw cannotWrite(this.#paths.file, error);
    }
  }
}

function cannotWrite(file: string, cause: unknown): OrgadmError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OrgadmError('errors-file-failed', EXIT.usage, `--errors-file ${file}: cannot be written: ${reason}`, {
    hint: 'Name a file in a folder that can be written to and has room.',
    cause,
  });
}
