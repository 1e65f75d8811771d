import type { Output } from '../output/output.ts';

/** Prints the result of a command that people read about in its note: an object in the JSON formats, a row in csv. */
export async function printRecord(record: Readonly<Record<string, unknown>>, output: Output): Promise<void> {
  switch (output.format) {
    case 'json':
      return output.json(record);
    case 'ndjson':
      return output.ndjson(record);
    case 'csv':
      return output.csvRows([Object.keys(record), Object.values(record)]);
    case 'table':
    case 'markdown':
      return;
  }
}
