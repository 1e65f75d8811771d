import type { OutcomeRecord, RowMessage, StoredValue, UnknownNote } from './records.ts';
import { encodeRanges } from './row-ranges.ts';

/** The outcome of a request. Rows of the request that it does not name were not processed, and are as they were before. */
export interface RequestOutcome {
  created: number[];
  /** The member IDs of the created rows, in their order; null if the response did not name one. */
  memberIds: (string | null)[];
  existing: RowMessage[];
  failed: RowMessage[];
  /** Rows of unknown outcome, and why. */
  unknown: [numbers: number[], reason: string, note?: UnknownNote | undefined][];
  duplicates: { entry: number; memberIds: string[] }[];
  mismatches: StoredValue[];
  /** Rows that were sent again during a stall, and may have been added twice. */
  stalled: number[];
}

/** Returns the outcome of a request that was not processed. */
export function emptyOutcome(): RequestOutcome {
  return {
    created: [],
    memberIds: [],
    existing: [],
    failed: [],
    unknown: [],
    duplicates: [],
    mismatches: [],
    stalled: [],
  };
}

/** Returns the record of an outcome, without what it does not have. */
export function outcomeRecord(request: number, outcome: RequestOutcome, at: OutcomeRecord['at']): OutcomeRecord {
  const { created, memberIds, existing, failed, unknown, duplicates, mismatches, stalled } = outcome;
  return {
    t: 'outcome',
    request,
    at,
    ...(created.length > 0 && { created: encodeRanges(created) }),
    ...(memberIds.some((id) => id !== null) && { memberIds }),
    ...(existing.length > 0 && { existing }),
    ...(failed.length > 0 && { failed }),
    ...(unknown.length > 0 && { unknown: unknown.map(encodeUnknown) }),
    ...(duplicates.length > 0 && { duplicates }),
    ...(mismatches.length > 0 && { mismatches }),
    ...(stalled.length > 0 && { stalled: encodeRanges(stalled) }),
  };
}

function encodeUnknown([numbers, reason, note]: RequestOutcome['unknown'][number]): [string, string, UnknownNote?] {
  const rows = encodeRanges(numbers);
  return note === undefined ? [rows, reason] : [rows, reason, note];
}
