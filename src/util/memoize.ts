/** Returns a function that calls `create` at the first call, and returns its result at every call. */
export function memoize<T>(create: () => T): () => T {
  let created: { readonly result: T } | undefined;
  return () => {
    created ??= { result: create() };
    return created.result;
  };
}
