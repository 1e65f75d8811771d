import type { ListRow } from '../../list-row.ts';
import type { Mapping } from '../../mapping.ts';
import { fieldForSpelling, normalizeSpelling } from '../../new-member.ts';
import { bindKeys } from '../columns/bind-keys.ts';
import type { Binder, Binding } from '../columns/binder.ts';
import { UnreadColumns } from '../columns/unread-columns.ts';
import type { BoundField } from '../fields/field-value.ts';
import type { SourceRecord } from '../source/source-record.ts';
import { ChosenElements, outerText } from './inner-values.ts';
import { MemberBuilder } from './member-builder.ts';
import { RowShape } from './row-shape.ts';

/** Sets of keys whose bindings are kept. Exports have a few. */
const MAX_BINDINGS = 1000;

interface RowReaderOptions {
  /** Whether the records are rows of a workbook. */
  readonly isSheet: boolean;
}

/** Reads the rows from the records of a list, in one pass. */
export class RowReader {
  /** Why keys do not fit the mapping, as lines of a message. */
  readonly problems = new Set<string>();
  readonly unread: UnreadColumns;
  /** Whether a column that is read has a name that is not a field's. */
  readsNonFields = false;
  /** Whether a column says who is active only by a name such as `active`, which in some products means something else. */
  hasLooseStatus = false;
  /** Rows so far. */
  rows = 0;
  readonly shape: RowShape;
  readonly chosen = new ChosenElements();
  readonly #fields: readonly BoundField[];
  readonly #binder: Binder;
  readonly #builder: MemberBuilder;
  readonly #bindings = new Map<string, Binding>();
  /** The keys of the last record. */
  #keys: readonly string[] | undefined;
  #binding: Binding = { names: [], reads: [], unread: [], problems: [] };

  constructor(fields: readonly BoundField[], mapping: Mapping, binder: Binder, { isSheet }: RowReaderOptions) {
    this.#fields = fields;
    this.#binder = binder;
    this.#builder = new MemberBuilder(fields);
    this.unread = new UnreadColumns(mapping, fields, binder);
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
      else {
        builder.reject(field, doubt.issue, column, { isShortened: doubt.isShortened });
      }
      if (typeof path === 'number') continue;
      const outer = value === undefined ? outerText(record, path) : undefined;
      if (outer !== undefined) builder.reject(field, outer, column);
      if (value === undefined) continue;
      this.#found(field, column, false);
      this.chosen.observe(record, path);
    }
    const { issue } = record;
    if (issue !== undefined) builder.report(issue);
    this.#binder.addUnreadValues(record, this.#binding, this.unread);
    const member = builder.finish();
    if (member !== undefined) this.shape.observe(record);
    return {
      line: record.line,
      number,
      isHidden: record.isHidden ?? false,
      userId: builder.values.userId,
      member,
      issues: builder.issues,
      fields: member ?? builder.fields(),
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
    const binding = bindKeys(keys, this.#fields, this.#binder);
    for (const problem of binding.problems) this.problems.add(problem);
    for (const { field, path, column } of binding.reads) {
      if (typeof path !== 'number') continue;
      this.#found(field, column, fieldForSpelling(column) !== undefined);
      this.hasLooseStatus ||= field.name === 'isActive' && field.wanted === undefined && !isFieldName(column);
    }
    this.#binder.addUnreadKeys(keys, binding, this.unread);
    return binding;
  }

  #found(field: BoundField, column: string, isField: boolean): void {
    this.readsNonFields ||= !isField;
    field.column ??= column;
  }
}

/** Whether a column is named as the field itself: `isActive`, `Is Active`, or `is_active`. */
function isFieldName(name: string): boolean {
  return normalizeSpelling(name) === normalizeSpelling('isActive');
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((key, at) => key === b[at]));
}
