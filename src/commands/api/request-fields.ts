import { UsageError } from '../../util/errors.ts';

/** A field `name=value`. */
export type RequestField = readonly [name: string, value: unknown];

/** Parses `-f name=value` with a string value. Throws UsageError without a name. */
export function rawField(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form <name>=<value>`, 'For example: -f scope=people');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Parses `-F name=value`: true, false, null, and integers are typed, `@file` is the content of a file.
 *
 * @param readText reads the file; `-` is standard input
 */
export async function typedField(text: string, readText: (file: string) => Promise<string>): Promise<RequestField> {
  const [name, value] = rawField(text);
  if (value.startsWith('@')) return [name, await readText(value.slice(1))];
  if (/^(true|false|null)$/.test(value)) return [name, JSON.parse(value)];
  const isNumber = /^(0|-?[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));
  return [name, isNumber ? Number(value) : value];
}

/** Returns the fields as query parameters; null is empty. */
export function queryOf(fields: readonly RequestField[]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, value === null ? '' : String(value)]);
}

/**
 * Builds an object from the fields: `a[b]=1` is `{"a":{"b":1}}`, `a[]=1` adds to a list.
 *
 * @throws UsageError for names that conflict or nest deeper
 */
export function objectOf(fields: readonly RequestField[]): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, value] of fields) {
    const [, first, inner] = /^([^[\]]+)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
    if (first === undefined) {
      throw new UsageError(
        `"${name}" is not a valid field name`,
        'Write a, a[b], or a[]. To send anything else, use --input.',
      );
    }
    members.set(first, withField(members.get(first), inner, value, name));
  }
  return Object.fromEntries(
    [...members].map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

/** Returns the value of a member with a further field: a list, a map, or the value of the field itself. */
function withField(existing: unknown, inner: string | undefined, value: unknown, name: string): unknown {
  if (inner === undefined && existing === undefined) return value;
  if (inner === '' && (existing === undefined || Array.isArray(existing))) return [...(existing ?? []), value];
  if (inner && existing === undefined) return new Map([[inner, value]]);
  if (inner && existing instanceof Map && !existing.has(inner)) return existing.set(inner, value);
  throw new UsageError(`the field "${name}" conflicts with an earlier one`);
}
