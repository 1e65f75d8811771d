import { UsageError } from '../../util/errors.ts';
import { decodeBlocks, decodeHead, detectEncoding, type ListEncoding } from './encoding.ts';
import { type FileIdentity, firstBytes, type ListInput, readListBytes } from './list-bytes.ts';
import { detectLayout, type TextLayout } from './list-format.ts';
import type { ListFormat, ListOptions } from './list-options.ts';

/** A list in memory, with its layout. */
export interface ListText extends TextLayout {
  /** The name for messages: the path, or `standard input`. */
  readonly name: string;
  /** The file that the list comes from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  /** SHA-256 of the bytes as they were read, as 64 hex digits. */
  readonly digest: string;
  readonly encoding: ListEncoding;
  /** Whether it is a converted workbook: one JSON array per row, with its number in the sheet before its cells. */
  readonly isSheet: boolean;
  /** Returns the layout of a CSV list whose header is on this line. */
  layoutWithHeader(headerRow: number): TextLayout;
  /** Returns the text in pieces, for each call from the start. Throws `UsageError` for bytes that are not text. */
  texts(): Iterable<string>;
}

const HEAD_BYTES = 64 * 1024;
const ZIP_SIGNATURE = '504b0304';
const OLE_SIGNATURE = 'd0cf11e0a1b11ae1';

/**
 * Reads a list into memory, and detects its layout.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, and for an option that does not fit
 * @throws OrgadmError if reading fails
 */
export async function readListText(input: ListInput, options: ListOptions): Promise<ListText> {
  const { name, file, digest, blocks } = await readListBytes(input);
  const head = firstBytes(blocks, HEAD_BYTES);
  if (startsWith(head, ZIP_SIGNATURE) || startsWith(head, OLE_SIGNATURE)) {
    rejectOptions(options, 'workbook');
    const { convertSheet } = await import('./xlsx/convert-sheet.ts');
    const sheet = await namingList(name, () => convertSheet(Buffer.concat(blocks), options.sheet));
    // Its rejected rows are written as CSV for a spreadsheet, which needs the mark.
    const encoding = { name: 'utf-8', hasBom: true };
    const layoutWithHeader = (headerRow: number): TextLayout => {
      return { format: 'csv', delimiter: ',', skipLines: headerRow - 1, shape: 'array' };
    };
    const texts = () => decodeBlocks(sheet, encoding);
    return {
      name,
      file,
      digest,
      ...layoutWithHeader(options.headerRow ?? 1),
      layoutWithHeader,
      encoding,
      isSheet: true,
      texts,
    };
  }
  const encoding = detectEncoding(head, options.encoding);
  const layoutOf = (given: ListOptions) => detectLayout(decodeHead(head, encoding), input.path, given);
  const layout = await namingList(name, () => layoutOf(options));
  rejectOptions(options, layout.format);
  const layoutWithHeader = (headerRow: number) => layoutOf({ ...options, headerRow });
  const texts = () => decodeBlocks(blocks, encoding);
  return { name, file, digest, ...layout, layoutWithHeader, encoding, isSheet: false, texts };
}

function startsWith(head: Buffer, signature: string): boolean {
  return head.subarray(0, signature.length / 2).toString('hex') === signature;
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
  // "members.csv is an HTML page" reads better than "members.csv: the list is an HTML page".
  const named = message.startsWith('the list ') ? message.replace('the list', name) : `${name}: ${message}`;
  return new UsageError(named, hint, code);
}

/** The options that only some kinds of lists have, and the kinds that have them. */
const OPTION_KINDS = {
  delimiter: ['csv', 'tsv'],
  encoding: ['csv', 'tsv', 'json', 'ndjson'],
  columns: ['csv', 'tsv', 'workbook'],
  headerRow: ['csv', 'tsv', 'workbook'],
  records: ['json', 'ndjson'],
  sheet: ['workbook'],
} as const satisfies Partial<Record<keyof ListOptions, readonly (ListFormat | 'workbook')[]>>;

const FORMAT_NAMES = { csv: 'CSV', tsv: 'TSV', json: 'JSON', ndjson: 'NDJSON', workbook: 'an Excel workbook' } as const;

/** Rejects options that have no effect on this kind of list. */
function rejectOptions(options: ListOptions, kind: ListFormat | 'workbook'): void {
  for (const [name, kinds] of Object.entries(OPTION_KINDS) as [keyof typeof OPTION_KINDS, readonly string[]][]) {
    if (options[name] === undefined || kinds.includes(kind)) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${option} has no effect: the list is ${FORMAT_NAMES[kind]}`, `Remove ${option}.`);
  }
}
