/** Matches what delimits keys in JSON text, and escapes. A pattern of entire strings would fail for very long ones. */
const MARK = /\\.|["{}[\]:]/gs;

/**
 * Returns a key that an object in JSON text has twice, at any level; undefined if there is none. `JSON.parse` takes the last
 * value of such a key, but another reader may take the first.
 *
 * @param json text that `JSON.parse` accepts
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let start: number | undefined;
  let string = '';
  for (const { 0: mark, index } of json.matchAll(MARK)) {
    if (start !== undefined) {
      if (mark !== '"') continue;
      string = json.slice(start, index + 1);
      start = undefined;
    } else if (mark === '"') {
      start = index;
    } else if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? new Set() : undefined);
    } else if (mark === ':') {
      const key = String(JSON.parse(string));
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    } else {
      open.pop();
    }
  }
  return undefined;
}
