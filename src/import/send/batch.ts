import type { PendingRow } from './send-events.ts';

/**
 * Why rows are sent: for the first time in this process, again because their outcome is unknown, or as the one row that is sent
 * again before the others, to see whether the service is stalled.
 */
export type Purpose = 'first' | 'again' | 'probe';

/** Rows that go out in one request, or in several if the batch size is smaller, and what happened to them before. */
export interface BatchPart {
  readonly rows: readonly PendingRow[];
  /**
   * The rows that the message of a rejected request named, with what it says about each: they were in the request too, and
   * have failed as soon as the service accepts `rows`, because that proves the names.
   */
  readonly named?: readonly NamedRow[];
  /** The service's message if the rows were rejected together with others: sending them again is a guess. */
  readonly rejected?: string;
  readonly purpose: Purpose;
}

/** A row that the message of a rejected request names. */
export interface NamedRow {
  readonly row: PendingRow;
  /** The part of the message about it, without its position. */
  readonly message: string;
}

/** Rows that are sent one request after another until each of them has a final state or is unknown. */
export interface Batch {
  readonly rows: readonly PendingRow[];
  readonly purpose: Purpose;
  /** The parts that remain to be sent; the last one is next. */
  readonly parts: BatchPart[];
  /** Requests that may still be spent in a row, without an accepted one, on finding the rejected rows. */
  guesses: number;
  /** Whether the positions that messages name are relied on: until one of them proves wrong. */
  usesNames: boolean;
}

export function createBatch(rows: readonly PendingRow[], purpose: Purpose): Batch {
  return { rows, purpose, parts: [{ rows, purpose }], guesses: maxGuesses(rows.length), usesNames: true };
}

/** Returns how many requests in a row, none of them accepted, may be spent on finding the invalid rows of a rejected batch. */
function maxGuesses(size: number): number {
  return Math.ceil(4 * (1 + Math.log2(Math.max(1, size))));
}

/** Records that the service accepted a request of the batch: finding rejected rows makes progress. */
export function acceptPart(batch: Batch): void {
  batch.guesses = maxGuesses(batch.rows.length);
}

/**
 * Takes the next part to send: the last one, cut to the batch size. Once half of the guesses are used up, takes the largest
 * one, because the valid rows are there if rejected rows are next to each other.
 */
export function takePart(batch: Batch, batchSize: number): BatchPart | undefined {
  const { parts } = batch;
  const isHalfUsed = batch.guesses <= maxGuesses(batch.rows.length) / 2;
  const largest = Math.max(...parts.map(({ rows }) => rows.length));
  const at = isHalfUsed ? parts.findLastIndex(({ rows }) => rows.length === largest) : parts.length - 1;
  const [part] = parts.splice(at, 1);
  if (part === undefined || part.rows.length <= batchSize || part.named !== undefined) return part;
  parts.push({ ...part, rows: part.rows.slice(batchSize) });
  return { ...part, rows: part.rows.slice(0, batchSize) };
}

/** Puts back a part whose request was not processed. */
export function returnPart(batch: Batch, part: BatchPart): void {
  if (part.rejected !== undefined) batch.guesses++;
  batch.parts.push(part);
}

/** Puts back the rows that a rejected request named, because the request without them proved nothing about them. */
export function returnNamed(batch: Batch, { named, rejected }: BatchPart): void {
  if (named !== undefined)
    batch.parts.push({
      rows: named.map(({ row }) => row),
      purpose: batch.purpose,
      ...(rejected !== undefined && { rejected }),
    });
}

/** Puts back a part that is too large, in pieces of this size. */
export function cutPart(batch: Batch, part: BatchPart, size: number, message: string | undefined): void {
  const rejected = message ?? part.rejected;
  returnNamed(batch, part);
  for (const piece of pieces(part.rows, size).reverse())
    batch.parts.push({ rows: piece, purpose: batch.purpose, ...(rejected !== undefined && { rejected }) });
}

/**
 * Decides how to continue after a rejected request of several rows. If its message names some of them, the others are sent
 * without these; if they are rejected again, the names were wrong, and rows are halved from then on.
 *
 * @param named what the message says, by the position in the request
 * @returns the rows that have failed for certain, because the message names every one
 */
export function splitRejected(
  batch: Batch,
  part: BatchPart,
  named: ReadonlyMap<number, string>,
  message: string,
): readonly NamedRow[] {
  const { rows } = part;
  if (part.named !== undefined) batch.usesNames = false;
  const namedRows = rows.flatMap((row, at) => {
    const text = batch.usesNames ? named.get(at) : undefined;
    return text === undefined ? [] : [{ row, message: text }];
  });
  if (namedRows.length === rows.length) return namedRows;
  if (namedRows.length > 0) {
    const isNamed = new Set(namedRows.map(({ row }) => row));
    batch.parts.push({
      rows: rows.filter((row) => !isNamed.has(row)),
      named: namedRows,
      purpose: batch.purpose,
      rejected: message,
    });
    return [];
  }
  const all = [...rows, ...(part.named ?? []).map(({ row }) => row)].sort((a, b) => a.number - b.number);
  for (const half of pieces(all, Math.ceil(all.length / 2)).reverse())
    batch.parts.push({ rows: half, purpose: batch.purpose, rejected: message });
  return [];
}

/** Returns rows in pieces of at most this size. */
function pieces(rows: readonly PendingRow[], size: number): PendingRow[][] {
  const found: PendingRow[][] = [];
  for (let at = 0; at < rows.length; at += size) found.push(rows.slice(at, at + size));
  return found;
}
