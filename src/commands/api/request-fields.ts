import { UsageError } from '../../util/errors.ts';

/** A field `name=value`. */
type RequestField = [name: string, value: string];

/** Parses `-f name=value`. Throws UsageError without a name. */
export function parseField(text: string): RequestField {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form <name>=<value>`, 'For example: -f scope=people');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Returns the fields as the members of a JSON object.
 *
 * @throws UsageError for names that appear twice, and for names with brackets, which other programs read as nested values
 */
export function objectOf(fields: readonly RequestField[]): Record<string, string> {
  const members = new Map<string, string>();
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
