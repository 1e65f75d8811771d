import { NumberToken } from '../fields/number-token.ts';

/** Deeper values are one column. */
const MAX_PATH_DEPTH = 8;

/**
 * Returns the value at a path of keys, which may have dots of their own, and of numbers in arrays; undefined if there is none.
 */
export function valueAtPath(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let count = path.length; count > 0; count--) {
    const key = path.slice(0, count).join('.');
    if (!Object.hasOwn(value, key)) continue;
    const found = valueAtPath((value as Record<string, unknown>)[key], path.slice(count));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Yields the texts in a value with the paths that lead to them. Of an array, only the first element: it stands for all. */
export function* leavesOf(value: unknown, path: string, depth = 0): Generator<[path: string, text: string]> {
  if (typeof value !== 'object' || value === null || value instanceof NumberToken) {
    yield [path, value === null || value === undefined ? '' : String(value)];
    return;
  }
  const members = Array.isArray(value) ? [...value.slice(0, 1).entries()] : Object.entries(value);
  if (members.length === 0 || depth === MAX_PATH_DEPTH) yield [path, ''];
  else for (const [key, inner] of members) yield* leavesOf(inner, `${path}.${key}`, depth + 1);
}
