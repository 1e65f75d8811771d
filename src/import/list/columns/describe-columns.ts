import { cleanLine, quote, quoteAll } from '../../../output/sanitize.ts';
import { cutToWidth, displayWidth } from '../../../output/table.ts';
import { UsageError } from '../../../util/errors.ts';
import { showHidden } from '../../../util/hidden-characters.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import { sendableText } from '../../../util/visible-text.ts';
import type { Binder } from './binder.ts';
import type { Decisions } from './decisions.ts';

/** A column of a list, or a key of its JSON, with a sample of its values. */
export interface SampledColumn {
  /** The name for --map: a column, the number of one whose name cannot be used (`#3`), a key, or a dotted path. */
  readonly name: string;
  /** Its name in the list. */
  readonly title: string;
  /** The number of a column of a table, from 1. */
  readonly number: number | undefined;
  /** Its first different values. */
  readonly values: readonly string[];
  /** Whether it has more different values. */
  readonly hasMore: boolean;
  /** Rows in which it is blank. */
  readonly blank: number;
  /** Whether all of its values look like email addresses. */
  readonly hasAddresses: boolean;
}

/** What the mapping leaves for the user to decide, and what the list shows about it. */
export interface UndecidedColumns {
  readonly decisions: Decisions;
  readonly columns: readonly SampledColumn[];
  /** The first row, and its physical line from 1, if it may not be a header; otherwise undefined. */
  readonly firstRow: { readonly cells: readonly string[]; readonly line: number } | undefined;
  /** Says what is open, and shows the columns with some of their values, in lines. */
  readonly message: string;
}

/** Describes what is open about a list. */
export function undecidedColumns(
  name: string,
  { decisions, columns, firstRow }: Omit<UndecidedColumns, 'message'>,
  { noun }: Binder,
): UndecidedColumns {
  const message = [titleOf(name, decisions, noun), ...describeColumns(columns)].join('\n');
  return { decisions, columns, firstRow, message };
}

/** Returns the error for a mapping that does not fit the columns or keys of a list. */
export function misfitError(
  name: string,
  problems: readonly string[],
  columns: readonly SampledColumn[],
  { noun }: Binder,
): UsageError {
  const names = `${noun}s: ${quoteAll(columns.map(shownName), (name) => `"${name}"`)}`;
  return new UsageError([`${name}: ${problems.join('\n')}`, names].join('\n'), undefined, 'bad-columns');
}

function titleOf(name: string, { fields, others, blankStatuses }: Decisions, noun: string): string {
  if (others.length > 0) return `${name} has ${noun}s that orgadm does not know. Say what they mean:`;
  if (fields.includes('userId') || fields.includes('role')) {
    const missing = fields.filter((field) => field !== 'isActive');
    return `${name} has no ${noun} for ${missing.join(' and ')}. Its ${noun}s:`;
  }
  if (fields.length > 0) return `${name} does not say who is active. Its ${noun}s:`;
  if (blankStatuses === 0) return `cannot tell whether the first row of ${name} is a header or a person. Its ${noun}s:`;
  const people = countOf(blankStatuses, 'person is', 'people are');
  return `${name} does not say whether ${people} active, because isActive is blank for them:`;
}

/** Columns that the error shows. */
const SHOWN_COLUMNS = 100;
/** Values that it shows of each. */
const SHOWN_VALUES = 3;
const MAX_NAME_WIDTH = 40;
const MAX_VALUE_WIDTH = 30;

function describeColumns(columns: readonly SampledColumn[]): string[] {
  const shown = columns.slice(0, SHOWN_COLUMNS).map((column) => {
    return { name: shownName(column), values: shownValues(column) };
  });
  const width = Math.max(...shown.map(({ name }) => displayWidth(name)));
  const lines = shown.map(({ name, values }) =>
    `${name}${' '.repeat(width - displayWidth(name))}  ${values}`.trimEnd(),
  );
  const hidden = columns.length - shown.length;
  return hidden === 0 ? lines : [...lines, `and ${formatCount(hidden)} more`];
}

/**
 * Returns the name of a column, safe for one line, as --map takes it. A column whose name is longer than 40 columns of a
 * terminal, not unique, or has hidden characters is shown by its number, too: `#3 (Department of the person …)`.
 */
export function shownName({ name, title, number }: Pick<SampledColumn, 'name' | 'title' | 'number'>): string {
  const shown = oneLine(showHidden(sendableText(title)));
  const isNamed = name !== `#${number}` && displayWidth(shown) <= MAX_NAME_WIDTH;
  if (number === undefined || isNamed) return shown;
  return shown === '' ? `#${number}` : `#${number} (${cutToWidth(shown, MAX_NAME_WIDTH)})`;
}

/** Returns up to three values of a column, safe for one line: `employee, admin`. */
export function shownValues({ values }: Pick<SampledColumn, 'values'>): string {
  return values
    .slice(0, SHOWN_VALUES)
    .map((value) => shorten(value, MAX_VALUE_WIDTH))
    .map((value) => (value.includes(',') ? quote(value) : value))
    .join(', ');
}

/** Makes a value of a list safe for one line, and cuts it to a number of terminal columns. */
export function shorten(text: string, width: number): string {
  // A long value is cut before it is measured.
  return cutToWidth(oneLine(text.slice(0, 1000)), width);
}

function oneLine(text: string): string {
  return cleanLine(text).replace(/\s+/g, ' ').trim();
}
