import type { ColumnSample } from '../../../import/check/decisions.ts';
import type { Choice } from '../../../output/prompt.ts';
import { showHidden } from '../../../util/hidden-characters.ts';
import { formatCount } from '../../../util/units.ts';
import { comparableText } from '../../../util/visible-text.ts';

const MAX_SAMPLE_WIDTH = 24;

/** Returns columns as choices, with samples of their values. The value of a choice is the column's place. */
export function columnChoices(columns: readonly ColumnSample[]): Choice<string>[] {
  return columns.map(({ name, samples }, at) => ({
    value: String(at),
    label: columnName(name),
    hint: samples.map(shorten).join(', '),
  }));
}

/** A column has a name even if the list gives it none. */
export function columnName(name: string): string {
  return name === '' ? '(no name)' : showHidden(name);
}

/** A value of a column, as comparisons of a mapping see it, with its count. */
export interface CountedValue {
  /** As the list spells it most often; `''` for a blank cell. */
  readonly value: string;
  readonly count: number;
}

/** Returns the values of a column, the most frequent first; undefined if it has too many. */
export function countedValues({ counts }: ColumnSample): CountedValue[] | undefined {
  if (counts === undefined) return undefined;
  const values = new Map<string, CountedValue>();
  for (const [value, count] of counts) {
    const key = comparableText(value);
    const known = values.get(key);
    values.set(key, { value: known?.value ?? value, count: (known?.count ?? 0) + count });
  }
  return [...values.values()].sort((a, b) => b.count - a.count);
}

/** Returns values as choices. The value of a choice is its place. */
export function valueChoices(values: readonly CountedValue[]): Choice<string>[] {
  return values.map((value, at) => ({ value: String(at), label: renderValue(value) }));
}

/** Renders `ACTIVE (4,890)`. */
export function renderValue({ value, count }: CountedValue): string {
  return `${value === '' ? 'blank' : shorten(value)} (${formatCount(count)})`;
}

function shorten(text: string): string {
  const line = showHidden(text);
  return line.length > MAX_SAMPLE_WIDTH ? `${line.slice(0, MAX_SAMPLE_WIDTH)}…` : line;
}
