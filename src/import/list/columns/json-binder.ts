import { quote } from '../../../output/sanitize.ts';
import { leavesOf } from '../json/json-paths.ts';
import { type Binder, keysNamed, placeAt } from './binder.ts';

/** Finds the keys of JSON objects by their names, and what is within their values by dotted paths. */
export const JSON_BINDER: Binder = {
  noun: 'key',
  hasSameKeys: false,

  namesOf: (keys) => [...keys],

  find(wanted, keys) {
    const path = wanted.split('.');
    // A key within `profile` is exact, and so is a key with a dot as long as it may be one.
    const mayBeInner = path.length > 1 && keys.includes(path[0] ?? '');
    const found = keysNamed(wanted, keys, mayBeInner);
    if (found.length > 0 || path.length === 1) return found.map((at) => placeAt(keys, at));
    return [{ path, column: wanted }];
  },

  isReportColumn: () => false,

  missing: 'no entry has this key',
  describeAmbiguity: (first, second) => `both ${quote(first.column)} and ${quote(second.column)} have that name`,
  shownName: ({ column }) => quote(column),
  distinctName: ({ column }) => column,
  describeCleanup: () => 'rename the key',

  innerPaths: (fields) => fields.flatMap(({ wanted = '' }) => (wanted.includes('.') ? [wanted] : [])),

  /** Only values show whether a key is a column, or the keys within it are. */
  addUnreadKeys() {},

  addUnreadValues(record, { unread }, columns) {
    const keys = record.keys();
    for (const at of unread) {
      const key = keys[at] ?? '';
      for (const [path, text] of leavesOf(record.get(at), key)) columns.add(path, key, text.trim() !== '');
    }
  },

  /** A key of JSON that is blank or an object in different records is its inner keys. */
  isColumn: (name, names) => !names.some((other) => other.startsWith(`${name}.`)),
};
