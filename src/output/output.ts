import { isUtf8 } from 'node:buffer';
import type { OrgadmError } from '../util/errors.ts';
import { type Block, renderBlock } from './blocks.ts';
import { renderCsv } from './csv.ts';
import { errorText, renderErrorJson, stacksOf } from './error-text.ts';
import type { JqFilter } from './jq.ts';
import { renderJsonLine } from './json.ts';
import { writeJson } from './json-writer.ts';
import type { Secrets } from './redact.ts';
import { escapeCommands } from './sanitize.ts';
import { createPaint, paintNothing, terminalColumns } from './style.ts';
import { indentedText, joinText, renderText, style, type Text, text } from './text.ts';
import { Writer } from './writer.ts';

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'csv';

/** Output formats. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', 'json', 'ndjson', 'csv'];

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
  color?: boolean | undefined;
  /** Notes and hints are not written; warnings and errors are. */
  quiet: boolean;
  /** Filters everything that is written to stdout in the formats json and ndjson. */
  filter?: JqFilter | undefined;
  /** Removed from everything that is written. */
  secrets: Secrets;
}

/** A line on the terminal that is cleared before output: the progress line. */
export interface ClearableLine {
  clear(): void;
}

/**
 * Writes data to stdout and messages to stderr. What people read is made of `Text`, which is safe for a terminal; a plain
 * string is untrusted wherever it is accepted: its hidden characters are escaped, and its lines after the first are indented,
 * so that none looks like a message of orgadm.
 *
 * Promises reject with OrgadmError if stdout cannot be written. If its reader has exited, the rest is dropped.
 */
export interface Output {
  readonly format: OutputFormat;
  /** Terminal columns that text must fit; undefined if stdout is not a terminal. */
  readonly width: number | undefined;
  readonly isTerminal: boolean;
  /** Whether the reader of stdout has exited. */
  readonly closed: boolean;
  /** Prints a block for people. An empty line separates it from the one before. */
  print(block: Block): Promise<void>;
  /** Writes the one JSON document of a command, see `writeJson`. */
  json(value: unknown): Promise<void>;
  /** Writes a line of JSON for each value. Bytes are lines already. */
  ndjson(values: readonly unknown[]): Promise<void>;
  csv(rows: readonly (readonly unknown[])[]): Promise<void>;
  /** Writes what is rendered already, unchanged: a script, the body of a response. Never text for people. */
  writeRendered(rendered: string | Uint8Array): Promise<void>;
  /** The secrets that are removed from everything that is written. */
  readonly secrets: Secrets;
  /** Writes a note or a hint to stderr, unless quiet. */
  note(message: Text | string): void;
  /** Writes `warning: …` to stderr, also if quiet. */
  warn(message: Text | string): void;
  /** Writes a line to stderr, also if quiet: for --debug. */
  trace(line: string): void;
  /** Writes an error to stderr: text, or one line of JSON in the formats json and ndjson. */
  error(error: OrgadmError, options: { debug: boolean }): void;
  /** Clears this line before every write. */
  attach(progress: ClearableLine): void;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/** Creates the output on two streams, and listens for their errors. */
export async function createOutput(options: OutputOptions): Promise<Output> {
  const { streams, env, format, color, quiet, filter, secrets } = options;
  const { redact, redactJson } = secrets;
  const paint = await createPaint({ color, env, stream: streams.stdout });
  const paintMessage = await createPaint({ color, env, stream: streams.stderr });
  let progress: ClearableLine | undefined;
  let hasPrinted = false;
  const data = new Writer(streams.stdout, () => {
    if (streams.stdout.isTTY) progress?.clear();
  });
  const messages = new Writer(streams.stderr, () => progress?.clear());

  /** The JSON that the filter reads when everything is there. */
  const unfiltered: string[] = [];

  async function write(text: string): Promise<void> {
    if (filter === undefined) await data.write(text);
    else unfiltered.push(text);
  }

  /** Throws the first failure of the filter, after its other results are written. */
  async function runFilter(): Promise<void> {
    const json = unfiltered.splice(0).join('');
    if (filter === undefined || json.trim() === '') return;
    const target = { compact: format === 'ndjson', terminal: streams.stdout.isTTY ?? false };
    const { text, messages, failure } = filter(json, target);
    if (messages !== '') writeMessage(joinText(messages.trimEnd().split('\n'), LINE_BREAK));
    await data.write(text);
    if (failure !== undefined) throw failure;
  }

  /** Writes a response, which may be JSON. If it is not UTF-8, only secrets in ASCII are found. */
  const writeRendered = (rendered: string | Uint8Array): Promise<void> => {
    if (typeof rendered === 'string') return write(redactJson(rendered));
    if (filter) return write(redactJson(Buffer.from(rendered).toString()));
    const encoding = isUtf8(rendered) ? 'utf8' : 'latin1';
    return data.write(Buffer.from(redactJson(Buffer.from(rendered).toString(encoding)), encoding));
  };

  function width(): number | undefined {
    return terminalColumns(streams.stdout);
  }

  async function print(block: Block): Promise<void> {
    if ('notice' in block) return note(block.notice);
    const isContinued = 'rows' in block && block.isContinued === true;
    const pieces = renderBlock(block, { width: width(), paint, redact });
    let separator = hasPrinted && !isContinued ? '\n' : '';
    for await (const piece of pieces) {
      if (data.closed) return;
      if (piece === '') continue;
      await write(separator + escapeCommands(redact(piece)));
      separator = '';
      hasPrinted = true;
    }
  }

  async function ndjson(values: readonly unknown[]): Promise<void> {
    const lines = values.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : renderJsonLine(value),
    );
    await writeRendered(lines.join(''));
  }

  const csv = async (rows: readonly (readonly unknown[])[]): Promise<void> => write(await renderCsv(rows, redact));

  function writeLines(lines: string): void {
    messages.writeNow(`${lines}\n`);
  }

  function writeMessage(message: Text): void {
    writeLines(escapeCommands(redact(renderText(message, paintMessage))));
  }

  function note(message: Text | string): void {
    if (!quiet) writeMessage(messageText(message));
  }

  function trace(line: string): void {
    writeLines(escapeCommands(redact(renderText(indentedText(line), paintNothing))));
  }

  return {
    format,
    isTerminal: streams.stdout.isTTY ?? false,
    get width() {
      return width();
    },
    get closed() {
      return data.closed;
    },
    print,
    json: (value) => writeJson(value, { write: (text) => write(redactJson(text)), isClosed: () => data.closed }),
    ndjson,
    csv,
    writeRendered,
    secrets,
    note,
    warn(message) {
      writeMessage(text`${style.warn(text`warning:`)} ${messageText(message)}`);
    },
    trace,
    error(error, { debug }) {
      const stacks = debug ? stacksOf(error) : undefined;
      if (format === 'json' || format === 'ndjson')
        return writeLines(redactJson(renderErrorJson(error, stacks?.join('\n'))));
      writeMessage(errorText(error));
      for (const stack of stacks ?? []) trace(stack);
    },
    attach(attached) {
      progress = attached;
    },
    async flush() {
      await messages.finish();
      try {
        await runFilter();
      } finally {
        await data.flush();
      }
    },
  };
}

const LINE_BREAK = text`\n`;

function messageText(message: Text | string): Text {
  return typeof message === 'string' ? indentedText(message) : message;
}
