import { comparableText } from '../../../util/visible-text.ts';
import type { ListRow } from '../../list-row.ts';
import type { Mapping } from '../../mapping.ts';
import { fieldForSpelling, normalizeSpelling } from '../../new-member.ts';
import { type Binding, bindKeys } from '../columns/bind-keys.ts';
import type { BoundField } from '../fields/field-value.ts';
import { leavesOf } from '../json/json-paths.ts';
import type { SourceRecord } from '../source/source-record.ts';
import { MemberBuilder } from './member-builder.ts';
import { RowShape } from './row-shape.ts';

/** Sets of keys whose bindings are kept. Exports have a few. */
const MAX_BINDINGS = 1000;
/** Names of columns that are kept: one that is not ignored is enough for an error. */
const [MAX_IGNORED, MAX_NAMES] = [1000, 10_000];

/** A column that no field is read from. */
interface OtherColumn {
  readonly name: string;
  /** Whether the mapping ignores it. */
  readonly isIgnored: boolean;
  /** Whether any record has a value there. */
  hasValue: boolean;
}

interface RowReaderOptions {
  /** Whether all records have the same keys. */
  readonly isTable: boolean;
  /** Whether they are rows of a workbook. */
  readonly isSheet: boolean;
  /** Whether to find the columns that no field is read from, as the first pass over a list does. */
  readonly isFirstPass: boolean;
}

/** Reads the rows from the records of a list, in one pass. */
export class RowReader {
  /** Why keys do not fit the mapping, as lines of a message. */
  readonly problems = new Set<string>();
  /** Whether a column has a name that is not a field's, whether it is read or not. */
  hasNonFields = false;
  /** Whether a column says who is active only by a name such as `active`, which in some products means something else. */
  hasLooseStatus = false;
  /** Rows so far. */
  rows = 0;
  readonly #fields: readonly BoundField[];
  readonly #mapping: Mapping;
  readonly #ignored: ReadonlySet<string>;
  readonly #isTable: boolean;
  readonly #isFirstPass: boolean;
  readonly #builder: MemberBuilder;
  readonly #others = new Map<string, OtherColumn>();
  readonly #bindings = new Map<string, Binding>();
  /** The keys of the last record. */
  #keys: readonly string[] | undefined;
  #binding: Binding = { names: [], reads: [], others: [], problems: [] };

  readonly shape: RowShape;

  constructor(fields: readonly BoundField[], mapping: Mapping, { isTable, isSheet, isFirstPass }: RowReaderOptions) {
    this.#fields = fields;
    this.#mapping = mapping;
    this.#ignored = new Set(mapping.ignored?.map(comparableText));
    this.#isTable = isTable;
    this.#isFirstPass = isFirstPass;
    this.#builder = new MemberBuilder(fields);
    this.shape = new RowShape(isSheet);
  }

  /** Validates the next record. */
  read(record: SourceRecord): ListRow {
    const number = ++this.rows;
    const { reads } = this.bind(record.keys());
    const builder = this.#builder;
    builder.clear();
    const isDoubtful = record.hasDoubts ?? false;
    const misshapen = this.shape.check(record, reads);
    if (misshapen !== undefined) builder.report(misshapen);
    for (const { field, path, column } of reads) {
      const value = record.get(path);
      const doubt = isDoubtful ? record.doubt?.(path, field.name === 'userId') : undefined;
      if (doubt === undefined) builder.set(field, value, column);
      else builder.reject(field, doubt.issue, column, doubt.isShortened);
      if (typeof path !== 'number' && value !== undefined) this.#found(field, column, false);
    }
    const { issue } = record;
    if (issue !== undefined) builder.report(issue);
    if (this.#isFirstPass) this.#observe(record);
    const member = builder.finish();
    if (this.#isFirstPass && member !== undefined) this.shape.observe(record);
    return {
      line: record.line,
      number,
      isHidden: record.isHidden ?? false,
      userId: builder.values.userId,
      member,
      issues: builder.issues,
      raw: record.raw,
    };
  }

  /** Binds keys to fields, once per set of keys. */
  bind(keys: readonly string[]): Binding {
    if (this.#keys !== undefined && isSame(this.#keys, keys)) return this.#binding;
    const id = JSON.stringify(keys);
    const binding = this.#bindings.get(id) ?? this.#bindNew(keys);
    if (this.#bindings.size < MAX_BINDINGS) this.#bindings.set(id, binding);
    this.#keys = keys;
    this.#binding = binding;
    return binding;
  }

  #bindNew(keys: readonly string[]): Binding {
    const binding = bindKeys(keys, this.#fields, this.#isTable);
    for (const problem of binding.problems) this.problems.add(problem);
    for (const { field, path, column } of binding.reads) {
      if (typeof path !== 'number') continue;
      this.#found(field, column, fieldForSpelling(column) !== undefined);
      this.hasLooseStatus ||= field.name === 'isActive' && field.wanted === undefined && !isFieldName(column);
    }
    if (this.#isTable)
      for (const at of binding.others) if (keys[at]?.trim() !== '') this.#addOther(keys, at, binding.names[at]);
    return binding;
  }

  #found(field: BoundField, column: string, isField: boolean): void {
    this.hasNonFields ||= !isField;
    field.column ??= column;
  }

  /** Finds the columns without a name in which a row has a value, and the keys of JSON, which may be within others. */
  #observe(record: SourceRecord): void {
    const keys = record.keys();
    for (const at of this.#binding.others) {
      const key = keys[at] ?? '';
      if (this.#isTable && key.trim() !== '') continue;
      for (const [path, text] of leavesOf(record.get(at), key)) {
        const hasValue = text.trim() !== '';
        if (!this.#isTable) this.#addOther(keys, at, path, hasValue);
        else if (hasValue) this.#addOther(keys, at, this.#binding.names[at]);
      }
    }
  }

  /** @param name that of the column, or the path of an inner key of JSON */
  #addOther(keys: readonly string[], at: number, name = '', hasValue = true): void {
    const known = this.#others.get(name);
    if (known !== undefined) {
      known.hasValue ||= hasValue;
      return;
    }
    if (!this.#isTable && this.#isReadByPath(name, hasValue)) return;
    const { omit, ignoreExtraColumns = false, options } = this.#mapping;
    const field = fieldForSpelling(keys[at] ?? '');
    // What is within a field's key is not that field.
    const isInner = !this.#isTable && name !== keys[at];
    this.hasNonFields ||= field === undefined || isInner;
    // In --columns, it has no name to report.
    if (options?.columns !== undefined && keys[at] === '-') return;
    const isIgnored =
      ignoreExtraColumns ||
      this.#ignored.has(comparableText(name)) ||
      (field !== undefined && omit?.includes(field) === true);
    if (this.#others.size < (isIgnored ? MAX_IGNORED : MAX_NAMES))
      this.#others.set(name, { name, isIgnored, hasValue });
  }

  /** Whether the mapping reads an inner value of JSON, or one within it. */
  #isReadByPath(name: string, hasValue: boolean): boolean {
    return this.#fields.some(({ wanted: path }) => {
      if (path === undefined || !path.includes('.')) return false;
      return path === name || name.startsWith(`${path}.`) || (!hasValue && path.startsWith(`${name}.`));
    });
  }

  /** Returns the columns that no field is read from. A key of JSON that is blank or an object is its inner keys. */
  others(): OtherColumn[] {
    const all = [...this.#others.values()];
    if (this.#isTable) return all;
    return all.filter(({ name, hasValue }) => hasValue || !all.some((other) => other.name.startsWith(`${name}.`)));
  }
}

/** Whether a column is named as the field itself: `isActive`, `Is Active`, or `is_active`. */
function isFieldName(name: string): boolean {
  return normalizeSpelling(name) === normalizeSpelling('isActive');
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((key, at) => key === b[at]));
}
