import type { Outcome, Outcomes, UnknownNote } from '../outcome.ts';
import type { Duplicate, IntentRecord, Mismatch, OutcomeRecord, RowMessage } from './records.ts';
import { decodeRanges, encodeRanges } from './row-ranges.ts';

/** Also true of a process that is still waiting for the response, which `runs show` reports on. */
const NO_RESPONSE = 'orgadm has not recorded a response';

/** How a request ended for orgadm, as far as it counts for rows of unknown outcome. */
export interface RequestEnd {
  /** Whether it had no outcome for so long that the service was not working. */
  readonly isStuck: boolean;
  readonly isTimeout: boolean;
}

/** Returns the record of the outcomes of a request: rows of the same kind together, without the kinds that it does not have. */
export function encodeOutcomes(
  request: number,
  outcomes: Outcomes,
  at: OutcomeRecord['at'],
  { isStuck, isTimeout }: RequestEnd,
): OutcomeRecord {
  const created: number[] = [];
  const memberIds: (string | null)[] = [];
  const existing: RowMessage[] = [];
  const failed: RowMessage[] = [];
  const unknown = new Map<string, { numbers: number[]; message: string; note: UnknownNote | undefined }>();
  const duplicates: Duplicate[] = [];
  const mismatches: Mismatch[] = [];
  for (const [number, outcome] of outcomes) {
    if (outcome.state === 'created') {
      created.push(number);
      memberIds.push(outcome.memberId ?? null);
    } else if (outcome.state === 'existing') existing.push([number, outcome.message]);
    else if (outcome.state === 'failed') {
      const { message, note } = outcome;
      failed.push(note === 'not-alone' ? [number, message, note] : [number, message]);
    } else if (outcome.state === 'unknown') {
      const { message, note } = outcome;
      const key = `${note} ${message}`;
      const group = unknown.get(key);
      if (group === undefined) unknown.set(key, { numbers: [number], message, note });
      else group.numbers.push(number);
    }
    if (outcome.memberships !== undefined) duplicates.push({ entry: number, memberIds: outcome.memberships });
    for (const value of outcome.mismatches ?? []) mismatches.push({ entry: number, ...value });
  }
  return {
    t: 'outcome',
    request,
    at,
    ...(created.length > 0 && { created: encodeRanges(created) }),
    ...(memberIds.some((id) => id !== null) && { memberIds }),
    ...(existing.length > 0 && { existing }),
    ...(failed.length > 0 && { failed }),
    ...(unknown.size > 0 && {
      unknown: [...unknown.values()].map(({ numbers, message, note }) => {
        const rows = encodeRanges(numbers);
        return note === undefined ? [rows, message] : [rows, message, note];
      }),
    }),
    ...(duplicates.length > 0 && { duplicates }),
    ...(mismatches.length > 0 && { mismatches }),
    ...(unknown.size > 0 && isStuck && { stuck: true }),
    ...(unknown.size > 0 && isTimeout && { timedOut: true }),
  };
}

/**
 * Returns the record of a request that was in flight when its process died. It counts from the moment at which the request
 * began: what later processes record about its rows comes after it.
 */
export function outcomeOfDeath({ request, rows, at, timeoutMs }: IntentRecord): OutcomeRecord {
  return { t: 'outcome', request, at, timeoutMs, unknown: [[rows, NO_RESPONSE]], stuck: true };
}

/** Returns the outcomes of a record. Throws RangeError for one that says nothing about a row but what it has in addition. */
export function decodeOutcomes(record: OutcomeRecord): Map<number, Outcome> {
  const { created = '', memberIds = [], existing = [], failed = [], unknown = [] } = record;
  const outcomes = new Map<number, Outcome>();
  let at = 0;
  for (const number of decodeRanges(created))
    outcomes.set(number, { state: 'created', memberId: memberIds[at++] ?? undefined });
  for (const [number, message] of existing) outcomes.set(number, { state: 'existing', message });
  for (const [number, message, note] of failed) outcomes.set(number, { state: 'failed', message, note });
  for (const [rows, message, note] of unknown)
    for (const number of decodeRanges(rows)) outcomes.set(number, { state: 'unknown', message, note });
  const outcomeOf = (number: number) => {
    const outcome = outcomes.get(number);
    if (outcome === undefined) throw new RangeError(`row ${number} has no outcome`);
    return outcome;
  };
  const { duplicates = [], mismatches = [] } = record;
  for (const { entry, memberIds } of duplicates) outcomes.set(entry, { ...outcomeOf(entry), memberships: memberIds });
  for (const { entry, path, stored } of mismatches) {
    const outcome = outcomeOf(entry);
    outcomes.set(entry, { ...outcome, mismatches: [...(outcome.mismatches ?? []), { path, stored }] });
  }
  return outcomes;
}
