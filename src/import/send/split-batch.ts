import type { ServiceError } from '../../client/service-error.ts';
import { type FailureClass, messageOfFailure } from './classify-error.ts';
import type { PendingRow } from './send-batch.ts';

/** Rows that go out in one request, and what happened to them before. */
export interface BatchPart {
  readonly rows: readonly PendingRow[];
  /**
   * The rows that the message of a rejected request named, with what it said about each: they were in the request too, and
   * are failed as soon as the service accepts `rows`, for that proves the names.
   */
  readonly named?: readonly NamedRow[];
  /** The service's message if the rows were rejected together with others: sending them again is a guess. */
  readonly rejected?: string;
  /** The size they were cut to, because the service accepts no more at once. */
  readonly splitSize?: number;
}

/** A row that the message of a rejected request names. */
export interface NamedRow {
  readonly row: PendingRow;
  /** What the message says about it, without its position. */
  readonly message: string;
}

/** Returns how many requests in a row, none of them accepted, may be spent on finding the invalid rows of a rejected batch. */
export function maxBisectRequests(size: number): number {
  return Math.ceil(4 * (1 + Math.log2(Math.max(1, size))));
}

/** Cuts a part that is too large: to the size that the message names, else in halves. */
export function cutToSize(
  part: BatchPart,
  failure: Extract<FailureClass, { kind: 'too-large' }>,
  message: string,
): BatchPart[] {
  const { rows, named, ...others } = part;
  const size = failure.limit ?? Math.ceil(rows.length / 2);
  const rejected = failure.sure ? {} : { rejected: message };
  const parts = pieces(rows, size).map((piece) => ({ ...others, ...rejected, rows: piece, splitSize: size }));
  return named === undefined ? parts : [...parts, { rows: named.map(({ row }) => row), rejected: message }];
}

/** Halves rejected rows. Rows that a message named are put back in their places first. */
export function bisect({ rows, named = [], ...others }: BatchPart, message: string): BatchPart[] {
  const all = [...rows, ...named.map(({ row }) => row)].sort((a, b) => a.entry - b.entry);
  return pieces(all, Math.ceil(all.length / 2)).map((half) => ({ ...others, rows: half, rejected: message }));
}

/** Returns the named rows as a part of their own: nothing is proven about them. */
export function namedAlone(named: readonly NamedRow[], error: ServiceError): BatchPart {
  return { rows: named.map(({ row }) => row), rejected: messageOfFailure(error) };
}

/**
 * Removes the part with the most rows. If rejected rows are next to each other, the valid ones are in a large part:
 * sending it before the guesses are used up keeps them from failing with the others.
 */
export function removeLargest(parts: BatchPart[]): BatchPart | undefined {
  const largest = Math.max(...parts.map(({ rows }) => rows.length));
  return parts.splice(
    parts.findLastIndex(({ rows }) => rows.length === largest),
    1,
  )[0];
}

function pieces(rows: readonly PendingRow[], size: number): PendingRow[][] {
  const found: PendingRow[][] = [];
  for (let at = 0; at < rows.length; at += size) found.push(rows.slice(at, at + size));
  return found;
}
