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

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
