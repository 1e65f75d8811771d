import type { Mapping } from '../../../import/mapping.ts';
import type { RowState, StoredValue } from '../../../import/outcome.ts';
import type { TotalsDocument } from '../mapping/describe-mapping.ts';

/** The JSON document of `people bulk-add`, `runs show`, and `runs resume`. docs/json.md describes its fields. */
export interface ImportDocument {
  summary: ImportSummary;
  /** Null if there is nothing to continue or to show again. */
  run: { id: string; continued: boolean } | null;
  /**
   * The rows that were not created, or all rows with --all-rows; for a dry run, the invalid rows; for a rejected list, the invalid
   * and unsent rows.
   */
  rows: ReportRow[];
  /** People who may have been added twice. */
  possibleDuplicates: PossibleDuplicate[];
  mismatches: ReportMismatch[];
  /** Existing members whom the list calls inactive. */
  existingInactive: RowPlace[];
  /** How the list was read, in the form of a file for --mapping. Only of `people bulk-add`. */
  mapping?: Mapping | undefined;
  /** The people on the list. Only of `people bulk-add`. */
  totals?: TotalsDocument | undefined;
  /** How the requests were authenticated (interface 4.2): api-key or session. */
  authType: string | null;
  /** The caller (interface 4.2), if the service reports it. */
  authenticatedUser: { id?: string | null; email?: string | null; [field: string]: unknown } | null;
}

/** The counts of an import: `total` is always the sum of the states. */
export type ImportCounts = Record<RowState | 'total', number>;

/** The counts of a report. */
export interface ImportSummary extends ImportCounts {
  /** Null if the run did not end early. */
  stopped: StopReason | null;
  /** Of a dry run: the rows that orgadm would send. */
  valid?: number | undefined;
}

/** Why a run ended early, or why nothing was sent. */
export interface StopReason {
  /** `limit`, `running`, or the code of an error. */
  code: string;
  message: string;
}

/** The place of a row in its list. */
export interface RowPlace {
  /** Physical line in the list, from 1; in JSON without lines, the position of the element. */
  line: number;
  /** Position among the rows of the list, from 1. */
  entry: number;
  userId: string | null;
}

/** One row of a report. */
export interface ReportRow extends RowPlace {
  state: RowState;
  /** The service's message, or why the row is invalid. */
  error: string | null;
  /** With --all-rows: ID of the created member; null for other rows. */
  memberId?: string | null | undefined;
}

/** A person whom orgadm sent again while an earlier request may have been running, or who has two memberships. */
export interface PossibleDuplicate {
  /** Null for a person of another run who is not on this list. */
  line: number | null;
  entry: number | null;
  userId: string | null;
  /** The IDs of two or more active memberships that a response listed. */
  memberIds?: string[] | undefined;
}

/** A value of a created member that the service stored differently from what was sent. */
export interface ReportMismatch extends RowPlace {
  path: StoredValue['path'];
  /** Null if orgadm sent none. */
  sent: string | boolean | null;
  stored: string | boolean;
}
