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
  /** The rejected request of which it is a part. */
  readonly request?: RejectedRequest | undefined;
}

/** A rejected request, whose rows are sent again in parts. */
interface RejectedRequest {
  readonly parent: RejectedRequest | undefined;
  /** Rows that no part has settled yet. */
  left: number;
  /** Rows in the largest part that was accepted. */
  accepted: number;
  /** Whether a row was rejected, or has no known outcome: then the number of the rows need not be at fault. */
  hasWrongRow: boolean;
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
  givenUp({ rows, named = [], rejected: message, request }: BatchPart): readonly NamedRow[] {
    if (message === undefined || this.#guesses >= 0) return [];
    markWrong(request);
    return [...rows.map((row) => ({ row, message })), ...named];
  }

  /** Puts back a part whose request was not processed. */
  putBack(part: BatchPart): void {
    if (part.rejected !== undefined) this.#guesses++;
    this.#parts.push(part);
  }

  /**
   * Ends a part that the service accepted: finding rejected rows makes progress.
   *
   * @returns the rows of the largest accepted part of a request that was rejected although none of its rows was wrong
   */
  accept({ rows, named, request }: BatchPart): number | undefined {
    this.#guesses = this.#maxGuesses;
    if (named !== undefined) markWrong(request);
    let learned: number | undefined;
    for (let one = request; one !== undefined; one = one.parent) {
      one.left -= rows.length;
      one.accepted = Math.max(one.accepted, rows.length);
      if (one.left === 0 && !one.hasWrongRow) learned ??= one.accepted;
    }
    return learned;
  }

  /** Ends a part whose request proved nothing about the rows that it left out because a message named them. */
  end({ named, rejected, request }: BatchPart): void {
    markWrong(request);
    if (named !== undefined) this.#parts.push({ rows: named.map(({ row }) => row), rejected, request });
  }

  /** Whether a part is all rows, in one request: others may be unusually long. */
  isWhole({ rows }: BatchPart): boolean {
    return rows === this.rows;
  }

  /** Puts back a part that was too large, in halves. A row that was alone has failed. */
  halve(part: BatchPart, error: ServiceError): void {
    this.#rejection = error;
    if (part.rows.length === 1 || part.named !== undefined) this.end(part);
    if (part.rows.length > 1) this.#pushHalves(part.rows, part.rejected, part.request);
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
    if (namedRows.length === rows.length) {
      markWrong(part.request);
      return namedRows;
    }
    if (namedRows.length > 0) {
      const isNamed = new Set(namedRows.map(({ row }) => row));
      const others = rows.filter((row) => !isNamed.has(row));
      this.#parts.push({ rows: others, named: namedRows, rejected, request: part.request });
      return [];
    }
    const all = [...rows, ...(part.named ?? []).map(({ row }) => row)].sort((a, b) => a.number - b.number);
    this.#pushHalves(all, rejected, part.request);
    return [];
  }

  #pushHalves(rows: readonly PendingRow[], rejected: string | undefined, parent: RejectedRequest | undefined): void {
    const request = { parent, left: rows.length, accepted: 0, hasWrongRow: false };
    const half = Math.ceil(rows.length / 2);
    this.#parts.push({ rows: rows.slice(half), rejected, request }, { rows: rows.slice(0, half), rejected, request });
  }
}

/** Records that a part of these requests has a wrong row, or one of unknown outcome. */
function markWrong(request: RejectedRequest | undefined): void {
  for (let one = request; one !== undefined; one = one.parent) one.hasWrongRow = true;
}
