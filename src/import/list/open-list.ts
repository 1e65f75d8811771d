import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../../util/errors.ts';
import { CsvRowParser } from './csv/csv-row-parser.ts';
import { decodeBlocks, decodeHead, detectEncoding } from './encoding.ts';
import { createFieldRules, readDefaults } from './field-rules.ts';
import { JsonRowParser } from './json/json-row-parser.ts';
import { type FileIdentity, headOf, type ListBytes, type ListInput, readListBytes } from './list-bytes.ts';
import {
  detectCsv,
  formatByContent,
  formatByName,
  jsonShape,
  type ListFormat,
  type ListOptions,
} from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { ColumnsError, type ParserOptions, type ParserSummary, type RowParser } from './row-parser.ts';

export type { ListInput } from './list-bytes.ts';
export type { ListFormat, ListLayout, ListOptions, MappedField } from './list-options.ts';
export type { ListRow, RawRow, ValidationIssue } from './list-row.ts';

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

/** A member list in memory: validated once, then read as often as needed. */
export interface MemberList {
  /** The list's name for messages: its path, or `standard input`. */
  readonly name: string;
  readonly format: ListFormat;
  /** The file that the list comes from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  /**
   * Reads the entire list and checks every row. Calls `onRows` with the number of rows so far.
   *
   * @throws UsageError for a list that cannot be read at all
   */
  validate(onRows?: (rows: number) => void): Promise<ListValidation>;
  /** Reads the list again, after `validate`. Yields the rows in order, in chunks of a few hundred. */
  rows(): AsyncGenerator<ListRow[]>;
}

const HEAD_BYTES = 64 * 1024;

/**
 * Reads a list into memory and detects how it is written.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, or for an option that does not fit
 * @throws OrgadmError if reading fails
 */
export async function openList(input: ListInput, options: ListOptions): Promise<MemberList> {
  const defaults = readDefaults(options);
  const bytes = await readListBytes(input);
  const head = headOf(bytes.blocks, HEAD_BYTES);
  const isWorkbook = startsWith(head, '504b0304') || startsWith(head, 'd0cf11e0a1b11ae1');
  const how = isWorkbook
    ? { ...SHEET, skipLines: (options.headerRow ?? 1) - 1 }
    : detectLayout(head, input.path, options);
  rejectOptions(options, isWorkbook ? 'workbook' : how.format);
  const blocks = isWorkbook ? await extractSheet(bytes, options.sheet) : bytes.blocks;
  const parserOptions = { ...how, options, rules: createFieldRules(options), defaults };
  return createMemberList({ ...bytes, blocks }, parserOptions);
}

/** How the rows of a converted workbook are read; rejected ones are written as CSV for a spreadsheet. */
const SHEET = {
  format: 'csv',
  isSheet: true,
  encoding: { name: 'utf-8', hasBom: true },
  delimiter: ',',
  shape: 'array',
} as const;

/** The options that only some kinds of lists have, and the kinds that have them. */
const OPTION_KINDS = {
  delimiter: ['csv', 'tsv'],
  encoding: ['csv', 'tsv', 'json', 'ndjson'],
  columns: ['csv', 'tsv', 'workbook'],
  headerRow: ['csv', 'tsv', 'workbook'],
  records: ['json', 'ndjson'],
  sheet: ['workbook'],
} as const satisfies Partial<Record<keyof ListOptions, readonly (ListFormat | 'workbook')[]>>;

const KIND_NAMES = { csv: 'CSV', tsv: 'TSV', json: 'JSON', ndjson: 'NDJSON', workbook: 'an Excel workbook' } as const;

/** Throws if an option for another kind of list would be ignored. */
function rejectOptions(options: ListOptions, kind: ListFormat | 'workbook'): void {
  for (const [name, kinds] of Object.entries(OPTION_KINDS) as [keyof typeof OPTION_KINDS, readonly string[]][]) {
    if (options[name] === undefined || kinds.includes(kind)) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${option} has no effect: the list is ${KIND_NAMES[kind]}`, `Remove ${option}.`);
  }
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

function createMemberList({ name, file, blocks, digest }: ListBytes, options: ParserOptions): MemberList {
  /** The first line of each duplicate id, by the number of its row; undefined until the list was validated. */
  let duplicates: ReadonlyMap<number, number> | undefined;

  async function* readRows(parser: RowParser): AsyncGenerator<ListRow[]> {
    try {
      for (const text of decodeBlocks(blocks, options.encoding)) {
        yield* parser.push(text);
        // Signals and the progress line are handled between two blocks.
        await nextTurn();
      }
      yield* parser.end();
    } catch (error) {
      throw error instanceof UsageError ? withListName(name, error) : error;
    }
  }

  return {
    name,
    format: options.format,
    file,
    async validate(onRows) {
      const firstLines = new Map<string, number>();
      const found = new Map<number, number>();
      const invalid = new Set<number>();
      const parser = createRowParser(options);
      let total = 0;
      for await (const rows of readRows(parser)) {
        for (const { entry, line, userId, value } of rows) {
          const firstLine = userId === undefined ? undefined : firstLines.get(userId);
          if (firstLine !== undefined) found.set(entry, firstLine);
          else if (userId !== undefined) firstLines.set(copyOf(userId), line);
          if (value === undefined || firstLine !== undefined) invalid.add(entry);
        }
        total += rows.length;
        onRows?.(total);
      }
      duplicates = found;
      return { total, invalid: invalid.size, isInvalid: (entry) => invalid.has(entry), digest, ...parser.summary() };
    },
    async *rows() {
      if (duplicates === undefined) throw new Error('rows() was called before validate()');
      const firstLines = duplicates;
      for await (const rows of readRows(createRowParser(options)))
        yield firstLines.size === 0 ? rows : rows.map((row) => withDuplicate(row, firstLines.get(row.entry)));
    },
  };
}

/** Copies a text that is kept for long: the slice of a larger text would keep all of that text in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
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

/** Reads a sheet of a workbook into blocks of lines, each of which is a JSON array of the row's number and its cells. */
async function extractSheet({ name, blocks }: ListBytes, sheet: string | undefined): Promise<Buffer[]> {
  const { readSpreadsheet } = await import('./spreadsheet.ts');
  const converted: Buffer[] = [];
  let text = '';
  try {
    for await (const { line, cells } of readSpreadsheet(Buffer.concat(blocks), sheet)) {
      text += `${JSON.stringify([line, ...cells])}\n`;
      if (text.length < HEAD_BYTES) continue;
      converted.push(Buffer.from(text));
      text = '';
    }
  } catch (error) {
    throw error instanceof UsageError ? withListName(name, error) : error;
  }
  return [...converted, Buffer.from(text)];
}
