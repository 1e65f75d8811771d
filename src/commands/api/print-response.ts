import { STATUS_CODES } from 'node:http';
import type { IncomingHeaders } from '../../client/http/pending-request.ts';
import { DEFAULT_MAX_BYTES, readText } from '../../client/http/response-body.ts';
import { parseJson } from '../../client/parse-json.ts';
import { renderJson } from '../../output/json.ts';
import { cleanBlock, cleanLine, escapeJson } from '../../output/sanitize.ts';
import type { Context } from '../command-context.ts';

export interface ApiResponseBody {
  contentType: string | undefined;
  chunks: AsyncIterable<Buffer>;
}

/** The status line and the headers of an answer, with an empty line behind them. */
export function renderResponseHead(status: number, headers: IncomingHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${cleanLine(one)}`),
  );
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines].join('\n')}\n\n`;
}

/**
 * Prints a body: piped, as it came (of JSON, control characters are escaped); on a terminal JSON is indented, and
 * anything else cleaned. A filter gets it as it came.
 */
export async function printResponseBody(
  { contentType, chunks }: ApiResponseBody,
  { output, flags }: Context,
): Promise<void> {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
  if (output.width !== undefined && flags.jq === undefined) {
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
