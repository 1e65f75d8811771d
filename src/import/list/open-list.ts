import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../util/errors.ts';
import { CsvRowParser } from './csv/csv-row-parser.ts';
import { DuplicateIndex, RowBitmap } from './duplicate-index.ts';
import { decodeBlocks, decodeHead, describeInvalidByte, detectEncoding, InvalidEncodingError } from './encoding.ts';
import { createFieldRules, readDefaults } from './field-rules.ts';
import { JsonRowParser } from './json/json-row-parser.ts';
import {
  detectCsv,
  formatByContent,
  formatByName,
  jsonShape,
  type ListFormat,
  type ListOptions,
} from './list-options.ts';
import type { ListRow } from './list-row.ts';
import {
  BlockChecksums,
  type FileIdentity,
  type ListInput,
  type ListSource,
  openListSource,
  replaceSource,
} from './list-source.ts';
import { ColumnsError, type ParserOptions, type ParserSummary, type RowParser } from './row-parser.ts';

export type { ListFormat, ListLayout, ListOptions, MappedField } from './list-options.ts';
export type { ListRow, RawRow, ValidationIssue } from './list-row.ts';
export { ListChangedError, type ListInput, ListReadError } from './list-source.ts';

/** What the first pass over a list found. */
export interface ListValidation extends ParserSummary {
  /** Rows in the list. */
  readonly total: number;
  /** Rows with at least one issue. */
  readonly invalid: number;
  /** Whether the row `entry` (1-based) has an issue. */
  isInvalid(entry: number): boolean;
  /** Identity of the list's bytes: SHA-256 as 64 hex digits. */
  readonly digest: string;
}

const HEAD_BYTES = 64 * 1024;

/**
 * Opens a list and detects how it is written. The caller closes the list.
 *
 * @throws UsageError if there is nothing to read, or an option does not fit
 * @throws OrgadmError if the copy of a pipe cannot be written
 */
export async function openList(input: ListInput, options: ListOptions): Promise<MemberList> {
  const defaults = readDefaults(options);
  let source = await openListSource(input);
  try {
    if (startsWith(await source.head(2), '1f8b')) source = await replaceSource(source, gunzip(source), input);
    const head = await source.head(HEAD_BYTES);
    const isWorkbook = startsWith(head, '504b0304') || startsWith(head, 'd0cf11e0a1b11ae1');
    rejectOptions(options, isWorkbook);
    if (isWorkbook) source = await replaceSource(source, extractSheet(source, options.sheet), input);
    const how = isWorkbook
      ? { ...SHEET, skipLines: (options.headerRow ?? 1) - 1 }
      : detectLayout(head, input.path, options);
    return new MemberList(source, { ...how, options, rules: createFieldRules(options), defaults });
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** How the rows of a converted workbook are read; rejected ones are written as CSV for a spreadsheet. */
const SHEET = {
  format: 'csv',
  isSheet: true,
  encoding: { name: 'utf-8', hasBom: true },
  delimiter: ',',
  shape: 'array',
} as const;

/** Throws if an option for the other kind of file would be ignored. */
function rejectOptions({ delimiter, encoding, sheet }: ListOptions, isWorkbook: boolean): void {
  if (!isWorkbook && sheet !== undefined)
    throw new UsageError('--sheet: the list is not an Excel workbook', 'Remove --sheet.');
  if (!isWorkbook || (delimiter === undefined && encoding === undefined)) return;
  const option = delimiter !== undefined ? '--delimiter' : '--encoding';
  throw new UsageError(`${option} is for a text file, and this list is an Excel workbook`, `Remove ${option}.`);
}

function detectLayout(
  head: Uint8Array,
  path: string,
  options: ListOptions,
): Omit<ParserOptions, 'options' | 'rules' | 'defaults'> {
  const encoding = detectEncoding(head, options.encoding);
  const text = decodeHead(head, encoding);
  rejectLdif(text);
  const format = options.format ?? formatByName(path) ?? formatByContent(text, options);
  const shape = format === 'ndjson' ? 'values' : jsonShape(text, options);
  return { format, isSheet: false, encoding, ...detectCsv(text, format, options), shape };
}

function rejectLdif(text: string): void {
  if (!/^(?:version:\s*\d+\s+|#[^\n]*\s+)*dn::? /i.test(text)) return;
  throw new UsageError(
    'the list is an LDIF file, which cannot be read',
    'Export the directory as CSV instead (csvde, Export-Csv), or convert the file.',
    'bad-list',
  );
}

/** A member list that is held open: validated once, then read as often as needed. */
export class MemberList {
  /** The list's name for messages: its path, or `standard input`. */
  readonly name: string;
  readonly format: ListFormat;
  /** The file that the list comes from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  readonly #source: ListSource;
  readonly #options: ParserOptions;
  #validated: { checksums: BlockChecksums; flags: RowBitmap } | undefined;

  constructor(source: ListSource, options: ParserOptions) {
    this.name = source.name;
    this.file = source.file;
    this.format = options.format;
    this.#source = source;
    this.#options = options;
  }

  /**
   * The first pass: reads everything and counts. Calls `onRows` with the number of rows so far.
   *
   * @throws UsageError for a list that cannot be read at all
   */
  async validate(onRows?: (rows: number) => void): Promise<ListValidation> {
    const checksums = new BlockChecksums();
    const flags = new RowBitmap();
    const ids = new DuplicateIndex();
    const parser = createRowParser(this.#options);
    for await (const rows of this.#pass(parser, this.#source.firstPass(checksums))) {
      for (const row of rows) {
        const first = row.userId === undefined ? undefined : ids.add(row.userId, row.line);
        flags.add(row.value === undefined, first);
      }
      onRows?.(flags.total);
    }
    this.#validated = { checksums, flags };
    return {
      total: flags.total,
      invalid: flags.invalid,
      isInvalid: (entry) => flags.isInvalid(entry),
      digest: checksums.identity(),
      ...parser.summary(),
    };
  }

  /**
   * A later pass, after `validate`: the rows in order, in chunks of at most a few hundred.
   *
   * @throws ListChangedError before any row that touches a changed block is yielded
   */
  async *rows(): AsyncGenerator<ListRow[]> {
    if (this.#validated === undefined) throw new Error('rows() was called before validate()');
    const { checksums, flags } = this.#validated;
    const blocks = this.#source.verifiedPass(checksums);
    for await (const rows of this.#pass(createRowParser(this.#options), blocks)) {
      yield flags.invalid === 0 ? rows : rows.map((row) => withDuplicate(row, flags.firstLine(row.entry)));
    }
  }

  /** Closes the file and removes the copy of what was not a file. */
  close(): Promise<void> {
    return this.#source.close();
  }

  async *#pass(parser: RowParser, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow[]> {
    try {
      for await (const text of decodeBlocks(blocks, this.#options.encoding)) yield* parser.push(text);
      yield* parser.end();
    } catch (error) {
      const described =
        error instanceof InvalidEncodingError
          ? await describeInvalidByte(this.#source.blocks(), this.#options.encoding)
          : error;
      throw described instanceof UsageError ? withListName(this.name, described) : described;
    }
  }
}

function withDuplicate(row: ListRow, firstLine: number | undefined): ListRow {
  if (firstLine === undefined || row.userId === undefined) return row;
  const message = `duplicate userId (first on line ${firstLine})`;
  const issue = { field: 'userId', value: row.userId, message };
  return { ...row, value: undefined, issues: [...row.issues, issue] };
}

function withListName(name: string, error: UsageError): UsageError {
  const message = `${name}: ${error.message}`;
  if (error instanceof ColumnsError) return new ColumnsError(message, error.hint, error.suggestedOptions);
  return new UsageError(message, error.hint, error.code);
}

function createRowParser(options: ParserOptions): RowParser {
  return options.format === 'json' || options.format === 'ndjson'
    ? new JsonRowParser(options)
    : new CsvRowParser(options);
}

function startsWith(head: Buffer, signature: string): boolean {
  return head.subarray(0, signature.length / 2).toString('hex') === signature;
}

async function* gunzip(source: ListSource): AsyncGenerator<Uint8Array> {
  const decompressed = createGunzip();
  const done = pipeline(copies(source), decompressed).catch((error: unknown) => decompressed.destroy(error as Error));
  try {
    yield* decompressed;
    await done;
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || !String(cause.code).startsWith('Z_')) throw cause;
    throw new UsageError(
      `${source.name}: the gzip data is damaged or incomplete`,
      'Export the list again.',
      'bad-encoding',
    );
  }
}

async function* extractSheet(source: ListSource, sheet: string | undefined): AsyncGenerator<string> {
  const { readSpreadsheet } = await import('./spreadsheet.ts');
  try {
    for await (const { line, cells } of readSpreadsheet(source, sheet)) yield `${JSON.stringify([line, ...cells])}\n`;
  } catch (error) {
    throw error instanceof UsageError ? withListName(source.name, error) : error;
  }
}

/** Yields copies of the blocks of a source, which reuses its buffers. */
async function* copies(source: ListSource): AsyncGenerator<Uint8Array> {
  for await (const block of source.blocks()) yield Buffer.from(block);
}
