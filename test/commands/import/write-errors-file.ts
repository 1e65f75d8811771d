import { ErrorsFile, type WrittenErrors } from '../../../src/commands/import/report/errors-file.ts';
import type { Layout } from '../../../src/import/list/layout.ts';
import type { ListRow } from '../../../src/import/list-row.ts';

/** A row to fix, and its error. */
export interface RejectedRow {
  row: ListRow;
  error: string;
}

/** Writes an errors file as a report does. If the rows cannot be read to their end, it is discarded. */
export async function writeErrorsFile(
  file: string,
  layout: Layout,
  rows: AsyncIterable<RejectedRow>,
): Promise<WrittenErrors> {
  const errorsFile = new ErrorsFile(file, layout);
  try {
    for await (const { row, error } of rows) await errorsFile.add(row.raw, error);
    return await errorsFile.finish();
  } finally {
    await errorsFile.discard();
  }
}
