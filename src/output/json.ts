import { escapeJson } from './sanitize.ts';

/**
 * Renders a JSON value, indented by two spaces, with hidden characters escaped.
 *
 * @param indent spaces before it in a larger document
 */
export function renderJson(value: unknown, indent = 0): string {
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

/**
 * Renders a JSON value for a cell: strings unchanged, null and undefined as empty, a list of scalars joined by `, `, anything
 * else as compact JSON. The result is not sanitized.
 */
export function renderCell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every(isScalar)) return value.map(renderCell).join(', ');
  return JSON.stringify(value);
}

/**
 * Returns the leaves of `value`, which `parseJson` has read, by dotted name (`createdBy.user.email`), in order. Lists and empty
 * objects are leaves. If two paths have the same name, the first one wins.
 */
export function flatten(value: object): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const add = (name: string, member: unknown) => {
    if (isJsonObject(member) && Object.keys(member).length > 0)
      for (const [key, inner] of Object.entries(member)) add(`${name}.${key}`, inner);
    else if (!leaves.has(name)) leaves.set(name, member);
  };
  for (const [key, member] of Object.entries(value)) add(key, member);
  return leaves;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
