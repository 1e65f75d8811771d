import { escapeJson } from './sanitize.ts';

/** Renders a JSON document, indented by two spaces and ended by `\n`, with hidden characters escaped. */
export function renderJson(value: unknown): string {
  return `${renderJsonText(value, 0)}\n`;
}

/** Renders a value within a larger document, after `indent` spaces. */
export function renderJsonText(value: unknown, indent: number): string {
  // Line breaks in strings are escaped already.
  return escapeJson(JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Renders one line of newline-delimited JSON. */
export function renderJsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deeper objects remain one value, as a limit for hostile responses. */
const MAX_DEPTH = 16;

/**
 * Renders a JSON value for a cell: strings unchanged, null and undefined as empty, a list of scalars joined by `, `, anything
 * else as compact JSON. The result is not sanitized.
 */
export function renderCell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every(isScalar)) return value.map(renderCell).join(', ');
  return compactJson(value);
}

/**
 * Returns the leaves of `value` by dotted name (`createdBy.user.email`), in order. Lists, empty objects and values deeper
 * than 16 levels are leaves. If two paths have the same name, the first one wins.
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

/** Pushes the last key first, so that the stack in `flatten` returns them in order. */
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
    // JSON.parse accepts any depth, JSON.stringify does not.
    if (error instanceof RangeError) return '(nested too deeply to show)';
    throw error;
  }
}
