import { UsageError } from '../../util/errors.ts';

/** A field `name=value`. */
export type RequestField = readonly [name: string, value: unknown];

/** Parses `-f name=value` with a string value. Throws UsageError without a name. */
export function rawField(text: string): readonly [name: string, value: string] {
  return splitField(text, '-f scope=people');
}

function splitField(text: string, example: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form <name>=<value>`, `For example: ${example}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Parses `-F name=value`: true, false, null, and integers are typed. Throws UsageError without a name. */
export function typedField(text: string): RequestField {
  const [name, value] = splitField(text, '-F limit=10');
  if (/^(true|false|null)$/.test(value)) return [name, JSON.parse(value)];
  const isNumber = /^(0|-?[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));
  return [name, isNumber ? Number(value) : value];
}

/** Returns the fields as query parameters; null is empty. */
export function queryOf(fields: readonly RequestField[]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, value === null ? '' : String(value)]);
}

/**
 * Returns the fields as the members of a JSON object.
 *
 * @throws UsageError for names that appear twice, and for names with brackets, which other programs read as nested values
 */
export function objectOf(fields: readonly RequestField[]): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, value] of fields) {
    if (/[[\]]/.test(name)) {
      throw new UsageError(`"${name}" cannot be a field of the body`, 'To send nested values, use --input.');
    }
    if (members.has(name)) {
      throw new UsageError(`the field "${name}" appears more than once`, 'To send a list, use --input.');
    }
    members.set(name, value);
  }
  return Object.fromEntries(members);
}
