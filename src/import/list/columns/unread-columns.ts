import { comparableText } from '../../../util/visible-text.ts';
import type { Mapping } from '../../mapping.ts';
import { fieldForSpelling } from '../../new-member.ts';
import type { BoundField } from '../fields/field-value.ts';
import type { Binder, ColumnCollector } from './binder.ts';

/** Names of columns that are kept: one that is not ignored is enough for an error. */
const [MAX_IGNORED, MAX_NAMES] = [1000, 10_000];

interface UnreadColumn {
  /** Whether the mapping ignores it. */
  readonly isIgnored: boolean;
  /** Whether any record has a value there. */
  hasValue: boolean;
}

/** The columns that no field is read from, as one pass over a list finds them. */
export class UnreadColumns implements ColumnCollector {
  /** Whether one of them has a name that is not a field's. */
  hasNonFields = false;
  readonly #columns = new Map<string, UnreadColumn>();
  readonly #mapping: Mapping;
  readonly #ignored: ReadonlySet<string>;
  readonly #innerPaths: readonly string[];
  readonly #binder: Binder;

  constructor(mapping: Mapping, fields: readonly BoundField[], binder: Binder) {
    this.#mapping = mapping;
    this.#ignored = new Set(mapping.ignored?.map(comparableText));
    this.#innerPaths = binder.innerPaths(fields);
    this.#binder = binder;
  }

  add(name: string, key: string, hasValue: boolean): void {
    const known = this.#columns.get(name);
    if (known !== undefined) {
      known.hasValue ||= hasValue;
      return;
    }
    if (this.#isReadByPath(name, hasValue)) return;
    const { omit, ignoreExtraColumns = false, options } = this.#mapping;
    const field = fieldForSpelling(key);
    // What is within a field's key is not that field.
    const isInner = name.startsWith(`${key}.`);
    this.hasNonFields ||= field === undefined || isInner;
    // In --columns, it has no name to report.
    if (options?.columns !== undefined && key === '-') return;
    const isIgnored =
      ignoreExtraColumns ||
      this.#ignored.has(comparableText(name)) ||
      (field !== undefined && omit?.includes(field) === true);
    if (this.#columns.size < (isIgnored ? MAX_IGNORED : MAX_NAMES)) this.#columns.set(name, { isIgnored, hasValue });
  }

  /** Whether a field is read from an inner value of JSON, or from one within it. */
  #isReadByPath(name: string, hasValue: boolean): boolean {
    return this.#innerPaths.some(
      (path) => path === name || name.startsWith(`${path}.`) || (!hasValue && path.startsWith(`${name}.`)),
    );
  }

  /** Returns their names: those that the mapping ignores, or the others. */
  names({ areIgnored }: { areIgnored: boolean }): string[] {
    const names = [...this.#columns.keys()];
    return [...this.#columns]
      .filter(([name, { isIgnored, hasValue }]) => {
        return isIgnored === areIgnored && (hasValue || this.#binder.isColumn(name, names));
      })
      .map(([name]) => name);
  }
}
