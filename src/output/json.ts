import { escapeJson } from './sanitize.ts';

/** One JSON document, indented by two spaces and ended by `\n`; parses to the same value, safe for a terminal. */
export function renderJson(value: unknown): string {
  return `${renderJsonText(value, 0)}\n`;
}

/** A value as it stands inside a larger document, where its first line begins after `indent` spaces. */
export function renderJsonText(value: unknown, indent: number): string {
  // A line break inside a text is escaped already: these are all of the layout.
  return escapeJson(JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** One line of newline-delimited JSON. */
export function renderJsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

export interface ArrayWriter {
  write(text: string): Promise<void>;
  /** Nobody reads any more; the rest need not be made. */
  isClosed(): boolean;
}

/** So much is held back at first: when `values` fails early, nothing has been written, and not half a document. */
const MAX_PENDING = 64 * 1024;

/**
 * Writes `values` as one JSON array that looks like `renderJson`'s, in constant memory. What `values` throws is thrown;
 * the document then stays unfinished, or unwritten if less than 64 KiB of it had come.
 *
 * @returns the number of items written
 */
export async function writeJsonArray(
  values: AsyncIterable<unknown> | Iterable<unknown>,
  target: ArrayWriter,
): Promise<number> {
  let count = 0;
  let pending: string | undefined = '';
  const put = async (text: string): Promise<void> => {
    if (pending === undefined) return target.write(text);
    pending += text;
    if (pending.length < MAX_PENDING) return;
    const first = pending;
    pending = undefined;
    await target.write(first);
  };

  for await (const value of values) {
    await put(`${count === 0 ? '[\n' : ',\n'}  ${renderJsonText(value, 2)}`);
    count++;
    if (target.isClosed()) break;
  }
  await target.write((pending ?? '') + (count === 0 ? '[]\n' : '\n]\n'));
  return count;
}
