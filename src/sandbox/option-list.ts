import { UsageError } from '../util/errors.ts';

/** One name of a `name=value,name=value` list: what holds without it, and how its value is read. */
export interface FaultOption<T> {
  readonly default: T;
  /** Completes "takes ..." in an error. */
  readonly expects: string;
  /** The value, or undefined if the text is not one. */
  parse(text: string): T | undefined;
}

export type OptionTable = Readonly<Record<string, FaultOption<unknown>>>;
export type ParsedOptions<T extends OptionTable> = { readonly [K in keyof T]: T[K]['default'] };

/** An option that takes one of a few words. */
export function choiceOf<const T extends string>(defaultValue: T, ...others: T[]): FaultOption<T> {
  const values = [defaultValue, ...others];
  return { default: defaultValue, expects: values.join(', '), parse: (text) => values.find((word) => word === text) };
}

/** The values that hold when nothing is said. */
export function defaultValues<T extends OptionTable>(table: T): ParsedOptions<T> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { default: defaultValue }]) => [name, defaultValue]),
  ) as ParsedOptions<T>;
}

/**
 * Reads `name=value,name=value` by a table of options. `noun` names a part in errors.
 * @throws UsageError naming the part that is wrong, and the names or values allowed there.
 */
export function parseOptionList<T extends OptionTable>(text: string, table: T, noun: string): ParsedOptions<T> {
  const values = new Map<string, unknown>();
  const allowed = `Allowed: ${Object.keys(table).join(', ')}.`;
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [name = '', value] = splitOnce(part);
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!option) throw new UsageError(`"${part}" is not a ${noun}.`, allowed);
    if (values.has(name)) throw new UsageError(`The ${noun} "${name}" is given twice.`, 'Leave one of them out.');
    const read = value === undefined ? undefined : option.parse(value);
    if (read === undefined) {
      throw new UsageError(`"${part}" is not a valid ${noun}.`, `${name}=... takes ${option.expects}. ${allowed}`);
    }
    values.set(name, read);
  }
  return { ...defaultValues(table), ...Object.fromEntries(values) };
}

/** What a table of options takes, for help: names that take the same stand together; lines of at most 80 columns. */
export function renderOptionList(table: OptionTable): string {
  const byExpectation = new Map<string, string[]>();
  for (const [name, { expects }] of Object.entries(table))
    byExpectation.set(expects, [...(byExpectation.get(expects) ?? []), name]);
  return [...byExpectation].map(([expects, names]) => wrapped(`${names.join(', ')}: ${expects}`)).join('\n');
}

/** The first line behind two blanks, the others behind six. */
function wrapped(text: string): string {
  return text
    .replace(/(.{1,74})(?: |$)/g, '      $1\n')
    .slice(4)
    .trimEnd();
}

function splitOnce(part: string): [string, string | undefined] {
  const at = part.indexOf('=');
  return at < 0 ? [part, undefined] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}
