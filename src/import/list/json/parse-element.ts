import { cleanLine } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import type { JsonScanError } from '../../../util/json/list-scanner.ts';
import { parseJson } from '../../../util/json/parse-json.ts';

/**
 * Parses an element of a JSON list.
 *
 * @param line where it starts, from 1
 * @param entry its number in the list, from 1
 * @throws UsageError if it is not JSON
 */
export function parseListElement(text: string, line: number, entry: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const message = `line ${line} (entry ${entry}): the element that starts here is not JSON: ${describeReason(error)}`;
    throw new UsageError(message, undefined, 'bad-list');
  }
}

/** Returns the error for a list that is not JSON outside of its elements. */
export function notJsonError({ line, message }: JsonScanError): UsageError {
  const hint = 'orgadm read the list as JSON. If it has another format, name it with --format.';
  return new UsageError(`line ${line}: ${cleanLine(message)}`, hint, 'bad-list');
}

/** The parser's message without the excerpt and the position, which is counted from the start of the element. */
function describeReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanLine(message.replace(/(?:, "|, \.\.\.).* is not valid JSON$| in JSON at position .*$/s, ''));
}
