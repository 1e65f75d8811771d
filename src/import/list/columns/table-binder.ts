import { quote } from '../../../output/sanitize.ts';
import { HIDDEN_CHARACTER } from '../../../util/hidden-characters.ts';
import { sendableText } from '../../../util/visible-text.ts';
import { isInversion } from '../../mapping.ts';
import { isErrorsFile, MEMBER_FIELDS } from '../../new-member.ts';
import { type Binder, keysNamed, type Place, placeAt } from './binder.ts';

/** The number of a column: `#3`. */
const NUMBER = /^#([1-9]\d{0,5})$/;

/** Whether a name in a mapping is the number of a column, which says nothing about its name. */
export function isColumnNumber(name: string): boolean {
  return NUMBER.test(name);
}

/** Finds the columns of a table by their names and their numbers. */
export const TABLE_BINDER: Binder = {
  noun: 'column',
  hasSameKeys: true,

  /** A column whose name is blank, not unique, a number, has hidden characters, or would invert another one only has its number. */
  namesOf(keys) {
    const names = keys.map(sendableText);
    const counts = new Map<string, number>([['', 2]]);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const isUsable = (name: string) =>
      counts.get(name) === 1 && !HIDDEN_CHARACTER.test(name) && !isInversion(name) && !NUMBER.test(name);
    return names.map((name, at) => (isUsable(name) ? name : `#${at + 1}`));
  },

  find(wanted, keys) {
    const numbered = Number(NUMBER.exec(wanted)?.[1] ?? 0) - 1;
    const found = new Set([...keysNamed(wanted, keys), ...(numbered in keys ? [numbered] : [])]);
    return Array.from(found, (at) => placeAt(keys, at));
  },

  isReportColumn: (keys, at) => at >= MEMBER_FIELDS.length && isErrorsFile(keys),

  missing: 'no column has this name',
  describeAmbiguity: (first, second) =>
    `columns ${numberOf(first)} and ${numberOf(second)} both have that name (name one by its number: #${numberOf(first)})`,
  shownName: (place) => `${quote(place.column)} (column ${numberOf(place)})`,
  distinctName: (place) => `#${numberOf(place)}`,
  describeCleanup: (place) => `remove it, or name the column by its number: #${numberOf(place)}`,

  innerPaths: () => [],

  addUnreadKeys(keys, { names, unread }, columns) {
    for (const at of unread) {
      const key = keys[at] ?? '';
      if (key.trim() !== '') columns.add(names[at] ?? '', key, true);
    }
  },

  /** A column without a name is one if a row has a value there. */
  addUnreadValues(record, { names, unread }, columns) {
    const keys = record.keys();
    for (const at of unread) {
      const key = keys[at] ?? '';
      if (key.trim() === '' && String(record.get(at) ?? '').trim() !== '') columns.add(names[at] ?? '', key, true);
    }
  },

  isColumn: (name) => !name.startsWith('#'),
};

function numberOf({ path }: Place): number {
  return Number(path) + 1;
}
