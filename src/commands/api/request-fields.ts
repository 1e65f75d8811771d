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

type Tree = Map<string, unknown>;

/**
 * Builds an object from the fields: `a[b]=1` is `{"a":{"b":1}}`, `a[]=1` adds to a list.
 *
 * @throws UsageError for names that conflict, and for nested lists
 */
export function objectOf(fields: readonly RequestField[]): Record<string, unknown> {
  const root: Tree = new Map();
  for (const [name, value] of fields) put(root, name, value);
  return plain(root);
}

function put(root: Tree, name: string, value: unknown): void {
  const [, first, inner = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*(?:\[\])?)$/.exec(name) ?? [];
  if (first === undefined) {
    throw new UsageError(
      `"${name}" is not a valid field name`,
      'Write a, a[b] or a[]; pass anything else with --input.',
    );
  }
  const keys = [first, ...inner.split(/[[\]]+/).filter(Boolean)];
  const last = keys.pop() ?? '';
  const parent = keys.reduce((tree, key) => child(tree, key, name), root);
  const existing = parent.get(last);
  const list = inner.endsWith('[]') ? (existing ?? []) : undefined;
  if (list === undefined ? existing !== undefined : !Array.isArray(list)) throw conflictingFields(name);
  parent.set(last, Array.isArray(list) ? [...list, value] : value);
}

function child(tree: Tree, key: string, name: string): Tree {
  const existing = tree.get(key) ?? new Map<string, unknown>();
  if (!(existing instanceof Map)) throw conflictingFields(name);
  tree.set(key, existing);
  return existing;
}

function conflictingFields(name: string): UsageError {
  return new UsageError(`the field "${name}" conflicts with an earlier one`);
}

function plain(tree: Tree): Record<string, unknown> {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? plain(value) : value]));
}
