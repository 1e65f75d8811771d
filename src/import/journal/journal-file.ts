import { fstatSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { commitByRename } from '../../util/write-file.ts';
import { decodeLine, encodeLine, NO_CHECKSUM, readLines } from './journal-lines.ts';
import { JournalDamagedError, JournalWriteError } from './journal-records.ts';

/**
 * An append-only file of checksummed lines. Records are numbered from 1, in the order of the file. A torn last line is
 * what a crash or a full disk leaves: it is cut off before anything is appended. A last record without its newline is
 * kept, and gets its newline.
 */
export class JournalFile {
  readonly path: string;
  readonly #file: FileHandle;
  /** Where each record starts; the last element is the end of the file. */
  readonly #offsets: number[] = [0];
  /** The checksum of each record, after the one that the first record continues. */
  readonly #checksums: number[] = [NO_CHECKSUM];
  /** Records that could not be written, for the report of this process. */
  readonly #unwritten = new Map<number, unknown>();
  #written = 0;
  #synced = 0;
  #sync: Promise<void> | undefined;
  #broken: JournalWriteError | undefined;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Creates an empty journal. `commitFile` moves it to `path`; what is there stays until then. */
  static async create(path: string): Promise<JournalFile> {
    return new JournalFile(path, await open(draftPath(path), 'w+', 0o600));
  }

  /**
   * Opens a journal and passes each of its records to `onRecord`.
   *
   * @param mode `append` repairs its end; `read` changes nothing
   * @throws JournalDamagedError for damage before a torn last line; whatever `onRecord` throws
   */
  static async open(
    path: string,
    onRecord: (record: unknown, number: number) => void,
    mode: 'append' | 'read' = 'append',
  ): Promise<JournalFile> {
    const journal = new JournalFile(path, await open(path, mode === 'append' ? 'r+' : 'r'));
    try {
      await journal.#replay(onRecord, mode);
    } catch (error) {
      await journal.close();
      throw error;
    }
    return journal;
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
   * @returns the record's number
   * @throws JournalWriteError; from then on every append and commit fails
   */
  append(record: unknown): number {
    const number = this.#offsets.length;
    const { line, checksum } = encodeLine(record, this.#checksums[number - 1] ?? NO_CHECKSUM);
    const start = this.#offsets[number - 1] ?? 0;
    this.#offsets.push(start + line.length);
    this.#checksums.push(checksum);
    try {
      this.#write(line, start);
    } catch (error) {
      this.#unwritten.set(number, record);
      throw error;
    }
    return number;
  }

  /** Resolves when everything appended so far is on disk. Requests made at the same time share one fdatasync. */
  async commit(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const wanted = this.#written;
    while (this.#synced < wanted) {
      this.#sync ??= this.#flush();
      await this.#sync;
    }
  }

  /** Number of the last record that was appended. */
  get lastNumber(): number {
    return this.#offsets.length - 1;
  }

  /**
   * Returns the record of this number.
   *
   * @throws JournalDamagedError where it is not what was written
   */
  async read(number: number): Promise<unknown> {
    if (this.#unwritten.has(number)) return this.#unwritten.get(number);
    const start = this.#offsets[number - 1] ?? 0;
    const line = Buffer.alloc((this.#offsets[number] ?? start) - start);
    await this.#file.read(line, 0, line.length, start);
    const decoded = decodeLine(line.subarray(0, -1), this.#checksums[number - 1] ?? NO_CHECKSUM);
    if (decoded === undefined) throw new JournalDamagedError(this.path, `is damaged in line ${number}`);
    return decoded.record;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #write(line: Buffer, start: number): void {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      this.#checkThere();
      for (let done = 0; done < line.length; )
        done += writeSync(this.#file.fd, line, done, line.length - done, start + done);
      this.#written = start + line.length;
    } catch (error) {
      throw this.#break(error);
    }
  }

  /** A journal that was deleted or truncated in the meantime would be of no use to a later process. */
  #checkThere(): void {
    const { nlink, size } = fstatSync(this.#file.fd);
    if (nlink === 0) throw new Error('it was deleted during the run');
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

  async #replay(onRecord: (record: unknown, number: number) => void, mode: 'append' | 'read'): Promise<void> {
    const { offset, state } = await readLines(this.#file, this.path, ({ record, number, end, checksum }) => {
      this.#offsets.push(end);
      this.#checksums.push(checksum);
      onRecord(record, number);
    });
    if (mode === 'read') return;
    if (state !== 'complete') await this.#file.truncate(offset);
    if (state === 'no-newline') await this.#file.write('\n', offset);
    // Nothing counts as synced: the process that wrote it may have died before its sync.
    this.#written = this.#offsets.at(-1) ?? 0;
  }
}

function draftPath(path: string): string {
  return `${path}.new`;
}
