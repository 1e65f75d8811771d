/**
 * Matches a text that only stands for a value: `$NAME`, `${NAME}`, `$(command)`, `{{ name }}`, `%NAME%`, and `<placeholder>`. It
 * matches nothing but whole texts, because a key may have any character.
 */
const REFERENCE = /^\$[A-Z_][A-Z0-9_]*$|^(?:\$?\{\{.*\}\}|\$\{.*\}|\$\(.*\)|%.+%|<.+>)$/s;

/** Whether a text is a reference that a shell or a CI service should have resolved. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** Whether a text is what jq, JavaScript, or Python print for a value that does not exist. */
export function isPrintedNothing(text: string): boolean {
  return text === 'null' || text === 'undefined' || text === 'None';
}
