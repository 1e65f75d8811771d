import { jsonMarks } from './json-marks.ts';

/**
 * Returns a key that an object in JSON text has twice, at any level; undefined if there is none. `JSON.parse` takes the last
 * value of such a key, but another reader may take the first.
 *
 * @param json text that `JSON.parse` accepts
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let start = 0;
  for (const { mark, index } of jsonMarks(json)) {
    if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? new Set() : undefined);
    } else if (mark === ':') {
      const key = String(JSON.parse(json.slice(start, index)));
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    } else if (mark !== ',') {
      open.pop();
    }
    start = index + 1;
  }
  return undefined;
}
