import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { countOf } from '../../../util/units.ts';
import type { FileOptions, ListFormat, Mapping } from '../../mapping.ts';
import type { CountedSheet, SheetFacts } from '../xlsx/convert-sheet.ts';
import { readSourceBytes, type Source, type SourceInput } from './bytes.ts';
import { detectEncoding, type Encoding } from './encoding.ts';
import { detectLayout, type TextLayout } from './format.ts';
import { rejectOtherFile } from './other-files.ts';
import { toUtf8 } from './to-utf8.ts';

/** A list in memory, with its layout. */
export interface SourceText extends TextLayout, Source {
  /** The encoding of the list before it was converted to UTF-8. */
  readonly encoding: Encoding;
  /** The sheet of a converted workbook, whose text has a line for each row, see `renderSheetRow`; undefined for other lists. */
  readonly sheet: SheetFacts | undefined;
  /** Whether it is JSON without line breaks: only numbers tell its rows apart. */
  readonly isOneLine: boolean;
  /** The text in UTF-8, without a byte order mark. */
  readonly utf8: Buffer;
}

/** The hint for a second list, of which no option names the sheet. */
const OWN_FILE = 'Save the right sheet as a file of its own.';

/** A workbook of which several visible sheets have rows, so that the user has to name one. */
export class SheetsError extends UsageError {
  readonly sheets: readonly CountedSheet[];

  constructor(list: string, sheets: readonly CountedSheet[]) {
    const names = quoteAll(
      sheets.map(({ name }) => name),
      (name) => {
        const rows = sheets.find((sheet) => sheet.name === name)?.rows ?? 0;
        return `${quote(name)} (${countOf(rows, 'row')})`;
      },
    );
    super(`${list} has ${sheets.length} sheets with rows: ${names}`, OWN_FILE, 'bad-list');
    this.sheets = sheets;
  }
}

/** Bytes at the beginning of a list that show its layout. */
const HEAD_BYTES = 64 * 1024;
const ZIP_SIGNATURE = '504b0304';
const OLE_SIGNATURE = 'd0cf11e0a1b11ae1';

/**
 * Reads a list into memory, and detects its layout.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, for bytes that are not text, and for an
 * option that does not fit
 * @throws OrgadmError if reading fails
 */
export async function readSourceText(input: SourceInput, mapping: Mapping): Promise<SourceText> {
  const { options = {} } = mapping;
  const { name, path, digest, bytes } = await readSourceBytes(input);
  if (startsWith(bytes, ZIP_SIGNATURE) || startsWith(bytes, OLE_SIGNATURE)) {
    rejectOptions(options, 'workbook');
    const read = await namingList(name, () => readWorkbookText(bytes, options));
    if ('sheets' in read) throw new SheetsError(name, read.sheets);
    return { name, path, digest, ...read };
  }
  const encoding = detectEncoding(bytes.subarray(0, HEAD_BYTES), options.encoding);
  const text = await namingList(name, () => readPlainText(bytes, encoding, input.path, mapping));
  rejectOptions(options, text.format);
  return { name, path, digest, ...text };
}

type TextOfList = Omit<SourceText, keyof Source>;

async function readWorkbookText(
  bytes: Buffer,
  options: FileOptions,
): Promise<TextOfList | { readonly sheets: readonly CountedSheet[] }> {
  const { convertSheet } = await import('../xlsx/convert-sheet.ts');
  // Its rejected rows are written as CSV for a spreadsheet, which needs the mark.
  const encoding = { name: 'utf-8', hasBom: true };
  const sheet = await convertSheet(bytes, options.sheet);
  if ('sheets' in sheet) return sheet;
  return {
    format: 'csv',
    delimiter: ',',
    skipLines: (options.headerRow ?? 1) - 1,
    shape: 'array',
    encoding,
    sheet,
    isOneLine: false,
    utf8: sheet.utf8,
  };
}

function readPlainText(bytes: Buffer, encoding: Encoding, path: string, mapping: Mapping): TextOfList {
  rejectOtherFile(bytes.toString('latin1', 0, HEAD_BYTES));
  const utf8 = toUtf8(bytes, encoding);
  const head = utf8.toString('utf8', 0, HEAD_BYTES);
  const layout = detectLayout(head, path, mapping);
  const isOneLine = layout.format === 'json' && !hasLineBreak(utf8);
  return { ...layout, encoding, sheet: undefined, isOneLine, utf8 };
}

/** Whether anything follows the first line break. */
function hasLineBreak(utf8: Buffer): boolean {
  const at = utf8.indexOf('\n');
  return at !== -1 && utf8.toString('latin1', at, at + HEAD_BYTES).trim() !== '';
}

function startsWith(bytes: Buffer, signature: string): boolean {
  return bytes.subarray(0, signature.length / 2).toString('hex') === signature;
}

/** Runs `read`, and puts the name of the list before the message of its usage error. */
async function namingList<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof UsageError ? withListName(name, error) : error;
  }
}

/** Returns a usage error with the name of its list before the message. */
export function withListName(name: string, { message, hint, code }: UsageError): UsageError {
  // "members.csv is an HTML or XML file" reads better than "members.csv: the list is an HTML or XML file".
  const named = message.startsWith('the list ') ? message.replace('the list', name) : `${name}: ${message}`;
  return new UsageError(named, hint, code);
}

/** The options that only some kinds of lists have, and the kinds that have them. */
const OPTION_KINDS = {
  format: ['csv', 'tsv', 'json', 'ndjson'],
  delimiter: ['csv', 'tsv'],
  encoding: ['csv', 'tsv', 'json', 'ndjson'],
  columns: ['csv', 'tsv', 'workbook'],
  headerRow: ['csv', 'tsv', 'workbook'],
  records: ['json', 'ndjson'],
  sheet: ['workbook'],
} as const satisfies Record<keyof FileOptions, readonly (ListFormat | 'workbook')[]>;

const FORMAT_NAMES = { csv: 'CSV', tsv: 'TSV', json: 'JSON', ndjson: 'NDJSON', workbook: 'an Excel workbook' } as const;

/** Rejects options that have no effect on this kind of list. */
function rejectOptions(options: FileOptions, kind: ListFormat | 'workbook'): void {
  for (const [name, kinds] of Object.entries(OPTION_KINDS) as [keyof typeof OPTION_KINDS, readonly string[]][]) {
    if (options[name] === undefined || kinds.includes(kind)) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${option} has no effect: the list is ${FORMAT_NAMES[kind]}`, `Remove ${option}.`);
  }
}
