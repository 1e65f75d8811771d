import type { OrgadmError } from '../util/errors.ts';
import { escapeJson } from './sanitize.ts';
import { indentedText, style, type Text, text } from './text.ts';

/** Returns an error as people read it: its message and its hint. */
export function errorText({ message, hint }: OrgadmError): Text {
  const error = text`${style.error(text`error:`)} ${indentedText(message)}`;
  return hint === undefined ? error : text`${error}\n${style.strong(text`hint:`)} ${indentedText(hint)}`;
}

/** Renders an error as one line of JSON, without a line break. */
export function renderErrorJson(error: OrgadmError, stack: string | undefined): string {
  const { code, message, hint, status, requestId } = error;
  return escapeJson(JSON.stringify({ error: { code, message, hint, status, requestId, stack } }));
}

/** Errors in the stack of one. */
const MAX_CAUSES = 10;

/** Returns the stack of an error, and those of its causes, of 10 errors at most. They are untrusted. */
export function stacksOf(error: Error): string[] {
  const seen = new Set<unknown>();
  const stacks: string[] = [];
  const open: unknown[] = [error];
  for (let next = open.shift(); next !== undefined && stacks.length < MAX_CAUSES; next = open.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    stacks.push(`${stacks.length === 0 ? '' : 'caused by: '}${describe(next)}`);
    if (next instanceof AggregateError) open.push(...next.errors);
    if (next instanceof Error && next.cause !== undefined) open.push(next.cause);
  }
  return stacks;
}

function describe(value: unknown): string {
  if (!(value instanceof Error)) return String(value);
  return value.stack ?? `${value.name}: ${value.message}`;
}
