import { UsageError } from '../../util/errors.ts';
import { CsvRowParser } from './csv-row-parser.ts';
import { DuplicateIndex, RowBitmap } from './duplicate-index.ts';
import {
  createListDecoder,
  decodeHead,
  detectEncoding,
  InvalidEncodingError,
  invalidByteError,
  lineAtOffset,
  rejectSpreadsheet,
} from './encoding.ts';
import { parseDefaults } from './entry-builder.ts';
import { JsonRowParser } from './json-row-parser.ts';
import {
  type Delimiter,
  detectDelimiter,
  formatByContent,
  formatByName,
  type ListFormat,
  type ListLayout,
  type ListOptions,
} from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { BlockChecksums, type FileIdentity, type ListInput, type ListSource, openListSource } from './list-source.ts';
import { NdjsonRowParser } from './ndjson-row-parser.ts';
import type { ParserOptions, RowParser } from './row-parser.ts';

export type { ListFormat, ListLayout, ListOptions } from './list-options.ts';
export type { ListRow, RawRow, ValidationIssue } from './list-row.ts';
export { ListChangedError, type ListInput, ListReadError } from './list-source.ts';

/** What the first pass over a list found. */
export interface ListValidation {
  /** Rows in the list. */
  readonly total: number;
  /** Rows with at least one problem. */
  readonly invalid: number;
  /** Whether the row `entry` (1-based) has a problem. */
  isInvalid(entry: number): boolean;
  /** Identity of the list's bytes: SHA-256 as 64 hex digits. */
  readonly digest: string;
  /** How the list is written, for giving rows back in its own manner. */
  readonly layout: ListLayout;
}

/** A member list that is held open: checked once, then read as often as needed. */
export interface MemberList {
  /** The list's name for messages: its path, or `standard input`. */
  readonly name: string;
  readonly format: ListFormat;
  /** The file that the list comes from; undefined when it is no regular file. */
  readonly file: FileIdentity | undefined;
  /**
   * The first pass: reads everything and counts. Calls `onRows` with the rows so far.
   * Throws `UsageError` for a list that cannot be read at all, and the signal's reason when aborted.
   */
  validate(onRows?: (rows: number) => void, signal?: AbortSignal): Promise<ListValidation>;
  /**
   * A later pass, after `check`: the rows in order, in chunks of at most a few hundred. Throws `ListChangedError` before
   * any row that touches a changed block is yielded, and the signal's reason when aborted.
   */
  rows(signal?: AbortSignal): AsyncGenerator<ListRow[]>;
  /** Lets go of the file and removes the copy of what was not a file. */
  close(): Promise<void>;
}

/** How two bytes make a character. */
const CODE_UNIT_ORDER = { 'utf-8': undefined, 'utf-16le': 'little-endian', 'utf-16be': 'big-endian' } as const;
const HEAD_BYTES = 64 * 1024;

/**
 * Opens a list and finds out how it is written. Throws `UsageError` when there is nothing to read, or when a default
 * is no value for its field; `OrgadmError` when the copy of a pipe cannot be written. The caller closes the list.
 */
export async function openList(input: ListInput, options: ListOptions): Promise<MemberList> {
  const defaults = parseDefaults(options.defaults);
  const source = await openListSource(input);
  try {
    const head = await source.head(HEAD_BYTES);
    rejectSpreadsheet(head);
    const encoding = detectEncoding(head);
    const text = decodeHead(head, encoding);
    const format = options.format ?? formatByName(input.path) ?? formatByContent(text);
    return new OpenList(source, { format, delimiter: delimiterFor(format, text), encoding, options, defaults });
  } catch (error) {
    await source.close();
    throw error;
  }
}

class OpenList implements MemberList {
  readonly name: string;
  readonly format: ListFormat;
  readonly file: MemberList['file'];
  readonly #source: ListSource;
  readonly #plan: ParserOptions;
  #checked: { digests: BlockChecksums; flags: RowBitmap } | undefined;

  constructor(source: ListSource, plan: ParserOptions) {
    this.name = source.name;
    this.file = source.file;
    this.format = plan.format;
    this.#source = source;
    this.#plan = plan;
  }

  async validate(onRows?: (rows: number) => void, signal?: AbortSignal): Promise<ListValidation> {
    const digests = new BlockChecksums();
    const flags = new RowBitmap();
    const ids = new DuplicateIndex();
    const reading = createRowParser(this.#plan);
    for await (const rows of this.#pass(reading, this.#source.firstPass(digests), signal)) {
      for (const row of rows) {
        const first = row.userId === undefined ? undefined : ids.add(row.userId, row.line);
        flags.add(row.value === undefined, first);
      }
      onRows?.(flags.total);
    }
    this.#checked = { digests, flags };
    return {
      total: flags.total,
      invalid: flags.invalid,
      isInvalid: (entry) => flags.isInvalid(entry),
      digest: digests.identity(),
      layout: reading.layout(),
    };
  }

  async *rows(signal?: AbortSignal): AsyncGenerator<ListRow[]> {
    if (this.#checked === undefined) throw new Error('check() comes before rows()');
    const { digests, flags } = this.#checked;
    for await (const rows of this.#pass(createRowParser(this.#plan), this.#source.verifiedPass(digests), signal)) {
      yield flags.invalid === 0 ? rows : rows.map((row) => withDuplicate(row, flags.firstLine(row.entry)));
    }
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  async *#pass(
    reading: RowParser,
    blocks: AsyncGenerator<Buffer>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ListRow[]> {
    try {
      const decoder = createListDecoder(this.#plan.encoding);
      for await (const block of blocks) {
        signal?.throwIfAborted();
        yield* reading.push(decoder.push(block));
      }
      decoder.end();
      yield* reading.end();
    } catch (error) {
      if (error instanceof InvalidEncodingError) throw withListName(this.name, await this.#located(error));
      throw error instanceof UsageError ? withListName(this.name, error) : error;
    }
  }

  async #located({ invalidByte }: InvalidEncodingError): Promise<UsageError> {
    const { encoding } = this.#plan.encoding;
    const line = await lineAtOffset(this.#source.blocks(), invalidByte.offset, CODE_UNIT_ORDER[encoding]);
    return invalidByteError(invalidByte, line, encoding);
  }
}

function withDuplicate(row: ListRow, firstLine: number | undefined): ListRow {
  if (firstLine === undefined || row.userId === undefined) return row;
  const message = `duplicate userId (first on line ${firstLine})`;
  const problem = { field: 'userId', value: row.userId, message };
  return { ...row, value: undefined, issues: [...row.issues, problem] };
}

function withListName(name: string, error: UsageError): UsageError {
  return new UsageError(`${name}: ${error.message}`, error.hint, error.code);
}

/** The delimiter of a list that begins with `head`. */
function delimiterFor(format: ListFormat, head: string): Delimiter {
  return format === 'tsv' ? '\t' : detectDelimiter(head);
}

/** Begins a pass. */
function createRowParser(plan: ParserOptions): RowParser {
  if (plan.format === 'json') return new JsonRowParser(plan);
  return plan.format === 'ndjson' ? new NdjsonRowParser(plan) : new CsvRowParser(plan);
}
