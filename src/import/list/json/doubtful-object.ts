import { quoteAll, quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isJsonObject } from '../../../util/json/json-object.ts';
import { ListScanner } from '../../../util/json/list-scanner.ts';
import type { Mapping } from '../../mapping.ts';
import { formatByName, userIdKey } from '../source/format.ts';
import { MAX_ROW_LENGTH } from '../source/limits.ts';
import { type SourceText, withListName } from '../source/text.ts';
import { valueAtPath } from './json-paths.ts';
import { parseFirst, pathsOfArrays } from './other-json.ts';

/** Bytes at the beginning of a list in which its first two objects are. */
const HEAD_BYTES = 64 * 1024;

/**
 * Rejects a list of objects whose first one may be a person, or a team with people: it has a user ID, and so do the objects in
 * one of its arrays.
 *
 * @throws UsageError that names the options for both
 */
export function rejectDoubtfulObject({ name, shape, utf8 }: SourceText, mapping: Mapping): void {
  if (shape !== 'values' || mapping.options?.format === 'ndjson') return;
  const head = utf8.subarray(0, HEAD_BYTES);
  const object = parseFirst(head);
  const isId = userIdKey(mapping);
  const hasId = (value: unknown) => isJsonObject(value) && Object.keys(value).some(isId);
  if (!hasId(object)) return;
  // A person in a list of several may have other objects in any array. Most JSON texts of a single object are no person.
  const isAlone = formatByName(name) !== 'ndjson' && isOneValue(head);
  const arrays = pathsOfArrays(object).filter((array) => {
    const entries = valueAtPath(object, array.split('.')) as readonly unknown[];
    return hasId(entries.find(isJsonObject)) && (isAlone || array === usualListPath(object));
  });
  if (arrays.length === 0) return;
  const options = arrays.map((array) => `--records ${quoteForShell(array)}`).join(', or ');
  const error = new UsageError(
    `the object has a user ID, and so do the objects in ${quoteAll(arrays)}`,
    `To read an array, add ${options}. If the object itself is a person, add --format ndjson.`,
    'bad-list',
  );
  throw withListName(name, error);
}

/** Whether a text has nothing after its first object. */
function isOneValue(json: Buffer): boolean {
  try {
    JSON.parse(json.toString());
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of the array under a usual key in an object; undefined if there is none. */
function usualListPath(object: unknown): string | undefined {
  const scanner = new ListScanner({ maxElementBytes: MAX_ROW_LENGTH });
  for (const _ of scanner.push(Buffer.from(JSON.stringify(object)))) break;
  return scanner.listPath;
}
