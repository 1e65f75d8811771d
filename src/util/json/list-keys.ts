/** Keys under which services and directories return an array of records. */
const LIST_KEYS = new Set(
  (
    'findings members users people employees accounts data items results result records rows entries elements nodes ' +
    'resources values value content list'
  ).split(' '),
);

/** Keys of the objects that such an array may be in, in addition. */
const WRAPPER_KEYS = new Set('response payload body _embedded'.split(' '));

/** Whether an array under this key usually holds the records. */
export function isListKey(key: string): boolean {
  return LIST_KEYS.has(key.toLowerCase());
}

/** Whether an object under this key may hold such an array. */
export function isWrapperKey(key: string): boolean {
  return isListKey(key) || WRAPPER_KEYS.has(key.toLowerCase());
}
