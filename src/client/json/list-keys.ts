/** Names under which services put the list that was asked for. */
const LISTS = new Set(
  'data items findings results records rows entries elements nodes content list value values members'.split(' '),
);

/** Names of objects that services wrap such a list in. */
const WRAPPERS = new Set('data result results response payload body content findings _embedded'.split(' '));

/** Names of lists that only stand beside it. */
const METADATA_KEYS = new Set(
  'errors warnings messages notices links _links included meta metadata facets filters aggregations sort fields'.split(
    ' ',
  ),
);

/** Wrappers within wrappers are looked into as long as there are fewer than this many. */
export const MAX_WRAPPERS = 3;

/** Whether an array under this key is the list, whatever its elements are. */
export function isListKey(key: string): boolean {
  return LISTS.has(key.toLowerCase());
}

/** Whether the list may stand within the object under this key. */
export function isWrapperKey(key: string): boolean {
  return WRAPPERS.has(key.toLowerCase());
}

/** Whether an array under this key is certainly not the list. */
export function isMetadataKey(key: string): boolean {
  return METADATA_KEYS.has(key.toLowerCase());
}
