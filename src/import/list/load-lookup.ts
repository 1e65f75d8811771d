import { Readable } from 'node:stream';
import { quote, quoteAll } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { HIDDEN_CHARACTER, showHidden } from '../../util/hidden-characters.ts';
import { countOf } from '../../util/units.ts';
import { comparableText, sendableText } from '../../util/visible-text.ts';
import type { LookupSource } from '../mapping.ts';
import { bindKeys, missingFields } from './columns/bind-keys.ts';
import type { Binder, Binding } from './columns/binder.ts';
import { fieldNamed } from './fields/bind-fields.ts';
import { withoutFormula } from './fields/damaged-text.ts';
import type { BoundField } from './fields/field-value.ts';
import type { LoadedLookup, LookupText } from './fields/lookup-table.ts';
import { leavesOf } from './json/json-paths.ts';
import { binderOf, mapRecords } from './read-records.ts';
import { ChosenElements } from './rows/inner-values.ts';
import { RowWidth } from './rows/row-width.ts';
import { MAX_ROWS, tooManyRows } from './source/limits.ts';
import type { SourceRecord } from './source/source-record.ts';
import { readSourceText, type SourceText, withListName } from './source/text.ts';

/**
 * Reads a second list, in any format that a list may have.
 *
 * @throws UsageError if it cannot be read, does not have the columns, or has lines that are damaged
 */
export async function loadLookup(source: LookupSource): Promise<LoadedLookup> {
  const { file, from, to } = source;
  const text = await readSourceText({ path: file, stdin: Readable.from([]) }, { columns: { userId: from, role: to } });
  const reader = new LookupReader(source, text);
  const pass = mapRecords(text, {}, (record) => reader.read(record));
  let next = await pass.next();
  while (!next.done) {
    if (reader.texts.size > MAX_ROWS) throw tooManyRows(text.name);
    next = await pass.next();
  }
  const { header } = next.value;
  const problem = reader.problem(header);
  if (problem !== undefined) throw withListName(text.name, problem);
  return { source, header, texts: reader.texts, warnings: reader.chosen.warnings() };
}

/** Damaged lines that the error names. */
const MAX_DAMAGED = 10;
/** Inner values that the error names. */
const MAX_INNER_VALUES = 5;

class LookupReader {
  readonly texts = new Map<string, LookupText[]>();
  readonly chosen = new ChosenElements();
  readonly #from: BoundField;
  readonly #to: BoundField;
  readonly #binder: Binder;
  readonly #problems = new Set<string>();
  readonly #damaged: string[] = [];
  #damagedCount = 0;
  readonly #width = new RowWidth();
  /** The keys of the last record, and their meaning. */
  #keys: readonly string[] | undefined;
  #binding: Binding | undefined;

  constructor({ from, to }: LookupSource, text: SourceText) {
    this.#from = fieldNamed('userId', from);
    this.#to = fieldNamed('role', to);
    this.#binder = binderOf(text);
  }

  read(record: SourceRecord): void {
    // A person does not see it.
    if (record.isHidden) return;
    const { reads } = this.#bind(record.keys());
    const { issue, line } = record;
    const reject = (message: string) => {
      if (++this.#damagedCount <= MAX_DAMAGED) this.#damaged.push(`line ${line}: ${message}`);
    };
    const mistake = issue ?? this.#width.check(record, record.keys().length);
    if (mistake !== undefined) reject(mistake.message);
    const textOf = (field: BoundField) => {
      const read = reads.find((one) => one.field === field);
      if (read === undefined) return { text: '' };
      // Such as a date where Excel has changed an ID: nobody has this ID.
      const damage = record.doubt?.(read.path, true);
      if (damage !== undefined) return { text: '', damage };
      const value = record.get(read.path);
      if (value === undefined) return { text: '' };
      field.column = read.column;
      if (typeof read.path !== 'number') this.chosen.observe(record, read.path);
      return { text: this.#textOf(value, read.column) };
    };
    const [{ text: from }, { text: to, damage }] = [textOf(this.#from), textOf(this.#to)];
    // It looks like the text in the first list, so a person would wonder why it was not found.
    if (HIDDEN_CHARACTER.test(from)) reject(`${quote(showHidden(from))} contains a hidden character`);
    else this.#add(from, to, damage?.issue);
  }

  #bind(keys: readonly string[]): Binding {
    if (this.#binding !== undefined && keys === this.#keys) return this.#binding;
    const binding = bindKeys(keys, [this.#from, this.#to], this.#binder);
    for (const problem of binding.problems) this.#problems.add(problem);
    [this.#keys, this.#binding] = [keys, binding];
    return binding;
  }

  /** Returns a value as text. What is in an object or an array, only the user can choose. */
  #textOf(value: unknown, column: string): string {
    const leaves = [...leavesOf(value, column)];
    const inner = leaves.map(([path]) => path).filter((path) => path !== column);
    if (inner.length > 0) {
      const choice = quoteAll(inner.slice(0, MAX_INNER_VALUES));
      this.#problems.add(`${quote(column)} is not a text (name one of its values: ${choice})`);
      return '';
    }
    return withoutFormula(sendableText(leaves.map(([, text]) => text).join('')));
  }

  #add(from: string, to: string, issue: string | undefined): void {
    const key = comparableText(from);
    const known = this.texts.get(key);
    const same = known?.find((text) => text.from === from);
    if (known === undefined) this.texts.set(key, [{ from, to, issue }]);
    else if (same === undefined) known.push({ from, to, issue });
    else if (same.to === '') same.to = to;
    else if (to !== '' && same.to !== to) same.to = undefined;
  }

  /** Returns the error for a second list without the columns of --lookup, or with damaged lines; undefined if it is fine. */
  problem(header: readonly string[] | undefined): UsageError | undefined {
    if (header !== undefined) this.#bind(header);
    else if (this.#binding !== undefined)
      for (const problem of missingFields([this.#from, this.#to], this.#binding.names, this.#binder))
        this.#problems.add(problem);
    if (this.#problems.size > 0) {
      // The user has named the columns with --lookup, not with --map.
      const columns = header === undefined ? [] : [`columns: ${quoteAll(header.map(sendableText))}`];
      const message = [...this.#problems, ...columns].join('\n').replace(/--map (?:userId|role)=/g, '');
      return new UsageError(message, 'Correct the column names in --lookup.', 'bad-columns');
    }
    if (this.#damagedCount === 0) return undefined;
    const more = this.#damagedCount - this.#damaged.length;
    const lines = more === 0 ? this.#damaged : [...this.#damaged, `and ${countOf(more, 'more line')}`];
    return new UsageError(lines.join('\n'), 'Fix these lines of the second list.', 'bad-list');
  }
}
