import { STATUS_CODES } from 'node:http';
import { isJsonType } from '../../client/http/headers.ts';
import { DEFAULT_MAX_BYTES, readText } from '../../client/http/response-body.ts';
import type { IncomingHeaders } from '../../client/http/transport.ts';
import { parseJson } from '../../client/json/parse-json.ts';
import { flatten, renderCell } from '../../output/cell-text.ts';
import { renderJson } from '../../output/json.ts';
import { cleanBlock, cleanLine, escapeJson } from '../../output/sanitize.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { Context } from '../command-context.ts';

interface ApiResponseBody {
  contentType: string | undefined;
  chunks: AsyncIterable<Buffer>;
}

/** Renders the status line and the headers of a response, followed by an empty line. */
export function renderResponseHead(status: number, headers: IncomingHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${cleanLine(one)}`),
  );
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines].join('\n')}\n\n`;
}

/**
 * Prints a body: unchanged if piped or filtered (except that control characters in JSON are escaped); on a terminal JSON is
 * indented and other text sanitized.
 */
export async function printResponseBody(
  { contentType, chunks }: ApiResponseBody,
  { output, flags }: Context,
): Promise<void> {
  const isJson = isJsonType(contentType);
  if (output.isTerminal && flags.jq === undefined) {
    const text = await readText(chunks, DEFAULT_MAX_BYTES);
    return output.write(isJson ? indented(text) : endedByNewline(cleanBlock(text)));
  }
  if (isJson) return pipeJson(chunks, output.write);
  for await (const chunk of chunks) await output.bytes(chunk);
}

function indented(text: string): string {
  try {
    return text.trim() === '' ? '' : renderJson(parseJson(text));
  } catch {
    return endedByNewline(cleanBlock(text));
  }
}

async function pipeJson(chunks: AsyncIterable<Buffer>, write: (text: string) => Promise<void>): Promise<void> {
  const decoder = new TextDecoder();
  let last = '';
  const put = async (text: string) => {
    if (text === '') return;
    last = text;
    await write(escapeJson(text));
  };
  for await (const chunk of chunks) await put(decoder.decode(chunk, { stream: true }));
  await put(decoder.decode());
  if (last !== '' && !last.endsWith('\n')) await write('\n');
}

function endedByNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** A format that prints the body as rows. */
type RowFormat = 'csv' | 'table' | 'markdown';

/** Returns the output format of the command line if it prints the body as rows. */
export function rowFormat({ output }: Context['flags']): RowFormat | undefined {
  return output === 'csv' || output === 'table' || output === 'markdown' ? output : undefined;
}

/**
 * Prints a JSON array of objects as rows: a column for each field, nested ones under dotted names.
 *
 * @throws OrgadmError for any other body, after printing it unchanged
 */
export async function printRows(
  { contentType, chunks }: ApiResponseBody,
  format: RowFormat,
  context: Context,
): Promise<void> {
  const text = await readText(chunks, DEFAULT_MAX_BYTES);
  if (text === '') return;
  const objects = arrayOfObjects(text);
  if (objects !== undefined) return printObjects(objects, format, context);
  await printResponseBody({ contentType, chunks: once(text) }, context);
  throw new OrgadmError('invalid-response', EXIT.failure, `-o ${format} needs an array of objects in the response`, {
    hint: `The request succeeded and its response is printed unchanged. Omit -o ${format} for such a response.`,
  });
}

async function printObjects(objects: readonly object[], format: RowFormat, { output }: Context): Promise<void> {
  if (objects.length === 0) return output.note('the response is an empty array');
  const rows = objects.map(flatten);
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (names.length === 0) return output.note('the response has no fields to show');
  if (format !== 'csv') {
    return output.table(
      names.map((header) => ({ header, wrap: true })),
      rows.map((row) => names.map((name) => renderCell(row.get(name)))),
    );
  }
  await output.csvRows([names, ...rows.map((row) => names.map((name) => row.get(name)))]);
}

function arrayOfObjects(text: string): object[] | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
