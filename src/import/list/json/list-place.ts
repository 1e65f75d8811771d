import { quote, quoteAll, quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isJsonObject } from '../../../util/json/json-object.ts';
import { isListKey } from '../../../util/json/list-keys.ts';
import type { ListScanner } from '../../../util/json/list-scanner.ts';
import { valueAtPath } from './json-paths.ts';
import { columnsError, keyedByIdError, parseFirst, pathsOfArrays } from './other-json.ts';

/** Paths that a hint names. */
const MAX_PATHS = 5;

/** Returns the error for a JSON text in which no list was found, with the arrays that it has. */
export function listNotFoundError(
  { members }: ListScanner,
  records: readonly string[] | undefined,
  utf8: Buffer,
): UsageError {
  const outer = members.filter(({ type }) => type === 'array').map(({ path }) => path);
  const first = parseFirst(utf8);
  const arrays = [...new Set([...outer, ...pathsOfArrays(first)])].slice(0, MAX_PATHS);
  if (records !== undefined) {
    const hint =
      arrays.length === 0
        ? 'Name the keys that lead to the array, with dots between them: --records data.members'
        : arrays.includes('')
          ? 'The array is at the top level: leave out --records.'
          : `orgadm found arrays at ${quoteAll(arrays)}.`;
    return new UsageError(`--records ${records.join('.')}: there is no array at this path`, hint, 'bad-list');
  }
  const other = columnsError(first) ?? (pathsOfArrays(first).length === 0 ? keyedByIdError(first) : undefined);
  if (other !== undefined) return other;
  const hint =
    arrays.length === 0
      ? 'A list is an array of entries, or an object with the array under a key such as "members". Name any other key with --records.'
      : `Name it: ${arrays.map((path) => `--records ${quoteForShell(path)}`).join(', or ')}`;
  return new UsageError('cannot find the list in the JSON', hint, 'bad-list');
}

/**
 * Rejects a text in which another array may be the list, too.
 *
 * @throws UsageError that names both, or the key that both have
 */
export function rejectSecondList({ listPath, members }: ListScanner, records: readonly string[] | undefined): void {
  if (listPath === undefined) return;
  const arrays = members.filter(({ type, text }) => type === 'array' && text !== '[]');
  if (arrays.some(({ path }) => path === listPath)) {
    throw new UsageError(`the key ${quote(listPath)} appears twice`, 'Join its arrays into one.', 'bad-list');
  }
  if (records !== undefined) return;
  const second = arrays.find(({ path }) => isListKey(lastKey(path)));
  if (second === undefined) return;
  throw new UsageError(
    `both ${quote(listPath)} and ${quote(second.path)} are arrays`,
    `Name the one to read: --records ${quoteForShell(listPath)}, or --records ${quoteForShell(second.path)}`,
    'bad-list',
  );
}

/** Keys that the objects of two arrays share if both are people: an ID and a name, for instance. */
const MIN_SHARED_KEYS = 2;

/**
 * Describes an array next to the list whose objects are like its entries, such as `guests` next to `users`; undefined if there is none.
 *
 * @param keys those of the first entry
 */
export function describeOtherList(
  { listPath, members }: Pick<ListScanner, 'listPath' | 'members'>,
  keys: readonly string[],
  utf8: Buffer,
): string | undefined {
  const arrays = members.filter(({ type, path }) => type === 'array' && path !== listPath);
  const other = arrays.find(({ path, text }) =>
    hasEntriesLike(text === undefined ? valueAtPath(parseFirst(utf8), path.split('.')) : JSON.parse(text), keys),
  );
  if (other === undefined) return undefined;
  return `${quote(other.path)} is an array of such objects, too (to read it: --records ${quoteForShell(other.path)})`;
}

/** Whether an array has an object that shares at least half of its keys with other objects. */
function hasEntriesLike(value: unknown, keys: readonly string[]): boolean {
  const entry: unknown = Array.isArray(value) ? value.find(isJsonObject) : undefined;
  if (!isJsonObject(entry)) return false;
  const own = Object.keys(entry);
  const shared = own.filter((key) => keys.includes(key)).length;
  return shared >= MIN_SHARED_KEYS && 2 * shared >= own.length;
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
