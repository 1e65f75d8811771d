import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../../util/errors.ts';
import type { FileOptions } from '../mapping.ts';
import type { Binder } from './columns/binder.ts';
import { JSON_BINDER } from './columns/json-binder.ts';
import { TABLE_BINDER } from './columns/table-binder.ts';
import { readTable } from './csv/read-table.ts';
import { readJson } from './json/json-records.ts';
import type { RecordsEnd, SourceRecord } from './source/source-record.ts';
import { type SourceText, withListName } from './source/text.ts';

/** Whether the records of a list are rows of a table, and not values of JSON. */
function isTable({ format }: Pick<SourceText, 'format'>): boolean {
  return format === 'csv' || format === 'tsv';
}

/** Returns how the columns or keys of a list are found. */
export function binderOf(text: Pick<SourceText, 'format'>): Binder {
  return isTable(text) ? TABLE_BINDER : JSON_BINDER;
}

/**
 * Yields a value for each record of a list, in chunks. Lets other work run between two chunks.
 *
 * @throws UsageError with the list's name for a list that cannot be read
 */
export async function* mapRecords<T>(
  text: SourceText,
  options: FileOptions,
  read: (record: SourceRecord) => T,
): AsyncGenerator<T[], RecordsEnd> {
  try {
    const pass = isTable(text) ? readTable(text, options) : readJson(text, options);
    for (let next = pass.next(); ; next = pass.next()) {
      if (next.done) return next.value;
      yield next.value.map(read);
      await nextTurn();
    }
  } catch (error) {
    throw error instanceof UsageError ? withListName(text.name, error) : error;
  }
}
