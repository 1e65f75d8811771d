import { createCsvRowWriter } from './csv-row-writer.ts';
import { createJsonRowWriter } from './json-row-writer.ts';
import type { ListLayout } from './list-layout.ts';
import type { RowWriter } from './row-writer-type.ts';

/**
 * The writer for rows of a list that is written like this. What it writes is read again as it is: what --map, --default
 * and --ignore-extra-columns did for the list is not needed any more.
 */
export function createRowWriter(layout: ListLayout): RowWriter {
  return 'columns' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
}
