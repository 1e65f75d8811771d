import { quote, quoteAll, quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isListKey } from '../../../util/json/list-keys.ts';
import type { ListScanner, ScannedMember } from '../../../util/json/list-scanner.ts';

/** Returns the error for a JSON text in which no list was found, with the arrays that the scanner has seen. */
export function listNotFoundError({ members }: ListScanner, records: readonly string[] | undefined): UsageError {
  const arrays = [...new Set(members.filter(({ type }) => type === 'array').map(({ path }) => path))];
  if (records !== undefined) {
    const hint =
      arrays.length === 0
        ? 'Name the keys that lead to the array, with dots between them: --records data.members'
        : arrays.includes('')
          ? 'The array is at the top level: leave out --records.'
          : `orgadm found arrays at ${quoteAll(arrays)}.`;
    return new UsageError(`--records ${records.join('.')}: there is no array at this path`, hint, 'bad-list');
  }
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

const MORE_KEYS = new Set(
  'nextlink nextpagetoken nextpage nextcursor nexttoken continuationtoken next hasmore hasnextpage incomplete'.split(
    ' ',
  ),
);
const TOTAL_KEYS = new Set('total totalcount totalresults totalitems totalsize'.split(' '));

/** Describes the value next to a list of `count` elements that says there are more; undefined if none does. */
export function describeMore(members: readonly ScannedMember[], count: number): string | undefined {
  for (const { path, type, text } of members) {
    if (type !== 'scalar' || text === undefined) continue;
    const key = (path.split(/[.@]/).at(-1) ?? '').toLowerCase().replace(/[_-]/g, '');
    const value: unknown = JSON.parse(text);
    const more = MORE_KEYS.has(key) && value !== null && value !== false && value !== '';
    const total = TOTAL_KEYS.has(key) && typeof value === 'number' && value > count;
    if (more || total) return `${quote(path)} is ${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`;
  }
  return undefined;
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
