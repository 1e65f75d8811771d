import { createHash, type Hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../util/errors.ts';
import { commitByRename, requireRegularFile } from '../../util/files.ts';
import type { CheckedRow, RowFields, RowIssue } from '../checked-row.ts';
import { type FieldValue, MEMBER_FIELDS, type MemberField, type NewMember } from '../new-member.ts';
import { JournalDamagedError } from './journal-errors.ts';
import type { RunRecord } from './records.ts';

/*
 * Stored rows are lines of JSON. A valid row is `[line,[userId,role,department,isActive,deviceMgmtLabelId]]`, with null for the
 * fields that it does not have. An invalid one has its issues as a third element. The number of a row is that of its line in
 * the file.
 */

/** Rows, in their order. */
export interface RowSource {
  /** Makes a pass over the rows, in chunks of at most a few thousand. */
  read(): AsyncIterable<readonly CheckedRow[]>;
}

/** Characters of rows that are encoded, read, and decoded at a time. */
const CHUNK_LENGTH = 64 * 1024;

/** The rows of a list that was checked: in memory, until they are stored. */
export class CheckedRows implements RowSource {
  /** Rows so far. */
  total = 0;
  /** The numbers of the rows that are never sent. */
  readonly invalid: number[] = [];
  #chunks: Buffer[] = [];
  #lines = '';
  #contents = '';
  readonly #identity: Hash = createHash('sha256');
  #digest: string | undefined;

  /** Adds the next row. */
  add({ line, member, fields, issues }: CheckedRow): void {
    this.total++;
    const values = encodeFields(member ?? fields);
    if (member === undefined) {
      this.invalid.push(this.total);
      this.#lines += `[${line},${values},${JSON.stringify(issues)}]\n`;
      this.#contents += `invalid ${values}\n`;
    } else {
      this.#lines += `[${line},${values}]\n`;
      this.#contents += `${values}\n`;
    }
    if (this.#lines.length >= CHUNK_LENGTH) this.#endChunk();
  }

  /** Returns SHA-256 of the rows without their lines and issues, as 64 hex digits. Call it once all rows were added. */
  get digest(): string {
    this.#endChunk();
    this.#digest ??= this.#identity.digest('hex');
    return this.#digest;
  }

  async *read(): AsyncGenerator<readonly CheckedRow[]> {
    this.#endChunk();
    let number = 0;
    for (const chunk of this.#chunks) {
      const rows = decodeChunk(chunk, number);
      number += rows.length;
      yield rows;
    }
  }

  /**
   * Writes the rows to a file (0600), durably: it appears when it is complete. They are no longer in memory then.
   *
   * @returns SHA-256 of the file, as 64 hex digits
   * @throws the error of the file system
   */
  async store(path: string): Promise<string> {
    this.#endChunk();
    const draft = `${path}.new`;
    const hash = createHash('sha256');
    await rm(draft, { force: true });
    const file = await open(draft, 'wx', 0o600);
    try {
      for (const chunk of this.#chunks) {
        hash.update(chunk);
        for (let done = 0; done < chunk.length; ) done += writeSync(file.fd, chunk, done, chunk.length - done, null);
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    await commitByRename(draft, path);
    this.release();
    return hash.digest('hex');
  }

  /** Frees the memory of the rows. */
  release(): void {
    this.#chunks = [];
  }

  #endChunk(): void {
    if (this.#lines === '') return;
    this.#chunks.push(Buffer.from(this.#lines));
    this.#identity.update(this.#contents);
    this.#lines = '';
    this.#contents = '';
  }
}

/** Returns the file with the rows of a run. */
export function rowsPathOf(root: string, id: string): string {
  return join(root, id, 'rows');
}

/**
 * Opens the stored rows of a run, and makes sure that nobody has changed them.
 *
 * @param root the directory that contains the directories of the runs
 * @throws JournalDamagedError if the rows are missing or are others; the error of the file system
 */
export function openRunRows(root: string, { id, rows }: Pick<RunRecord, 'id' | 'rows'>): Promise<RowSource> {
  return openRows(rowsPathOf(root, id), rows);
}

/** Returns the rows of a file that this process has stored. */
export function storedRows(path: string): RowSource {
  return { read: () => readRows(path) };
}

async function openRows(path: string, digest: string): Promise<RowSource> {
  const hash = createHash('sha256');
  for await (const block of blocksOf(path)) hash.update(block);
  if (hash.digest('hex') !== digest) throw new JournalDamagedError(path, 'does not have the rows of the run');
  return storedRows(path);
}

async function* readRows(path: string): AsyncGenerator<readonly CheckedRow[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of blocksOf(path)) {
    const end = block.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, block]);
      continue;
    }
    const rows = decodeChunk(Buffer.concat([rest, block.subarray(0, end)]), number);
    rest = Buffer.from(block.subarray(end));
    number += rows.length;
    yield rows;
  }
}

const NEWLINE = 0x0a;

async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  requireRegularFile(path);
  const file = await openRowFile(path);
  try {
    for (;;) {
      const block = Buffer.allocUnsafe(CHUNK_LENGTH);
      const { bytesRead } = await file.read(block, 0, block.length, null);
      if (bytesRead === 0) return;
      yield block.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openRowFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new JournalDamagedError(path, 'is missing');
  }
}

type EncodedRow = [line: number, values: (FieldValue | null)[], issues?: RowIssue[]];

/** Encodes fields in their order; a field that the row does not have becomes null. */
function encodeFields({ userId, role, department, isActive, deviceMgmtLabelId }: RowFields): string {
  return JSON.stringify([userId, role, department, isActive, deviceMgmtLabelId]);
}

/** @param before number of rows before those of the chunk */
function decodeChunk(lines: Buffer, before: number): CheckedRow[] {
  const texts = lines.toString('utf8', 0, lines.length - 1).split('\n');
  return texts.map((text, at) => decodeRow(JSON.parse(text), before + at + 1));
}

function decodeRow([line, values, issues]: EncodedRow, number: number): CheckedRow {
  const fields: Partial<Record<MemberField, FieldValue>> = {};
  for (const [at, field] of MEMBER_FIELDS.entries()) {
    const value = values[at] ?? null;
    if (value !== null) fields[field] = value;
  }
  if (issues !== undefined) return { line, number, member: undefined, fields, issues };
  const member = fields as NewMember;
  return { line, number, member, fields: member, issues: NO_ISSUES };
}

const NO_ISSUES: readonly RowIssue[] = [];
