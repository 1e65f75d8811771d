import type { OrgadmError } from '../util/errors.ts';
import { cleanBlock, escapeJson } from './sanitize.ts';
import type { Style } from './style.ts';

const MAX_CAUSES = 10;

/** An error for people: `error: message`, the hint on a line of its own, under debug the stack and its causes. */
export function renderErrorText(error: OrgadmError, options: { debug: boolean; style: Style }): string {
  const { error: bad, dim } = options.style;
  const lines = [`${bad('error:')} ${cleanBlock(error.message)}`];
  if (error.hint !== undefined) lines.push(dim(`hint: ${cleanBlock(error.hint)}`));
  if (options.debug) lines.push(dim(cleanBlock(stackOf(error))));
  return `${lines.join('\n')}\n`;
}

/** An error for scripts: one line of JSON. Members without a value are left out; `stack` is there under debug only. */
export function renderErrorJson(error: OrgadmError, options: { debug: boolean }): string {
  const { code, message, hint, status, requestId } = error;
  const stack = options.debug ? stackOf(error) : undefined;
  return `${escapeJson(JSON.stringify({ error: { code, message, hint, status, requestId, stack } }))}\n`;
}

function stackOf(error: Error): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  const open: unknown[] = [error];
  for (let next = open.shift(); next !== undefined && parts.length < MAX_CAUSES; next = open.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    parts.push(`${parts.length === 0 ? '' : 'caused by: '}${describe(next)}`);
    if (next instanceof AggregateError) open.push(...next.errors);
    if (next instanceof Error && next.cause !== undefined) open.push(next.cause);
  }
  return parts.join('\n');
}

function describe(value: unknown): string {
  if (!(value instanceof Error)) return String(value);
  return value.stack ?? `${value.name}: ${value.message}`;
}
