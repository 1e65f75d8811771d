import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { commitByRename, requireRegularFile } from '../../util/files.ts';
import { DeletedJournal, JournalDamagedError, JournalWriteError } from './journal-errors.ts';

/**
 * An append-only file of JSON lines. Each line begins with the CRC-32 of all records so far, so a changed, missing, repeated
 * or swapped line is detected.
 */
export class JournalFile {
  readonly path: string;
  readonly #file: FileHandle;
  #checksum: number;
  #written: number;
  #synced = 0;
  #sync: Promise<void> | undefined;
  #broken: JournalWriteError | undefined;

  private constructor(path: string, file: FileHandle, checksum: number, size: number) {
    this.path = path;
    this.#file = file;
    this.#checksum = checksum;
    this.#written = size;
  }

  /** Creates an empty journal. `commitFile` moves it to `path`; what is there stays until then. */
  static async create(path: string): Promise<JournalFile> {
    const draft = draftPath(path);
    // A crash left it, or somebody planted a link.
    await rm(draft, { force: true });
    return new JournalFile(path, await open(draft, 'wx', 0o600), 0, 0);
  }

  /**
   * Opens a journal, passes each of its records to `onRecord`, and cuts off a damaged last line.
   *
   * @throws JournalDamagedError for damage in any other line; the error of the file system; whatever `onRecord` throws
   */
  static async open(path: string, onRecord: (record: unknown) => void): Promise<JournalFile> {
    requireRegularFile(path);
    const file = await open(path, 'r+');
    try {
      const { checksum, end, isEndDamaged } = await readRecords(file, path, onRecord);
      if (isEndDamaged) await file.truncate(end);
      return new JournalFile(path, file, checksum, end);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Moves a created journal to its path, with all its records on disk: a crash leaves the old one or the new one. */
  async commitFile(): Promise<void> {
    await this.commit();
    await commitByRename(draftPath(this.path), this.path);
  }

  /**
   * Appends a record: when it returns, the operating system has it; `commit` makes it durable. The write is synchronous,
   * which is several times faster than through the thread pool.
   *
   * @throws JournalWriteError; from then on every append and commit fails
   */
  append(record: unknown): void {
    if (this.#broken !== undefined) throw this.#broken;
    const json = JSON.stringify(record);
    const checksum = crc32(json, this.#checksum);
    const line = Buffer.from(`${toHex(checksum)} ${json}\n`);
    try {
      this.#checkIntact();
      for (let done = 0; done < line.length; )
        done += writeSync(this.#file.fd, line, done, line.length - done, this.#written + done);
    } catch (error) {
      throw this.#break(error);
    }
    this.#checksum = checksum;
    this.#written += line.length;
  }

  /** Resolves when everything appended so far is on disk. Commits at the same time share one fdatasync. */
  async commit(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const wanted = this.#written;
    while (this.#synced < wanted) {
      this.#sync ??= this.#flush();
      await this.#sync;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Throws if the journal was deleted or truncated: a later process could not use it. */
  #checkIntact(): void {
    const { nlink, size } = fstatSync(this.#file.fd);
    if (nlink === 0) throw new DeletedJournal();
    if (size < this.#written) throw new Error('it was truncated during the run');
  }

  async #flush(): Promise<void> {
    const upTo = this.#written;
    try {
      await this.#file.datasync();
      this.#synced = upTo;
    } catch (error) {
      throw this.#break(error);
    } finally {
      this.#sync = undefined;
    }
  }

  #break(cause: unknown): JournalWriteError {
    this.#broken ??= new JournalWriteError(this.path, cause, 'running');
    return this.#broken;
  }
}

function draftPath(path: string): string {
  return `${path}.new`;
}

/**
 * Reads a journal, which another process may be writing, and passes each of its records to `onRecord`. Ignores a damaged last
 * line.
 *
 * @returns whether the last line is intact
 * @throws UsageError if it is no regular file; JournalDamagedError for damage in any other line; the error of the file system; whatever `onRecord` throws
 */
export async function readJournalFile(path: string, onRecord: (record: unknown) => void): Promise<boolean> {
  requireRegularFile(path);
  const file = await open(path, 'r');
  try {
    const { isEndDamaged } = await readRecords(file, path, onRecord);
    return !isEndDamaged;
  } finally {
    await file.close();
  }
}

/**
 * Reads the first record of a journal. Synchronous, because commands read those of all runs, of which there may be thousands.
 *
 * @returns undefined if it is damaged
 * @throws UsageError if it is no regular file; the error of the file system
 */
export function readFirstRecord(path: string): unknown {
  requireRegularFile(path);
  const descriptor = openSync(path, 'r');
  try {
    let bytes = Buffer.alloc(0);
    for (;;) {
      const block = Buffer.alloc(FIRST_READ_BYTES);
      const length = readSync(descriptor, block, 0, block.length, bytes.length);
      bytes = Buffer.concat([bytes, block.subarray(0, length)]);
      const end = bytes.indexOf(NEWLINE);
      if (end >= 0) return decodeLine(bytes.subarray(0, end), 0)?.record;
      if (length === 0) return undefined;
    }
  } finally {
    closeSync(descriptor);
  }
}

const NEWLINE = 0x0a;
const READ_BYTES = 1 << 18;
/** Enough for most first records. */
const FIRST_READ_BYTES = 1 << 12;

/** Returns the checksum of the last intact record, the offset of its end, and whether a damaged line follows. */
async function readRecords(
  file: FileHandle,
  path: string,
  onRecord: (record: unknown) => void,
): Promise<{ checksum: number; end: number; isEndDamaged: boolean }> {
  let checksum = 0;
  let end = 0;
  let number = 0;
  /** The number of a line that is damaged: an error, unless it is the last one. */
  let damaged: number | undefined;
  for await (const { bytes, isComplete } of journalLines(file)) {
    number++;
    if (damaged !== undefined) throw new JournalDamagedError(path, `is damaged in line ${damaged}`);
    const decoded = isComplete ? decodeLine(bytes, checksum) : undefined;
    if (decoded === undefined) {
      damaged = number;
      continue;
    }
    checksum = decoded.checksum;
    end += bytes.length + 1;
    onRecord(decoded.record);
  }
  return { checksum, end, isEndDamaged: damaged !== undefined };
}

/** Yields the lines of a file without their newlines. A last line without a newline is incomplete. */
async function* journalLines(file: FileHandle): AsyncGenerator<{ bytes: Buffer; isComplete: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const block = Buffer.allocUnsafe(READ_BYTES);
    const { bytesRead } = await file.read(block, 0, block.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield { bytes: bytes.subarray(from, at), isComplete: true };
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) yield { bytes: rest, isComplete: false };
}

const CHECKSUM_LENGTH = 8;

/** Returns undefined if the checksum does not match. */
function decodeLine(line: Buffer, previous: number): { record: unknown; checksum: number } | undefined {
  const json = line.subarray(CHECKSUM_LENGTH + 1);
  const checksum = crc32(json, previous);
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${toHex(checksum)} `) return undefined;
  return { record: JSON.parse(json.toString('utf8')), checksum };
}

function toHex(checksum: number): string {
  return checksum.toString(16).padStart(CHECKSUM_LENGTH, '0');
}
