/** The state of a row, as every report shows it. */
export const ROW_STATES = ['created', 'existing', 'recovered', 'failed', 'invalid', 'unknown', 'unsent'] as const;
export type RowState = (typeof ROW_STATES)[number];

/** The fields that a new member and a member of the service have in common (interface 2.2, 4.2). */
export const COMPARED_FIELDS = ['role', 'department', 'isActive'] as const;

/** A value that the service stored, and that is not the one that was sent. */
export interface StoredValue {
  readonly path: (typeof COMPARED_FIELDS)[number];
  readonly stored: string | boolean;
}

/** The outcome of a row: its state, what a report says about it, and what the response shows in addition. */
export type Outcome = (
  | {
      readonly state: 'created';
      /** Undefined if the response did not name one. */
      readonly memberId?: string | undefined;
    }
  | { readonly state: 'existing'; readonly message: string }
  /** Already a member, and an earlier request of unknown outcome may have added the row. Only the run knows that. */
  | { readonly state: 'recovered'; readonly message: string }
  | { readonly state: 'failed'; readonly message: string; readonly note?: FailedNote | undefined }
  /** `message`: why the outcome is unknown. */
  | { readonly state: 'unknown'; readonly message: string; readonly note?: UnknownNote | undefined }
  | { readonly state: 'invalid' | 'unsent' }
) & {
  /** The IDs of the active memberships of the user, if the response lists two or more. */
  readonly memberships?: readonly string[];
  readonly mismatches?: readonly StoredValue[];
};

/**
 * - `not-alone`: the row was rejected together with others, and not tried alone
 * - `maybe-added`: an earlier request of unknown outcome may have added the row. Only the run knows that
 */
export type FailedNote = 'not-alone' | 'maybe-added';

/** `failing`: the service responded with a status from 500 on when the row was sent again alone. */
export type UnknownNote = 'failing';

/** The outcomes of rows, by their numbers. */
export type Outcomes = ReadonlyMap<number, Outcome>;
