import { UsageError } from '../errors.ts';
import { parseJson } from './parse-json.ts';

/**
 * Parses a file that people edit, with or without a byte order mark. Numbers as in `parseJson`.
 *
 * @param name the file as the error names it
 * @throws UsageError that says where the text is not JSON, and repeats nothing of it
 */
export function parseJsonFile(text: string, name: string, hint?: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return parseJson(json);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${describeJsonError(json, error)}`, hint);
  }
}

/**
 * Describes why `JSON.parse` rejected a text: `line 3, column 5: expected ',' or '}' after property value`. Repeats nothing of
 * the text, which may hold secrets. `JSON.parse` does not always state the position; then the line is left out.
 */
export function describeJsonError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = / at position (\d+)/.exec(message)?.[1];
  const [reason = ''] = message.split(/, "|, \.\.\."| in JSON at position| at position| \(line /);
  const described = reason === '' ? 'not valid JSON' : reason.charAt(0).toLowerCase() + reason.slice(1);
  if (position === undefined) return described;
  const before = text.slice(0, Number(position)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${described}`;
}
