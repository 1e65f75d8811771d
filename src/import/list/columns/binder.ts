import { comparableText, sendableText } from '../../../util/visible-text.ts';
import { normalizeSpelling } from '../../new-member.ts';
import type { BoundField } from '../fields/field-value.ts';
import type { SourcePath, SourceRecord } from '../source/source-record.ts';

/** Where a record has a value, and what it is called there. */
export interface Place {
  readonly path: SourcePath;
  /** The column or key, as a person reads it; for an inner value of JSON, its dotted path. */
  readonly column: string;
}

/** A field, and where a record has its value. */
export interface FieldRead extends Place {
  readonly field: BoundField;
}

/** The meaning of the keys of a record. */
export interface Binding {
  /** The names under which a mapping finds the keys. */
  readonly names: readonly string[];
  readonly reads: readonly FieldRead[];
  /** Positions of the keys that no field is read from. The place and the message of a row in an errors file are not among them. */
  readonly unread: readonly number[];
  /** Why the keys do not fit the mapping, as lines of a message. */
  readonly problems: readonly string[];
}

type Keys = readonly string[];

/** Collects the columns that no field is read from. */
export interface ColumnCollector {
  /**
   * Adds a column, or a place where a record has a value of it.
   *
   * @param name under which a mapping finds it; for an inner value of JSON, its dotted path
   * @param key the key of the record that it is, or is in
   */
  add(name: string, key: string, hasValue: boolean): void;
}

/** How places are found and called: the columns of a table, or the keys of JSON and what is within them. */
export interface Binder {
  readonly noun: 'column' | 'key';
  /** Whether all records have the same keys, so that a name that is not one of them is nowhere in the list. */
  readonly hasSameKeys: boolean;
  /** Returns the names under which a mapping finds keys. */
  namesOf(keys: Keys): string[];
  /** Returns the places that a name in a mapping means; more than one if it is ambiguous. */
  find(wanted: string, keys: Keys): Place[];
  /** Whether a column is one of those of an errors file that say where a row was, and what was wrong with it. */
  isReportColumn(keys: Keys, at: number): boolean;

  /** Says that a name is nowhere in the list. */
  readonly missing: string;
  /** Says that a name means two places. */
  describeAmbiguity(first: Place, second: Place): string;
  /** Returns the name of a place as messages show it: `"Role" (column 2)`. */
  shownName(place: Place): string;
  /** Returns the name under which a mapping finds a place, although another one has a similar name. */
  distinctName(place: Place): string;
  /** Says how to get rid of a hidden character in the name of a place. */
  describeCleanup(place: Place): string;

  /** Returns the dotted paths of inner values that fields are read from. */
  innerPaths(fields: readonly BoundField[]): string[];
  /** Adds the keys that no field is read from, once for each set of keys. */
  addUnreadKeys(keys: Keys, binding: Binding, columns: ColumnCollector): void;
  /** Adds what only the values of a record show about them. */
  addUnreadValues(record: SourceRecord, binding: Binding, columns: ColumnCollector): void;
  /** Whether a name is one of a column even if no record has a value there. */
  isColumn(name: string, names: Keys): boolean;
}

/** Returns the place of a key. */
export function placeAt(keys: Keys, at: number): Place {
  return { path: at, column: sendableText(keys[at] ?? '') };
}

/**
 * Returns the positions of the keys that have a name: by its text, then regardless of case, then by spelling.
 *
 * @param isExact whether only the text counts
 */
export function keysNamed(wanted: string, keys: readonly string[], isExact = false): number[] {
  for (const read of isExact ? [sendableText] : [sendableText, comparableText, normalizeSpelling]) {
    const text = read(wanted);
    const found = [...keys.keys()].filter((at) => read(keys[at] ?? '') === text);
    if (found.length > 0) return found;
  }
  return [];
}
