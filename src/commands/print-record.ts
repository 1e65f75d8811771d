import type { Output } from '../output/output.ts';

/** The result of a command, as each format shows it. */
interface RecordViews {
  /** The JSON document. */
  json: unknown;
  /** The lines of ndjson; default: the document. */
  ndjson?: Iterable<unknown>;
  /** The rows of csv, the header included. */
  csv: readonly (readonly unknown[])[];
  /** Prints the table, for a terminal or as Markdown. */
  table(): Promise<void> | void;
}

/** Prints a result in the output's format. */
export async function printRecords({ json, ndjson = [json], csv, table }: RecordViews, output: Output): Promise<void> {
  switch (output.format) {
    case 'json':
      return output.json(json);
    case 'ndjson':
      for (const value of ndjson) await output.ndjson(value);
      return;
    case 'csv':
      return output.csvRows(csv);
    case 'table':
    case 'markdown':
      return table();
  }
}

/** Prints the result of a command that people read about in its note: an object in the JSON formats, a row in csv. */
export function printRecord(record: Readonly<Record<string, unknown>>, output: Output): Promise<void> {
  return printRecords({ json: record, csv: [Object.keys(record), Object.values(record)], table() {} }, output);
}
