import { readBooleanWord } from '../field-value.ts';
import type { FieldSource, ListOptions } from '../list-options.ts';
import { quote, quoteAll } from '../list-row.ts';
import { describeContradiction, isContradicted, type StatusColumn } from '../status/status-columns.ts';
import { type PersonStatus, statusOfWord } from '../status/status-words.ts';
import type { UnreadColumn } from '../status/unread-columns.ts';
import { PLACEHOLDERS } from './placeholders.ts';
import type { SuggestedMapping, Suggestion } from './suggested-mapping.ts';

/**
 * Returns a suggestion in which the user chooses the column that says who is active, because other columns contradict the
 * suggested one. Returns no mapping if the user has chosen already.
 *
 * @param contradicting the other columns
 */
export function leaveStatusOpen(
  { mapping, advice }: Suggestion,
  contradicting: readonly StatusColumn[],
  options: ListOptions,
): { mapping: SuggestedMapping | undefined; advice: readonly string[] } {
  const contradictions = contradicting.filter(isContradicted).map(describeContradiction);
  const others = contradicting.filter((status) => !isContradicted(status));
  const reasons = others.length === 0 ? contradictions : [...contradictions, describeStatusColumns(others)];
  if (options.map.has('isActive')) return { mapping: undefined, advice: [...advice, ...reasons, KEEP_CHOICE] };
  const open: SuggestedMapping = {
    ...mapping,
    map: new Map([...mapping.map, ['isActive', { name: PLACEHOLDERS.column, isInverted: false }]]),
    statuses: new Map(),
  };
  return { mapping: open, advice: [...advice, ...reasons, CHOOSE_STATUS] };
}

const CHOOSE_STATUS =
  'Choose the column that says who is active: --map isActive=<column>, with "!" before the name of a column such as "Suspended". If everyone is active, use --default isActive=true instead.';
const READ_DAYS = "If the column has the dates when people left, add --map-value 'isActive:*=false'.";
const KEEP_CHOICE = 'Correct the list, or map isActive to another column.';

/** Returns the source and translations of isActive, with placeholders for uncertain values. */
export function suggestStatus(columns: readonly StatusColumn[]): {
  source?: FieldSource;
  translations: ReadonlyMap<string, string>;
  advice: readonly string[];
} {
  const [status, ...others] = columns;
  if (status === undefined) return { translations: new Map(), advice: [] };
  if (others.length > 0 || !status.isReadable) {
    const source = { name: PLACEHOLDERS.column, isInverted: false };
    const advice = columns.some(({ column }) => hasDaysOnly(column)) ? [CHOOSE_STATUS, READ_DAYS] : [CHOOSE_STATUS];
    return { source, translations: new Map(), advice: [describeStatusColumns(columns), ...advice] };
  }
  const { column, readings } = status;
  const isInverted = column.statusName === 'inactive' && [...readings.keys()].some(isPlainBoolean);
  const ambiguous = [...readings.keys()].filter((text) => readings.get(text) === undefined);
  const advice = `Decide which of these values of ${quote(column.name)} mean active: ${quoteAll(ambiguous)}`;
  return {
    source: { name: column.name, isInverted },
    translations: translationsOf(readings, isInverted),
    advice: ambiguous.length === 0 ? [] : [advice],
  };
}

/** Whether all values of a column are days on which people left. */
export function hasDaysOnly({ pastDays, values }: UnreadColumn): boolean {
  return pastDays.rows > 0 && values.size === 0;
}

const isPlainBoolean = (text: string) => readBooleanWord(text) !== undefined && statusOfWord(text) === undefined;

/** Returns translations for the values of a status that `readValue` does not read as what they say. */
function translationsOf(readings: StatusColumn['readings'], isInverted: boolean): Map<string, string> {
  const isRead = (text: string, reading: PersonStatus | undefined) => {
    const boolean = readBooleanWord(text);
    return boolean !== undefined && reading !== undefined && (boolean !== isInverted) === (reading === 'active');
  };
  const all = [...readings];
  if (all.every(([text, reading]) => isRead(text, reading))) return new Map();
  // Next to a translation, a single letter is not a boolean, see `readValue`.
  const needed = all.filter(([text, reading]) => !isRead(text, reading) || /^[a-z]$/i.test(text));
  // Of texts that differ in case, one is enough.
  const byLowerCase = new Map(needed.map(([text, reading]) => [text.toLowerCase(), [text, reading] as const]));
  return new Map(
    [...byLowerCase.values()].map(([text, reading]) => [
      text,
      reading === undefined ? PLACEHOLDERS.isActive : String(reading === 'active'),
    ]),
  );
}

function describeStatusColumns(columns: readonly StatusColumn[]): string {
  return `Columns that may say who is active: ${columns.map(({ column }) => describeValues(column)).join(', ')}`;
}

/** Renders a column and its values: `"state" ("ACTIVATED", "SUSPENDED")`. */
function describeValues({ name, values, hasManyValues, pastDays }: UnreadColumn): string {
  if (hasManyValues || values.size === 0) return `${quote(name)}${pastDays.rows > 0 ? ' (dates in the past)' : ''}`;
  return `${quote(name)} (${quoteAll(values.keys())})`;
}
