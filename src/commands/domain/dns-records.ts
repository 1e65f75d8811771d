/** The types of records that are asked for and written. */
export const RECORD_TYPES = ['TXT', 'CNAME', 'A', 'AAAA'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

/** A record that ought to be there, as someone wrote it. */
export interface ExpectedRecord {
  type: string;
  name: string;
  /** Undefined where nobody told it. */
  value: string | undefined;
}

/** The type of a record, however it is spelled; undefined for those that the tool knows nothing about. */
export function recordType(type: string): RecordType | undefined {
  return RECORD_TYPES.find((known) => known === type.trim().toUpperCase());
}
