import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { EXIT, OrgadmError } from '../../errors.ts';

const NEWLINE = 0x0a;
const CHECKSUM_LENGTH = 8;
const READ_BYTES = 1 << 16;

/** A journal that cannot be believed: damaged before its last line, or written by a newer version. Exit code 2. */
export class JournalDamagedError extends OrgadmError {
  constructor(path: string, why: string) {
    super('journal-damaged', EXIT.usage, `the journal ${path} ${why}`, {
      hint: 'Nothing was sent. --restart starts the list over and takes the fate of all its rows as unclear.',
    });
  }
}

/** A journal that cannot be written. Nothing is sent without it. */
export class JournalWriteError extends OrgadmError {
  constructor(path: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    super('journal-write', EXIT.usage, `cannot write the journal ${path}: ${code}`, {
      hint: 'Make room or name another folder with --journal. Nothing is sent that the journal does not hold.',
      cause,
    });
  }
}

/**
 * An append-only file of lines `<crc32 in hex> <json>`. Records are numbered from 1, in the order of the file. A torn
 * last line is what a crash leaves: it is cut off before anything is appended.
 */
export class JournalFile {
  readonly path: string;
  readonly #file: FileHandle;
  /** Where each record starts; the last element is the end of the file. */
  readonly #offsets: number[] = [0];
  /** Records that could not be written, so that a report can still tell them. */
  readonly #unwritten = new Map<number, unknown>();
  #lastRead: { number: number; record: unknown } | undefined;
  #queue: Promise<void> = Promise.resolve();
  #written = 0;
  #synced = 0;
  #sync: Promise<void> | undefined;
  #broken: JournalWriteError | undefined;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Creates an empty journal. Throws where a file of that name exists. */
  static async create(path: string): Promise<JournalFile> {
    return new JournalFile(path, await open(path, 'wx+', 0o600));
  }

  /**
   * Opens a journal and tells each record it holds.
   *
   * @throws JournalDamagedError for damage before the last line
   */
  static async open(path: string, tell: (record: unknown, number: number) => void): Promise<JournalFile> {
    const journal = new JournalFile(path, await open(path, 'r+'));
    try {
      await journal.#replay(tell);
    } catch (error) {
      await journal.close();
      throw error;
    }
    return journal;
  }

  /**
   * Appends a record. Resolves when the operating system has it; `commit` makes it durable.
   *
   * @returns the record's number
   * @throws JournalWriteError; from then on every append fails
   */
  append(record: unknown): Promise<number> {
    const number = this.#offsets.length;
    const line = encode(record);
    const start = this.#offsets[number - 1] ?? 0;
    this.#offsets.push(start + line.length);
    const write = this.#queue.then(() => this.#write(line, start));
    this.#queue = write.catch(() => {
      this.#unwritten.set(number, record);
    });
    return write.then(() => number);
  }

  /** Resolves when everything appended so far is on disk. Requests made at the same time share one fdatasync. */
  async commit(): Promise<void> {
    await this.#queue;
    if (this.#broken !== undefined) throw this.#broken;
    const wanted = this.#written;
    while (this.#synced < wanted) {
      this.#sync ??= this.#flush();
      await this.#sync;
    }
  }

  /** The number of the last record, appended or on its way. */
  get lastNumber(): number {
    return this.#offsets.length - 1;
  }

  /** The record of this number. */
  async read(number: number): Promise<unknown> {
    if (this.#unwritten.has(number)) return this.#unwritten.get(number);
    if (this.#lastRead?.number !== number) {
      const start = this.#offsets[number - 1] ?? 0;
      const line = Buffer.alloc((this.#offsets[number] ?? start) - start);
      await this.#file.read(line, 0, line.length, start);
      this.#lastRead = { number, record: decode(line.subarray(0, -1)) };
    }
    return this.#lastRead.record;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#file.close();
  }

  async #write(line: Buffer, start: number): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      for (let done = 0; done < line.length; ) {
        const { bytesWritten } = await this.#file.write(line, done, line.length - done, start + done);
        done += bytesWritten;
      }
      this.#written = start + line.length;
    } catch (error) {
      this.#broken = new JournalWriteError(this.path, error);
      throw this.#broken;
    }
  }

  async #flush(): Promise<void> {
    const upTo = this.#written;
    try {
      await this.#file.datasync();
      this.#synced = upTo;
    } catch (error) {
      this.#broken = new JournalWriteError(this.path, error);
      throw this.#broken;
    } finally {
      this.#sync = undefined;
    }
  }

  async #replay(tell: (record: unknown, number: number) => void): Promise<void> {
    const block = Buffer.alloc(READ_BYTES);
    let rest: Buffer = Buffer.alloc(0);
    let end = 0;
    for (;;) {
      const { bytesRead } = await this.#file.read(block, 0, block.length, end + rest.length);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        const record = decode(bytes.subarray(from, at));
        if (record === undefined) {
          // Without a further line this is the torn end of a crash; with one it is damage.
          if (await this.#hasMore(end + at + 1 - from))
            throw new JournalDamagedError(this.path, `is damaged in line ${this.#offsets.length}`);
          return this.#cut(end);
        }
        end += at + 1 - from;
        from = at + 1;
        this.#offsets.push(end);
        tell(record, this.#offsets.length - 1);
      }
      rest = Buffer.from(bytes.subarray(from));
    }
    await this.#cut(end);
  }

  async #hasMore(position: number): Promise<boolean> {
    return (await this.#file.stat()).size > position;
  }

  async #cut(end: number): Promise<void> {
    this.#written = end;
    this.#synced = end;
    if (!(await this.#hasMore(end))) return;
    await this.#file.truncate(end);
    await this.#file.datasync();
  }
}

function encode(record: unknown): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** The record of a line without its newline; undefined where the checksum does not fit. */
function decode(line: Buffer): unknown {
  const json = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.subarray(0, CHECKSUM_LENGTH).toString('latin1') !== checksum(json)) return undefined;
  return JSON.parse(json.toString('utf8'));
}

function checksum(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(CHECKSUM_LENGTH, '0');
}
