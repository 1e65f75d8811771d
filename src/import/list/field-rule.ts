import type { FieldKind, FieldValue, MemberField } from '../entry.ts';
import type { FieldSource, LookupCounts } from '../list-options.ts';

/** Reads one field of an entry from a list. */
export interface FieldRule {
  readonly field: MemberField;
  readonly kind: FieldKind;
  /** The column or key of --map; undefined if the field's own name finds it. */
  readonly source: FieldSource | undefined;
  readonly isInverted: boolean;
  /** The second list that translates its values; undefined if there is none. */
  readonly lookup: LookupTable | undefined;
  /** Translations by lower-case text, see `ListOptions.valueMap`. */
  readonly translations: ReadonlyMap<string, string> | undefined;
  /** The value for rows that leave it blank. */
  readonly default: FieldValue | undefined;
  /** Whether --omit leaves it out. */
  readonly isOmitted: boolean;
}

/** A second list that translates the values of a field in one pass over the first list. */
export interface LookupTable {
  /** Returns the translation of a text, or why there is none. */
  find(text: string): { readonly text: string } | { readonly issue: string };
  /** Returns how many texts were translated so far. */
  result(): LookupCounts;
}
