import { UsageError } from '../../util/errors.ts';

/** A field as it was given: `name=value`. */
export type RequestField = readonly [name: string, value: unknown];

/** Reads `-f name=value`: the value is text. Throws UsageError without a name. */
export function rawField(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Reads `-F name=value`: true, false, null and whole numbers are what they look like, `@file` is the text of a file.
 *
 * @param readKeyText reads the file; `-` is standard input
 */
export async function typedField(text: string, readText: (file: string) => Promise<string>): Promise<RequestField> {
  const [name, value] = rawField(text);
  if (value.startsWith('@')) return [name, await readText(value.slice(1))];
  if (/^(true|false|null)$/.test(value)) return [name, JSON.parse(value)];
  const isNumber = /^(0|-?[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));
  return [name, isNumber ? Number(value) : value];
}

/** The fields as pairs of a query; null is blank. */
export function queryOf(fields: readonly RequestField[]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, value === null ? '' : String(value)]);
}

type Tree = Map<string, unknown>;

/**
 * The fields as the object that a request carries: `a[b]=1` is `{"a":{"b":1}}`, `a[]=1` adds to a list.
 *
 * @throws UsageError for names that contradict each other, and for deeper lists
 */
export function objectOf(fields: readonly RequestField[]): Record<string, unknown> {
  const root: Tree = new Map();
  for (const [name, value] of fields) put(root, name, value);
  return plain(root);
}

function put(root: Tree, name: string, value: unknown): void {
  const [, first, inner = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*(?:\[\])?)$/.exec(name) ?? [];
  if (first === undefined) {
    throw new UsageError(`"${name}" is not the name of a field`, 'Write a, a[b] or a[]; give the rest with --input.');
  }
  const keys = [first, ...inner.split(/[[\]]+/).filter(Boolean)];
  const last = keys.pop() ?? '';
  const parent = keys.reduce((tree, key) => child(tree, key, name), root);
  if (inner.endsWith('[]')) {
    const list = parent.get(last) ?? [];
    if (!Array.isArray(list)) throw conflictingFields(name);
    parent.set(last, [...list, value]);
  } else {
    if (parent.has(last)) throw conflictingFields(name);
    parent.set(last, value);
  }
}

function child(tree: Tree, key: string, name: string): Tree {
  const there = tree.get(key) ?? new Map<string, unknown>();
  if (!(there instanceof Map)) throw conflictingFields(name);
  tree.set(key, there);
  return there;
}

function conflictingFields(name: string): UsageError {
  return new UsageError(`the field "${name}" contradicts one before it`);
}

function plain(tree: Tree): Record<string, unknown> {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? plain(value) : value]));
}
