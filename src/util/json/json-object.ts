/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the leaves of `value`, which `parseJson` has read, by dotted name (`createdBy.user.email`), in order. Lists and empty
 * objects are leaves. If two paths have the same name, the first one wins.
 */
export function flatten(value: object): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const add = (name: string, member: unknown) => {
    if (isJsonObject(member) && Object.keys(member).length > 0)
      for (const [key, inner] of Object.entries(member)) add(`${name}.${key}`, inner);
    else if (!leaves.has(name)) leaves.set(name, member);
  };
  for (const [key, member] of Object.entries(value)) add(key, member);
  return leaves;
}
