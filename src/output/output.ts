import type { OrgadmError } from '../util/errors.ts';
import { BufferedWriter } from './buffered-writer.ts';
import { encodeCsvRow } from './csv.ts';
import type { JqFilter } from './jq.ts';
import { renderCell, renderJson, renderJsonLine, writeJsonArray } from './json.ts';
import { markdownTable } from './markdown.ts';
import { cleanBlock, escapeJson } from './sanitize.ts';
import { createStyle, plainStyle, type Style } from './style.ts';
import { type Cell, type Column, type TableChoices, tableBlocks } from './table.ts';
import { terminalColumns, wrapText } from './wrap.ts';

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'markdown';

export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface OutputOptions {
  streams: OutputStreams;
  env: Readonly<Record<string, string | undefined>>;
  format: OutputFormat;
  /** `false` disables color; otherwise it depends on the environment and the streams. */
  color?: boolean;
  /** Notes and hints are not written; warnings and errors are. */
  quiet: boolean;
  /** Writes CSV cells unchanged, without escaping formulas. */
  rawCsv: boolean;
  /** Filters everything that is written to stdout in the formats json and ndjson. */
  filter?: JqFilter | undefined;
  /** Removes secrets from everything that is written to stderr. */
  redact?: ((text: string) => string) | undefined;
}

const LABEL = /^(?:error|warning|hint):/gm;

function styleLabel(label: string, style: Style): string {
  if (label === 'hint:') return style.strong(label);
  return label === 'error:' ? style.error(label) : style.warn(label);
}

/** Indents the lines below the first, as wrapped ones are: so that none of them looks like a message of its own. */
function indentLines(text: string): string {
  return cleanBlock(text).replaceAll('\n', '\n  ');
}

function wrap(text: string, columns: number | undefined): string {
  return columns === undefined ? text : wrapText(text, columns);
}

/** A line on the terminal that is cleared before output: the progress line. */
export interface ClearableLine {
  clear(): void;
}

/**
 * Writes data to stdout and messages to stderr. Text may be untrusted, except in `write`, whose text is already rendered.
 * Promises reject with OrgadmError if stdout cannot be written. If its reader has exited, the rest is dropped.
 */
export interface Output {
  readonly format: OutputFormat;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly errorStyle: Style;
  /** Terminal columns that text must fit; undefined if stdout is not a terminal, or its text is Markdown. */
  readonly width: number | undefined;
  readonly isTerminal: boolean;
  /** Whether the format is for people: a table, for a terminal or as Markdown. */
  readonly isForPeople: boolean;
  readonly rawCsv: boolean;
  /** Whether the reader of stdout has exited. */
  readonly closed: boolean;
  /** Writes rendered text to stdout; resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Writes rendered text for people to stdout, wrapped on a terminal. */
  text(text: string): Promise<void>;
  /** Writes bytes unchanged. */
  bytes(chunk: Uint8Array): Promise<void>;
  /** Writes the one JSON document of a command. */
  json(value: unknown): Promise<void>;
  /** Writes a JSON array in constant memory, until the reader exits. Returns the number of items. */
  jsonArray(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<number>;
  ndjson(value: unknown): Promise<void>;
  csvRow(cells: readonly unknown[]): Promise<void>;
  /** Writes several rows, all at once. */
  csvRows(rows: readonly (readonly unknown[])[]): Promise<void>;
  /**
   * Writes a table, for a terminal or as Markdown. A column may be just its header. The rows are iterated twice, so they
   * may be created on demand.
   */
  table(columns: readonly (Column | string)[], rows: Iterable<readonly Cell[]>, choices?: TableChoices): Promise<void>;
  /** Writes a message to stderr, unless quiet. */
  note(text: string): void;
  /** Writes a hint to stderr, unless quiet. */
  hint(text: string): void;
  /** Writes `warning: …` to stderr, also if quiet. */
  warn(text: string): void;
  /** Writes the output of --verbose and --debug to stderr, also if quiet. */
  trace(text: string): void;
  /** Writes an error to stderr: text, or one line of JSON in the formats json and ndjson. */
  error(error: OrgadmError, options: { debug: boolean }): void;
  /** Clears this line before every write. */
  attach(progress: ClearableLine): void;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/** Creates the output on two streams, and listens for their errors. */
export async function createOutput(options: OutputOptions): Promise<Output> {
  const { streams, env, format, color, quiet, rawCsv, filter, redact = (text) => text } = options;
  const style = format === 'markdown' ? plainStyle : await createStyle({ color, env, stream: streams.stdout });
  const errorStyle = await createStyle({ color, env, stream: streams.stderr });
  let progress: ClearableLine | undefined;
  const data = new BufferedWriter(streams.stdout, () => {
    if (streams.stdout.isTTY) progress?.clear();
  });
  const writeMessage = new BufferedWriter(streams.stderr, () => progress?.clear());

  const filtered =
    filter &&
    new FilteredWriter(filter, {
      lines: format === 'ndjson',
      terminal: streams.stdout.isTTY ?? false,
      write: (text) => data.write(text),
      writeMessage: writeText,
    });

  const write = (text: string): Promise<void> => (filtered ? filtered.add(text) : data.write(text));

  const bytes = (chunk: Uint8Array): Promise<void> =>
    filtered ? filtered.add(Buffer.from(chunk).toString()) : data.write(chunk);

  const csvRows = (rows: readonly (readonly unknown[])[]): Promise<void> =>
    write(rows.map((cells) => encodeCsvRow(cells.map(renderCell), { raw: rawCsv })).join(''));

  function width(): number | undefined {
    return format === 'markdown' ? undefined : terminalColumns(streams.stdout);
  }

  /** Writes buffered data first, to keep the order of data and messages. */
  function writeStderr(text: string): void {
    data.push();
    writeMessage.writeNow(text);
  }

  /**
   * Writes a message, wrapped on a terminal, and below it `unwrapped`, which is safe already. Secrets are removed first,
   * because a line break would hide them.
   */
  function writeText(message: string, unwrapped?: string): void {
    const text = wrap(redact(cleanBlock(message)), terminalColumns(streams.stderr)).replace(LABEL, (label) =>
      styleLabel(label, errorStyle),
    );
    writeStderr(`${text}\n${unwrapped === undefined ? '' : `${redact(unwrapped)}\n`}`);
  }

  return {
    format,
    style,
    errorStyle,
    isTerminal: streams.stdout.isTTY ?? false,
    isForPeople: format === 'table' || format === 'markdown',
    rawCsv,
    get width() {
      return width();
    },
    get closed() {
      return data.closed;
    },
    write,
    text: (text) => write(wrap(text, width())),
    bytes,
    json: (value) => write(renderJson(value)),
    jsonArray: (values) => writeJsonArray(values, { write, isClosed: () => data.closed }),
    ndjson: (value) => write(renderJsonLine(value)),
    csvRow: (cells) => csvRows([cells]),
    csvRows,
    async table(headers, rows, choices) {
      const columns = headers.map((column) => (typeof column === 'string' ? { header: column } : column));
      const blocks =
        format === 'markdown'
          ? markdownTable(columns, rows, choices)
          : tableBlocks(columns, rows, { ...choices, width: width(), style });
      for await (const block of blocks) {
        if (data.closed) return;
        await write(block);
      }
    },
    note(text) {
      if (!quiet) writeText(text);
    },
    hint(text) {
      if (!quiet) writeText(text);
    },
    warn(text) {
      writeText(`warning: ${indentLines(text)}`);
    },
    trace(text) {
      writeStderr(`${redact(cleanBlock(text))}\n`);
    },
    error(error, { debug }) {
      const stack = debug ? cleanBlock(stackOf(error)) : undefined;
      if (format === 'json' || format === 'ndjson') return writeStderr(redact(renderErrorJson(error, stack)));
      const hint = error.hint === undefined ? '' : `\nhint: ${indentLines(error.hint)}`;
      writeText(`error: ${indentLines(error.message)}${hint}`, stack);
    },
    attach(attached) {
      progress = attached;
    },
    async flush() {
      await writeMessage.finish();
      try {
        await filtered?.flush();
      } finally {
        await data.flush();
      }
    },
  };
}

/** Output formats. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', 'json', 'ndjson', 'csv', 'markdown'];

/** Errors in the stack of one. */
const MAX_CAUSES = 10;

/** Renders an error as one line of JSON. */
function renderErrorJson({ code, message, hint, status, requestId }: OrgadmError, stack: string | undefined): string {
  return `${escapeJson(JSON.stringify({ error: { code, message, hint, status, requestId, stack } }))}\n`;
}

function stackOf(error: Error): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  const open: unknown[] = [error];
  for (let next = open.shift(); next !== undefined && parts.length < MAX_CAUSES; next = open.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    parts.push(`${parts.length === 0 ? '' : 'caused by: '}${describe(next)}`);
    if (next instanceof AggregateError) open.push(...next.errors);
    if (next instanceof Error && next.cause !== undefined) open.push(next.cause);
  }
  return parts.join('\n');
}

function describe(value: unknown): string {
  if (!(value instanceof Error)) return String(value);
  return value.stack ?? `${value.name}: ${value.message}`;
}

/** Lines of ndjson are filtered in batches, because starting jq is slow. */
const BATCH_CHARACTERS = 64 * 1024;

export interface FilteredOutput {
  /** Whether each line is a document; otherwise the text is one document. */
  lines: boolean;
  terminal: boolean;
  write(text: string): Promise<void>;
  /** Writes messages of the filter. */
  writeMessage(text: string): void;
}

/**
 * Filters the JSON that is written to standard output under --jq. A failure is thrown by `flush`, so that it does not
 * interrupt a command.
 */
class FilteredWriter {
  readonly #filter: JqFilter;
  readonly #target: FilteredOutput;
  #parts: string[] = [];
  #size = 0;
  #scheduled = false;
  #failure: OrgadmError | undefined;

  constructor(filter: JqFilter, target: FilteredOutput) {
    this.#filter = filter;
    this.#target = target;
  }

  /** Adds a part of the document, or lines. */
  async add(text: string): Promise<void> {
    this.#parts.push(text);
    this.#size += text.length;
    if (!this.#target.lines) return;
    if (this.#size >= BATCH_CHARACTERS) await this.#run();
    else this.#schedule();
  }

  /** Filters the rest. Throws the first failure. */
  async flush(): Promise<void> {
    await this.#run();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  async #run(): Promise<void> {
    const json = this.#parts.join('');
    this.#parts = [];
    this.#size = 0;
    if (json.trim() === '') return;
    const { text, messages, failure } = this.#filter(json, {
      compact: this.#target.lines,
      terminal: this.#target.terminal,
    });
    this.#failure ??= failure;
    if (messages !== '') this.#target.writeMessage(messages);
    await this.#target.write(text);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      // A failed write is reported when the output is flushed.
      this.#run().catch(() => {});
    });
  }
}

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

/** Returns the rows of csv for records: a header, and a row with these fields of each. */
export function csvOfRecords<Field extends string>(
  fields: readonly Field[],
  records: readonly Readonly<Partial<Record<Field, unknown>>>[],
): (readonly unknown[])[] {
  return [fields, ...records.map((record) => fields.map((field) => record[field]))];
}

/** Prints the result of a command that people read about in its note: an object in the JSON formats, a row in csv. */
export function printRecord(record: Readonly<Record<string, unknown>>, output: Output): Promise<void> {
  return printRecords({ json: record, csv: [Object.keys(record), Object.values(record)], table() {} }, output);
}
