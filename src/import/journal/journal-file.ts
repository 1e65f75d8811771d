import { fstatSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { commitByRename } from '../../util/files.ts';
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
   * @throws JournalDamagedError if it is not what was written
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
      this.#checkIntact();
      for (let done = 0; done < line.length; )
        done += writeSync(this.#file.fd, line, done, line.length - done, start + done);
      this.#written = start + line.length;
    } catch (error) {
      throw this.#break(error);
    }
  }

  /** Throws if the journal was deleted or truncated: a later process could not use it. */
  #checkIntact(): void {
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

const NEWLINE = 0x0a;
const READ_BYTES = 1 << 16;

export interface ReadRecord {
  record: unknown;
  /** From 1, in the order of the file. */
  number: number;
  /** Offset of the end of the line, newline included. */
  end: number;
  checksum: number;
}

/** What follows the newline of the last complete line. */
export interface JournalEnd {
  /** Offset of the end of the last intact record, without a newline that is missing. */
  offset: number;
  /** `complete`: nothing; `no-newline`: the last record is intact but its newline is missing or damaged; `torn`: part of a record. */
  state: 'complete' | 'no-newline' | 'torn';
}

/**
 * Reads a journal record by record, and changes nothing.
 *
 * @throws JournalDamagedError for damage before the end of the file; whatever `onRecord` throws
 */
export async function readLines(
  file: FileHandle,
  path: string,
  onRecord: (read: ReadRecord) => void,
): Promise<JournalEnd> {
  const block = Buffer.alloc(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  let number = 0;
  let checksum = NO_CHECKSUM;

  const decoded = (line: Buffer, length: number) => {
    const read = decodeLine(line, checksum);
    if (read === undefined) throw damagedAt(number + 1);
    number++;
    offset += length;
    checksum = read.checksum;
    onRecord({ record: read.record, number, end: offset, checksum });
  };

  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, offset + rest.length);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      // A crash leaves the start of a line. A complete line that is not intact is damaged, also as the last one.
      decoded(bytes.subarray(from, at), at + 1 - from);
      from = at + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
  }
  if (rest.length === 0) return { offset, state: 'complete' };
  const length = intactLength(rest, checksum);
  if (length === 0) return { offset, state: 'torn' };
  const after = rest.subarray(length);
  // A damaged newline is one byte, and zeros are what a power failure leaves of it. More than that was a record.
  if (after.length > 1 && after.some((byte) => byte !== 0)) throw damagedAt(number + 1);
  decoded(rest.subarray(0, length), length + 1);
  return { offset: offset - 1, state: 'no-newline' };

  function damagedAt(line: number): JournalDamagedError {
    return new JournalDamagedError(path, `is damaged in line ${line}`);
  }
}

const CHECKSUM_LENGTH = 8;
const PREFIX_LENGTH = CHECKSUM_LENGTH + 1;

/** The checksum that the first record continues. */
const NO_CHECKSUM = 0;

/** A line of the journal, and its checksum, which the next one continues. */
export interface EncodedLine {
  line: Buffer;
  checksum: number;
}

export interface DecodedLine {
  record: unknown;
  checksum: number;
}

/**
 * Encodes a record as `<crc32 in hex> <json>` and a newline, which JSON text itself never contains. The checksum covers
 * the JSON of all records so far: `previous` is that of the record before.
 */
function encodeLine(record: unknown, previous: number): EncodedLine {
  const json = JSON.stringify(record);
  const checksum = crc32(json, previous);
  return { line: Buffer.from(`${toHex(checksum)} ${json}\n`), checksum };
}

/** Decodes a line without its newline. Returns undefined if the checksum does not match. */
function decodeLine(line: Buffer, previous: number): DecodedLine | undefined {
  const json = line.subarray(PREFIX_LENGTH);
  const checksum = crc32(json, previous);
  if (line.toString('latin1', 0, PREFIX_LENGTH) !== `${toHex(checksum)} `) return undefined;
  return { record: JSON.parse(json.toString('utf8')), checksum };
}

/** Returns the length of the intact record at the start of bytes that contain no newline, or 0 if there is none. */
function intactLength(bytes: Buffer, previous: number): number {
  const declared = bytes.toString('latin1', 0, PREFIX_LENGTH);
  let checksum = previous;
  let from = PREFIX_LENGTH;
  for (let at = bytes.indexOf('}', from); at >= 0; at = bytes.indexOf('}', from)) {
    checksum = crc32(bytes.subarray(from, at + 1), checksum);
    from = at + 1;
    if (`${toHex(checksum)} ` === declared) return from;
  }
  return 0;
}

function toHex(checksum: number): string {
  return checksum.toString(16).padStart(CHECKSUM_LENGTH, '0');
}
