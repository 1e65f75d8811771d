import { workbookTooLarge } from './archive.ts';
import { readSpreadsheet } from './spreadsheet.ts';

const BLOCK_CHARACTERS = 16 * 1024;
/** A cell of 20 bytes can repeat a text of 32,767 characters, and make up to 16,384 blank cells before it. */
const MAX_SHEET_BYTES = 128 * 1024 ** 2;

/**
 * Converts a sheet of a workbook into UTF-8 text whose lines are JSON arrays of a row's number and its cells. The text is
 * smaller than the workbook's XML, and faster to read again.
 *
 * @param sheet name of the sheet, in any case; by default the first visible one
 * @throws UsageError as `readSpreadsheet` does, and for a sheet of more than 128 MiB of text
 */
export async function convertSheet(workbook: Buffer, sheet: string | undefined): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let text = '';
  let bytes = 0;
  for await (const { line, cells } of readSpreadsheet(workbook, sheet)) {
    text += `${JSON.stringify([line, ...cells])}\n`;
    if (text.length < BLOCK_CHARACTERS) continue;
    const block = Buffer.from(text);
    blocks.push(block);
    text = '';
    bytes += block.length;
    if (bytes > MAX_SHEET_BYTES) throw workbookTooLarge('has more than 128 MiB of text in the sheet');
  }
  return Buffer.concat([...blocks, Buffer.from(text)]);
}
