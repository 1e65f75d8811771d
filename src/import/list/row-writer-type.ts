import type { RawRow } from './list-row.ts';

/** Writes rows back as their list has them, each with what is wrong with it. */
export interface RowWriter {
  /** What comes before the rows. */
  begin(): string;
  row(raw: RawRow, error: string): string;
  /** What comes after the rows. */
  end(): string;
}
