import { sendableText } from '../../util/visible-text.ts';
import type { FileOptions } from '../mapping.ts';
import type { Binder } from './columns/binder.ts';
import type { SampledColumn } from './columns/describe-columns.ts';
import { withoutFormula } from './fields/damaged-text.ts';
import { leavesOf } from './json/json-paths.ts';
import { binderOf, mapRecords } from './read-records.ts';
import type { SourceRecord } from './source/source-record.ts';
import type { SourceText } from './source/text.ts';

/** Columns that are described. */
const MAX_COLUMNS = 10_000;
/** Values of a column to keep. */
const MAX_VALUES = 12;

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/**
 * Reads the columns of a list with samples of their values, to ask the user about them.
 *
 * @throws UsageError for a list that cannot be read
 */
export async function sampleColumns(text: SourceText, options: FileOptions): Promise<SampledColumn[]> {
  const samples = new Map<string, ColumnSample>();
  const sampleOf = (name: string) => {
    const known = samples.get(name);
    if (known !== undefined || samples.size === MAX_COLUMNS) return known;
    const sample = new ColumnSample();
    samples.set(name, sample);
    return sample;
  };
  const binder = binderOf(text);
  let rows = 0;
  let keys: readonly string[] = [];
  let keyNames: readonly string[] = [];
  const pass = mapRecords(text, options, (record) => {
    rows++;
    // The records of a table share their keys.
    if (keys !== record.keys()) [keys, keyNames] = [record.keys(), binder.namesOf(record.keys())];
    for (const [name, value] of namedTexts(record, keyNames, binder)) sampleOf(name)?.add(shownText(value));
  });
  let end = await pass.next();
  while (!end.done) end = await pass.next();
  const { header = [] } = end.value;
  const headerNames = binder.namesOf(header);
  for (const [at, name] of headerNames.entries()) if (!binder.isReportColumn(header, at)) sampleOf(name);
  const numbered = new Map(headerNames.map((name, at) => [name, at]));
  const names = [...samples.keys()];
  return [...samples]
    .filter(([name, { filled }]) => filled > 0 || binder.isColumn(name, names))
    .map(([name, { values, hasMore, filled, hasAddresses }]) => {
      const at = numbered.get(name);
      const [title, number] = at === undefined ? [name, undefined] : [header[at] ?? '', at + 1];
      return {
        name,
        title,
        number,
        values: [...values],
        hasMore,
        blank: rows - filled,
        hasAddresses: filled > 0 && hasAddresses,
      };
    });
}

class ColumnSample {
  readonly values = new Set<string>();
  hasMore = false;
  filled = 0;
  hasAddresses = true;

  add(text: string): void {
    if (text === '') return;
    this.filled++;
    this.hasAddresses &&= ADDRESS.test(text);
    if (this.values.has(text)) return;
    if (this.values.size < MAX_VALUES) this.values.add(text);
    else this.hasMore = true;
  }
}

/** Returns a text as it is translated and sent: an answer about `="0"` is about `0`. */
function shownText(value: string): string {
  return withoutFormula(sendableText(value));
}

/** Yields the columns of a record, or its keys and the keys within them, each with its text. */
function* namedTexts(
  record: SourceRecord,
  names: readonly string[],
  binder: Binder,
): Generator<[name: string, text: string]> {
  const keys = record.keys();
  for (const [at, name] of names.entries()) if (!binder.isReportColumn(keys, at)) yield* leavesOf(record.get(at), name);
}
