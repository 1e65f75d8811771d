/** A string, or a mark that follows a key or begins or ends an object or array. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** An object or array that is open at a place in a text. */
interface OpenContainer {
  readonly keys: Set<string>;
  /** The keys that lead to it, with a dot after each. */
  readonly path: string;
  /** The last key of an object; empty in an array. */
  key: string;
}

/**
 * Returns the dotted path of a key that an object has twice, at any depth: `JSON.parse` silently keeps the last of them.
 *
 * @param text valid JSON
 * @param value the same, parsed
 */
export function findDuplicateKey(text: string, value: unknown): string | undefined {
  // Each key has a colon: a text with no more colons than keys has no duplicate key.
  if (text.split(':').length - 1 === countKeys(value)) return undefined;
  const open: OpenContainer[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{' || token === '[') {
      const path = inner === undefined || inner.key === '' ? (inner?.path ?? '') : `${inner.path}${inner.key}.`;
      open.push({ keys: new Set(), path, key: '' });
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token !== ':') {
      last = token;
    } else if (inner !== undefined) {
      inner.key = String(JSON.parse(last));
      if (inner.keys.has(inner.key)) return inner.path + inner.key;
      inner.keys.add(inner.key);
    }
  }
  return undefined;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  const inner = members.reduce((sum: number, member) => sum + countKeys(member), 0);
  return Array.isArray(value) ? inner : members.length + inner;
}
