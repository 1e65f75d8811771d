import { isJsonObject } from '../util/json-object.ts';

/** Deeper objects stay one value: no list of findings is that deep, and a hostile one must not cost more than this. */
const MAX_DEPTH = 16;

/**
 * How a JSON value stands in a cell: text as it is, null and undefined as nothing, a list of scalars joined by `, `,
 * anything else as compact JSON. The result is not yet safe for a terminal.
 */
export function renderCell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every(isScalar)) return value.map(renderCell).join(', ');
  return compactJson(value);
}

/**
 * The leaves of `value` by dotted name (`createdBy.user.email`), in the order in which they stand. Only own keys;
 * lists and empty objects are leaves, and so is what lies deeper than 16 levels. When two paths spell the same name,
 * the first one counts.
 */
export function flatten(value: object): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const open: Entry[] = [];
  pushMembers(open, value, '', 1);
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (entry.depth < MAX_DEPTH && isJsonObject(entry.value) && Object.keys(entry.value).length > 0) {
      pushMembers(open, entry.value, `${entry.name}.`, entry.depth + 1);
    } else if (!leaves.has(entry.name)) {
      leaves.set(entry.name, entry.value);
    }
  }
  return leaves;
}

interface Entry {
  name: string;
  value: unknown;
  depth: number;
}

/** Last key first, for the stack in `flatten` to take them in their own order. */
function pushMembers(open: Entry[], value: object, prefix: string, depth: number): void {
  for (const [key, member] of Object.entries(value).reverse()) open.push({ name: prefix + key, value: member, depth });
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function compactJson(value: object): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // JSON.parse takes any depth, JSON.stringify does not.
    if (error instanceof RangeError) return '(nested too deeply to show)';
    throw error;
  }
}
