/** Matches a string, or one character of the structure. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;

/**
 * Returns the text of each element of an array in a JSON text, as it was written: numbers, the order of keys, and escapes.
 *
 * @param json valid JSON
 * @param path the keys that lead to the array, none for the text itself; if a key occurs twice, the last one counts, as for
 *   `JSON.parse`
 */
export function elementTexts(json: string, path: readonly string[]): string[] {
  let texts: string[] = [];
  /** The keys of the objects around a token. Undefined for an array, and for an object before its first key. */
  const keys: (string | undefined)[] = [];
  const isObject: boolean[] = [];
  let isKey = false;
  /** The depth of the array whose elements are collected, and where the present element starts. */
  let depth = 0;
  let start = 0;
  const collect = (end: number) => {
    const element = json.slice(start, end).trim();
    if (element !== '') texts.push(element);
    start = end + 1;
  };
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      const isList = token === '[' && keys.length === path.length && path.every((key, at) => keys[at] === key);
      keys.push(undefined);
      isObject.push(token === '{');
      isKey = token === '{';
      if (isList) [texts, depth, start] = [[], keys.length, index + 1];
    } else if (token === '}' || token === ']') {
      if (keys.length === depth) {
        collect(index);
        depth = 0;
      }
      keys.pop();
      isObject.pop();
    } else if (token === ',') {
      if (keys.length === depth) collect(index);
      isKey = isObject.at(-1) ?? false;
    } else if (isKey) {
      // Keys within elements do not matter.
      if (depth === 0) keys[keys.length - 1] = JSON.parse(token) as string;
      isKey = false;
    }
  }
  return texts;
}
