import type { ServiceError } from '../../client/service-error.ts';
import { messageOfFailure } from './response/classify-error.ts';
import type { PendingRow } from './send-events.ts';

/**
 * Why rows are sent: for the first time in this process, again because their outcome is unknown, or as the few rows of a request
 * that are sent again before the others, to see whether the service inserts.
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
  readonly rejected?: string | undefined;
}

/** A row that the message of a rejected request names. */
export interface NamedRow {
  readonly row: PendingRow;
  /** The part of the message about it, without its position. */
  readonly message: string;
}

/** Rows that are sent one request after another until each of them has a final state or is unknown. */
export class Batch {
  readonly rows: readonly PendingRow[];
  readonly purpose: Purpose;
  /** The request that a probe probes. */
  readonly probed: number | undefined;
  /** The parts that remain to be sent; the last one is next. */
  readonly #parts: BatchPart[];
  readonly #maxGuesses: number;
  /** Requests that may still be spent in a row, without an accepted one, on finding the rejected rows. */
  #guesses: number;
  /** Whether the positions that messages name are relied on: until one of them proves wrong. */
  #usesNames = true;
  #rejection: ServiceError | undefined;

  constructor(rows: readonly PendingRow[], purpose: Purpose, probed?: number) {
    this.rows = rows;
    this.purpose = purpose;
    this.probed = probed;
    this.#parts = [{ rows }];
    this.#maxGuesses = Math.ceil(4 * (1 + Math.log2(Math.max(1, rows.length))));
    this.#guesses = this.#maxGuesses;
  }

  /** Whether nothing remains to be sent. */
  get isDone(): boolean {
    return this.#parts.length === 0;
  }

  /** The last rejection of several of its rows. */
  get rejection(): ServiceError | undefined {
    return this.#rejection;
  }

  /**
   * Takes the next part to send: the last one, cut to the batch size. Once half of the guesses are used up, takes the largest
   * one, because the valid rows are there if rejected rows are next to each other.
   */
  take(batchSize: number): BatchPart | undefined {
    const isHalfUsed = this.#guesses <= this.#maxGuesses / 2;
    const largest = Math.max(...this.#parts.map(({ rows }) => rows.length));
    const at = isHalfUsed ? this.#parts.findLastIndex(({ rows }) => rows.length === largest) : this.#parts.length - 1;
    const [part] = this.#parts.splice(at, 1);
    if (part === undefined) return undefined;
    if (part.rejected !== undefined) this.#guesses--;
    if (part.rows.length <= batchSize || part.named !== undefined) return part;
    this.#parts.push({ ...part, rows: part.rows.slice(batchSize) });
    return { ...part, rows: part.rows.slice(0, batchSize) };
  }

  /** Returns the rows of a part that has been taken if no guess is left for it: they have failed together with others. */
  givenUp({ rows, named = [], rejected: message }: BatchPart): readonly NamedRow[] {
    if (message === undefined || this.#guesses >= 0) return [];
    return [...rows.map((row) => ({ row, message })), ...named];
  }

  /** Puts back a part whose request was not processed. */
  putBack(part: BatchPart): void {
    if (part.rejected !== undefined) this.#guesses++;
    this.#parts.push(part);
  }

  /** Ends a part that the service accepted: finding rejected rows makes progress. */
  accept(): void {
    this.#guesses = this.#maxGuesses;
  }

  /** Ends a part whose request proved nothing about the rows that it left out because a message named them. */
  end({ named, rejected }: BatchPart): void {
    if (named !== undefined) this.#parts.push({ rows: named.map(({ row }) => row), rejected });
  }

  /** Whether a part is all rows, in one request: others may be unusually long. */
  isWhole({ rows }: BatchPart): boolean {
    return rows === this.rows;
  }

  /**
   * Puts back a part that was too large, in pieces. A row that was alone has failed.
   *
   * @param isGuess whether the rows may be at fault instead of their number
   */
  cut(part: BatchPart, size: number, error: ServiceError, isGuess: boolean): void {
    this.#rejection = error;
    this.end(part);
    if (part.rows.length === 1) return;
    const rejected = isGuess ? messageOfFailure(error) : part.rejected;
    for (const piece of pieces(part.rows, size).reverse()) this.#parts.push({ rows: piece, rejected });
  }

  /**
   * Puts back a part that was rejected. If its message names some of the rows, the others are sent without these; if they are
   * rejected again, the names were wrong, and rows are halved from then on. A row that was alone has failed.
   *
   * @param named what the message says, by the position in the request
   * @returns the rows that have failed for certain, because the message names every one
   */
  split(part: BatchPart, named: ReadonlyMap<number, string>, error: ServiceError): readonly NamedRow[] {
    this.#rejection = error;
    const { rows } = part;
    if (rows.length === 1) {
      this.end(part);
      return [];
    }
    if (part.named !== undefined) this.#usesNames = false;
    const rejected = messageOfFailure(error);
    const namedRows = rows.flatMap((row, at) => {
      const message = this.#usesNames ? named.get(at) : undefined;
      return message === undefined ? [] : [{ row, message }];
    });
    if (namedRows.length === rows.length) return namedRows;
    if (namedRows.length > 0) {
      const isNamed = new Set(namedRows.map(({ row }) => row));
      this.#parts.push({ rows: rows.filter((row) => !isNamed.has(row)), named: namedRows, rejected });
      return [];
    }
    const all = [...rows, ...(part.named ?? []).map(({ row }) => row)].sort((a, b) => a.number - b.number);
    for (const half of pieces(all, Math.ceil(all.length / 2)).reverse()) this.#parts.push({ rows: half, rejected });
    return [];
  }
}

/** Returns rows in pieces of at most this size. */
function pieces(rows: readonly PendingRow[], size: number): PendingRow[][] {
  const found: PendingRow[][] = [];
  for (let at = 0; at < rows.length; at += size) found.push(rows.slice(at, at + size));
  return found;
}
