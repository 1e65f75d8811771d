export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** "property x should not exist" for each key that is not among the known ones. */
export function unknownProperties(value: JsonObject, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `property ${key} should not exist`);
}
