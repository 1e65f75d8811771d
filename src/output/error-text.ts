import type { OrgadmError } from '../util/errors.ts';
import { escapeJson } from './sanitize.ts';
import { indentedText, style, type Text, text } from './text.ts';

/** Returns an error as people read it: its message and its hint. */
export function errorText({ code, message, hint }: OrgadmError): Text {
  // That is what the user asked for.
  if (code === 'canceled') return indentedText(message);
  const error = text`${style.error(text`error:`)} ${indentedText(message)}`;
  return hint === undefined ? error : text`${error}\n${hintText(hint)}`;
}

/** Returns the hint of an error as people read it. */
export function hintText(hint: string): Text {
  return text`${style.strong(text`hint:`)} ${indentedText(hint)}`;
}

/** Renders an error as one line of JSON, without a line break. */
export function renderErrorJson(error: OrgadmError, stack: string | undefined): string {
  const { code, message, hint, status, requestId } = error;
  return escapeJson(JSON.stringify({ error: { code, message, hint, status, requestId, stack } }));
}

/** Returns the stack of an error, and those of its causes. They are untrusted. */
export function stacksOf(error: Error): string[] {
  // The loop also visits what is added meanwhile. A set holds each error once, even if an error is its own cause.
  const errors = new Set<unknown>([error]);
  for (const one of errors) {
    if (one instanceof AggregateError) for (const inner of one.errors) errors.add(inner);
    if (one instanceof Error && one.cause !== undefined) errors.add(one.cause);
  }
  return [...errors].map((one, at) => `${at === 0 ? '' : 'caused by: '}${describe(one)}`);
}

function describe(value: unknown): string {
  if (!(value instanceof Error)) return String(value);
  return value.stack ?? `${value.name}: ${value.message}`;
}
