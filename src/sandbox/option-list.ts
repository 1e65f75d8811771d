import { UsageError } from '../util/errors.ts';

/** One name of a `name=value,name=value` list: its default and how its value is parsed. */
export interface FaultOption<T> {
  readonly default: T;
  /** Completes "requires ..." in an error. */
  readonly expects: string;
  /** Returns the value, or undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

type OptionTable = Readonly<Record<string, FaultOption<unknown>>>;
export type ParsedOptions<T extends OptionTable> = { readonly [K in keyof T]: T[K]['default'] };

/** Creates an option with a fixed set of values. */
export function choiceOf<const T extends string>(defaultValue: T, ...others: T[]): FaultOption<T> {
  const values = [defaultValue, ...others];
  return { default: defaultValue, expects: values.join(', '), parse: (text) => values.find((value) => value === text) };
}

/** Creates an option without a default, whose value is any text that matches. */
export function textOption(pattern: RegExp, expects: string): FaultOption<string | undefined> {
  return { default: undefined, expects, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** Creates an option for a number from 1 to 999,999. */
export function countOption<T extends number | undefined>(defaultValue: T, noun: string): FaultOption<T | number> {
  const parse = (text: string) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined);
  return { default: defaultValue, expects: `a number of ${noun}, at least 1`, parse };
}

/** Returns the default of every option. */
export function defaultValues<T extends OptionTable>(table: T): ParsedOptions<T> {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, option.default])) as ParsedOptions<T>;
}

/**
 * Parses `name=value,name=value`.
 *
 * @param noun what a part is called in errors
 * @throws UsageError naming the invalid part, and the names or values allowed there
 */
export function parseOptionList<T extends OptionTable>(text: string, table: T, noun: string): ParsedOptions<T> {
  const values = new Map<string, unknown>();
  const allowed = `Allowed: ${Object.keys(table).join(', ')}.`;
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, name = part, value] = /^(.*?)\s*=\s*(.*)$/s.exec(part) ?? [];
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!option) throw new UsageError(`"${part}" is not a ${noun}`, allowed);
    if (values.has(name)) throw new UsageError(`the ${noun} "${name}" is repeated`, 'Specify it only once.');
    const parsed = value === undefined ? undefined : option.parse(value);
    if (parsed === undefined) {
      throw new UsageError(`"${part}" is not a valid ${noun}`, `${name} requires ${option.expects}. ${allowed}`);
    }
    values.set(name, parsed);
  }
  return { ...defaultValues(table), ...Object.fromEntries(values) };
}

/** Renders the options for help, those with the same values together, in lines of at most 80 columns. */
export function renderOptionList(table: OptionTable): string {
  const byExpectation = new Map<string, string[]>();
  for (const [name, { expects }] of Object.entries(table)) {
    byExpectation.set(expects, [...(byExpectation.get(expects) ?? []), name]);
  }
  return [...byExpectation].map(([expects, names]) => wrap(`${names.join(', ')}: ${expects}`)).join('\n');
}

/** Indents the first line by two columns and the others by six. */
function wrap(text: string): string {
  return text
    .replace(/(.{1,74})(?: |$)/g, '      $1\n')
    .slice(4)
    .trimEnd();
}
