import { type OrgadmError, UsageError } from '../util/errors.ts';
import { BufferedWriter } from './buffered-writer.ts';
import { renderCell } from './cell-text.ts';
import { encodeCsvRow } from './csv.ts';
import { FilteredWriter } from './filtered-text.ts';
import type { JqFilter } from './jq.ts';
import { renderJson, renderJsonLine, writeJsonArray } from './json.ts';
import { cleanBlock, escapeJson } from './sanitize.ts';
import { createStyle, type Style } from './style.ts';
import type { Cell, Column, TableChoices } from './table.ts';
import { terminalColumns } from './terminal-columns.ts';

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'csv';

export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface OutputOptions {
  streams: OutputStreams;
  env: Readonly<Record<string, string | undefined>>;
  format: OutputFormat;
  /** `false` switches colour off; anything else leaves it to the environment and the streams. */
  color?: boolean;
  /** Notes and hints are not written; warnings and errors are. */
  quiet: boolean;
  /** CSV cells exactly as they are, without the guard against formulas. */
  rawCsv: boolean;
  /** Stands between all that is written and stdout; goes with the formats json and ndjson. */
  filter?: JqFilter | undefined;
  /** Removes secrets from everything that is written to stderr. */
  redact?: ((text: string) => string) | undefined;
}

const LINE_FEED = Buffer.from('\n');

/** What shares the terminal with the output and has to make room for it: the progress line. */
export interface ClearableLine {
  clear(): void;
}

/**
 * stdout is data, stderr is messages. What is written here may hold untrusted text, except for
 * `write`, whose text is rendered already. Its promises reject with OrgadmError when stdout cannot be written; a reader
 * that went away is no error, the rest is dropped.
 */
export interface Output {
  readonly format: OutputFormat;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly errorStyle: Style;
  /** Terminal columns of stdout; `undefined` when piped. */
  readonly width: number | undefined;
  readonly rawCsv: boolean;
  /** The reader of stdout went away. */
  readonly closed: boolean;
  /** Writes rendered text to stdout; resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Writes bytes that are nobody's text, as they are. */
  bytes(chunk: Uint8Array): Promise<void>;
  /** Writes the one JSON document of a command. */
  json(value: unknown): Promise<void>;
  /** Writes one JSON array, item by item in constant memory; stops early when the reader goes away. Gives the number of items. */
  jsonArray(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<number>;
  ndjson(value: unknown): Promise<void>;
  /** Writes JSON texts that have no line breaks, one a line. */
  ndjsonLines(texts: readonly Buffer[]): Promise<void>;
  csvRow(cells: readonly unknown[]): Promise<void>;
  /** Writes several rows, all at once. */
  csvRows(rows: readonly (readonly unknown[])[]): Promise<void>;
  /** Writes a table. The rows are iterated twice, so that those of a long one may be made when they are needed. */
  table(columns: readonly Column[], rows: Iterable<readonly Cell[]>, choices?: TableChoices): Promise<void>;
  /** Talk on stderr; silent under quiet. */
  note(text: string): void;
  /** Advice on stderr; silent under quiet. */
  hint(text: string): void;
  /** `warning: …` on stderr, also under quiet. */
  warn(text: string): void;
  /** What --verbose and --debug asked for, on stderr, also under quiet. */
  trace(text: string): void;
  /** An error on stderr: text, or one line of JSON when the format is json or ndjson. */
  error(error: OrgadmError, options: { debug: boolean }): void;
  /** Makes every write clear this line first. */
  attach(progress: ClearableLine): void;
  /** Resolves when the streams have taken everything. */
  flush(): Promise<void>;
}

/** Opens the output on two streams, and listens for their errors from now on. */
export async function createOutput(options: OutputOptions): Promise<Output> {
  const { streams, env, format, color, quiet, rawCsv, filter, redact = (text) => text } = options;
  const style = await createStyle({ color, env, stream: streams.stdout });
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
      writeMessage: (text) => writeStderr(`${cleanBlock(text)}\n`),
    });

  const write = (text: string): Promise<void> => (filtered ? filtered.add(text) : data.write(text));

  const bytes = (chunk: Uint8Array): Promise<void> =>
    filtered ? filtered.add(Buffer.from(chunk).toString()) : data.write(chunk);

  const csvRows = (rows: readonly (readonly unknown[])[]): Promise<void> =>
    write(rows.map((cells) => encodeCsvRow(cells.map(renderCell), { raw: rawCsv })).join(''));

  function width(): number | undefined {
    return terminalColumns(streams.stdout);
  }

  /** Data gathered so far goes first, for both to appear in the order in which they were written. */
  function writeStderr(text: string): void {
    data.push();
    writeMessage.writeNow(redact(text));
  }

  return {
    format,
    style,
    errorStyle,
    rawCsv,
    get width() {
      return width();
    },
    get closed() {
      return data.closed;
    },
    write,
    bytes,
    json: (value) => write(renderJson(value)),
    jsonArray: (values) => writeJsonArray(values, { write, isClosed: () => data.closed }),
    ndjson: (value) => write(renderJsonLine(value)),
    ndjsonLines: (texts) => bytes(Buffer.concat(texts.flatMap((text) => [text, LINE_FEED]))),
    csvRow: (cells) => csvRows([cells]),
    csvRows,
    async table(columns, rows, choices) {
      const { tableBlocks } = await import('./table.ts');
      for (const block of tableBlocks(columns, rows, { ...choices, width: width(), style })) {
        if (data.closed) return;
        await write(block);
      }
    },
    note(text) {
      if (!quiet) writeStderr(`${cleanBlock(text)}\n`);
    },
    hint(text) {
      if (!quiet) writeStderr(`${errorStyle.dim(cleanBlock(text))}\n`);
    },
    warn(text) {
      writeStderr(`${errorStyle.warn('warning:')} ${cleanBlock(text)}\n`);
    },
    trace(text) {
      writeStderr(`${errorStyle.dim(cleanBlock(text))}\n`);
    },
    error(error, { debug }) {
      const json = format === 'json' || format === 'ndjson';
      writeStderr(json ? renderErrorJson(error, { debug }) : renderErrorText(error, { debug, style: errorStyle }));
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

/** The forms in which data can be printed. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', 'json', 'ndjson', 'csv'];

/**
 * Reads the name of a format.
 *
 * @param where the flag, variable or setting that holds it, for the error
 * @throws UsageError that lists the formats
 */
export function parseOutputFormat(value: unknown, where: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((known) => known === value);
  if (format === undefined)
    throw new UsageError(
      `${where}: "${String(value)}" is not a format`,
      `The formats are ${OUTPUT_FORMATS.join(', ')}.`,
    );
  return format;
}

const MAX_CAUSES = 10;

/** An error for people: `error: message`, the hint on a line of its own, under debug the stack and its causes. */
export function renderErrorText(error: OrgadmError, options: { debug: boolean; style: Style }): string {
  const { error: bad, dim } = options.style;
  const lines = [`${bad('error:')} ${cleanBlock(error.message)}`];
  if (error.hint !== undefined) lines.push(dim(`hint: ${cleanBlock(error.hint)}`));
  if (options.debug) lines.push(dim(cleanBlock(stackOf(error))));
  return `${lines.join('\n')}\n`;
}

/** An error for scripts: one line of JSON. Members without a value are left out; `stack` is there under debug only. */
export function renderErrorJson(error: OrgadmError, options: { debug: boolean }): string {
  const { code, message, hint, status, requestId } = error;
  const stack = options.debug ? stackOf(error) : undefined;
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
