import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../../util/errors.ts';
import type { MemberField } from '../entry.ts';
import { readCsv } from './csv/read-csv.ts';
import { createFieldRules } from './field-rules.ts';
import { readJson } from './json/read-json.ts';
import type { ListOptions } from './list-options.ts';
import type { PassResult, PassSetup } from './list-pass.ts';
import type { ListRow } from './list-row.ts';
import { type ListText, withListName } from './list-text.ts';
import type { LoadedLookup } from './lookup-table.ts';

/** A list in memory, and the second lists and the time that reading its rows needs. */
export interface ListReader {
  readonly text: ListText;
  /** The second lists, by the field whose values they translate. */
  readonly lookups: ReadonlyMap<MemberField, LoadedLookup>;
  /** The current time: earlier days are in the past. */
  readonly nowMs: number;
}

/**
 * Makes one pass over a list: yields its rows in chunks, and returns the results. Lets other work run between two chunks.
 *
 * @throws UsageError with the list's name for a list that cannot be read
 */
export async function* readRows(
  { text, lookups, nowMs }: ListReader,
  options: ListOptions,
  { observesUnread }: Pick<PassSetup, 'observesUnread'>,
): AsyncGenerator<ListRow[], PassResult> {
  const setup = { ...text, options, rules: createFieldRules(options, lookups), observesUnread, nowMs };
  try {
    const pass = text.format === 'json' || text.format === 'ndjson' ? readJson(setup) : readCsv(setup);
    for (let next = pass.next(); ; next = pass.next()) {
      if (next.done) return next.value;
      yield next.value;
      await nextTurn();
    }
  } catch (error) {
    throw error instanceof UsageError ? withListName(text.name, error) : error;
  }
}
