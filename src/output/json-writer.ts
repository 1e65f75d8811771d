import { isJsonObject } from '../util/json/json-object.ts';
import { renderJson } from './json.ts';
import { escapeJson } from './sanitize.ts';

/** Values all at once, or in groups as they arrive. */
export type Groups<T> = readonly T[] | AsyncIterable<readonly T[]>;

export interface JsonTarget {
  write(text: string): Promise<void>;
  /** Whether the reader has exited, so the rest is not needed. */
  isClosed(): boolean;
}

/** Held back at first, so that an early failure leaves no incomplete document. */
const MAX_PENDING = 64 * 1024;

/**
 * Writes a value as one JSON document, formatted like `renderJson`. An array, and a member of an object that arrives in groups,
 * is written in constant memory. If its source throws, the document is incomplete, or not written at all if it is shorter than
 * 64 KiB.
 */
export async function writeJson(value: unknown, target: JsonTarget): Promise<void> {
  let pending: string | undefined = '';
  for await (const part of documentParts(value)) {
    if (target.isClosed()) return;
    if (pending === undefined) {
      await target.write(part);
      continue;
    }
    pending += part;
    if (pending.length < MAX_PENDING) continue;
    const first: string = pending;
    pending = undefined;
    await target.write(first);
  }
  await target.write(`${pending ?? ''}\n`);
}

async function* documentParts(value: unknown): AsyncGenerator<string> {
  if (isGroups(value)) yield* arrayParts(value, 0);
  else if (isJsonObject(value) && Object.values(value).some(isAsyncIterable)) yield* objectParts(value);
  else yield renderJson(value);
}

async function* objectParts(object: object): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}\n  ${escapeJson(JSON.stringify(name))}: `;
    if (isAsyncIterable(value)) yield* arrayParts(value, 2);
    else yield renderJson(value, 2);
    before = ',';
  }
  yield '\n}';
}

/** Yields the text of an array that starts after `indent` spaces. */
async function* arrayParts(groups: Groups<unknown>, indent: number): AsyncGenerator<string> {
  const start = `\n${' '.repeat(indent + 2)}`;
  let before = '[';
  for await (const group of isComplete(groups) ? slicesOf(groups) : groups) {
    let part = '';
    for (const value of group) {
      part += `${before}${start}${renderJson(value, indent + 2)}`;
      before = ',';
    }
    yield part;
  }
  yield before === '[' ? '[]' : `\n${' '.repeat(indent)}]`;
}

/** Values of a complete array that are rendered at a time. */
const SLICE = 100;

function* slicesOf(values: readonly unknown[]): Generator<readonly unknown[]> {
  for (let at = 0; at < values.length; at += SLICE) yield values.slice(at, at + SLICE);
}

/** Whether the values are there all at once. */
export function isComplete<T>(groups: Groups<T>): groups is readonly T[] {
  return Array.isArray(groups);
}

function isGroups(value: unknown): value is Groups<unknown> {
  return Array.isArray(value) || isAsyncIterable(value);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<readonly unknown[]> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
