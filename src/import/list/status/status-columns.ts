import { countOf } from '../../../util/units.ts';
import { readBooleanWord } from '../field-value.ts';
import { quote } from '../list-row.ts';
import { latestDay } from './dates.ts';
import { isLeaverWord, type PersonStatus, statusOfWord } from './status-words.ts';
import type { UnreadColumn, ValueUse } from './unread-columns.ts';

/** A column that says, or may say, whether a person is active. */
export interface StatusColumn {
  readonly column: UnreadColumn;
  /** The meaning of each value; undefined if it may mean anything. */
  readonly readings: ReadonlyMap<string, PersonStatus | undefined>;
  /** Whether its name is that of a person's status, and --map with --map-value can read it. */
  readonly isReadable: boolean;
  /** People who are not active by this column, but count as active. */
  readonly contradicted: ValueUse;
}

/** Returns the columns that say, or may say, whether a person is active, by their names and values. */
export function findStatusColumns(columns: Iterable<UnreadColumn>): StatusColumn[] {
  return [...columns].flatMap((column) => readStatusColumn(column) ?? []);
}

function readStatusColumn(column: UnreadColumn): StatusColumn | undefined {
  if (column.filled === 0) return undefined;
  const { values, pastDays, statusName } = column;
  const readings = new Map([...values.keys()].map((text) => [text, readStatus(column, text)]));
  if (!isStatus(column, readings)) return undefined;
  const isExact = ['status', 'state', 'active', 'inactive', 'control'].includes(statusName ?? '');
  const isUnderstood = [...readings.values()].some((reading) => reading !== undefined);
  // --map-value cannot translate a value with "=" in it.
  const hasEquals = [...readings.keys()].some((text) => text.includes('='));
  return {
    column,
    readings,
    isReadable: isExact && isUnderstood && !hasEquals && !column.hasManyValues && pastDays.rows === 0,
    contradicted: sum([
      pastDays,
      ...[...values].filter(([text]) => readings.get(text) === 'inactive').map(([, use]) => use),
    ]),
  };
}

/** Whether the column is about the status of people: its name may also be that of a province, or of a license. */
function isStatus(
  { statusName, pastDays }: UnreadColumn,
  readings: ReadonlyMap<string, PersonStatus | undefined>,
): boolean {
  const texts = [...readings.keys()];
  const isUnderstood = [...readings.values()].some((reading) => reading !== undefined);
  if (pastDays.rows > 0) return true;
  switch (statusName) {
    case 'status':
      return true;
    case 'state':
      return isUnderstood || texts.every((text) => /^\d+$/.test(text));
    case 'active':
    case 'inactive':
      return !texts.every((text) => latestDay(text) !== undefined);
    case 'leaving':
      // A text that is not a day, such as a serial number, may be one in the past.
      return texts.some((text) => latestDay(text) === undefined);
    case undefined:
      return texts.length > 0 && [...readings.values()].every(Boolean) && texts.some(isLeaverWord);
    default:
      return isUnderstood;
  }
}

const DISABLED_ACCOUNT = 2;

/** Reads the status of a person from a value; undefined if it may mean anything. */
function readStatus({ statusName }: UnreadColumn, text: string): PersonStatus | undefined {
  if (statusName === 'control') {
    if (!/^\d+$/.test(text)) return undefined;
    return (Number(text) & DISABLED_ACCOUNT) === 0 ? 'active' : 'inactive';
  }
  const word = statusOfWord(text);
  const boolean = readBooleanWord(text);
  if (word !== undefined || boolean === undefined) return word;
  switch (statusName) {
    case 'active':
    case 'related-active':
      return boolean ? 'active' : 'inactive';
    case 'inactive':
    case 'related-inactive':
      return boolean ? 'inactive' : 'active';
    case 'status':
    case 'state':
      // A digit or a letter is a code of its own: T may be true or terminated, and 0 the first of several.
      return text.length === 1 ? undefined : boolean ? 'active' : 'inactive';
    default:
      return undefined;
  }
}

function sum(uses: readonly ValueUse[]): ValueUse {
  return {
    rows: uses.reduce((total, { rows }) => total + rows, 0),
    activeRows: uses.reduce((total, { activeRows }) => total + activeRows, 0),
    activePlaces: uses
      .flatMap(({ activePlaces }) => activePlaces)
      .sort((a, b) => a - b)
      .slice(0, 5),
  };
}

/** Renders `orgadm treats 3 people as active, although column "Suspended" says otherwise (lines 4, 7, 9)`. */
export function describeContradiction({ column, contradicted }: StatusColumn): string {
  const { activeRows, activePlaces } = contradicted;
  const singular = { lines: 'line', entries: 'entry' }[column.places];
  const people = countOf(activeRows, 'person', 'people');
  const places = activeRows === 1 ? singular : column.places;
  const listed = activePlaces.join(', ') + (activeRows > activePlaces.length ? ', …' : '');
  return `orgadm treats ${people} as active, although column ${quote(column.name)} says otherwise (${places} ${listed})`;
}

/** Whether orgadm treats people as active who are not active by a column. */
export function isContradicted({ contradicted }: StatusColumn): boolean {
  return contradicted.activeRows > 0;
}

/** Whether a column has values of unknown meaning. */
export function isAmbiguous({ column, readings }: StatusColumn): boolean {
  return column.hasManyValues || [...readings.values()].some((reading) => reading === undefined);
}
