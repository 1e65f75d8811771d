import { UsageError } from '../util/errors.ts';

/** One name of a `name=value,name=value` list: what holds without it, and how its value is read. */
export interface Option<T> {
  readonly usual: T;
  /** Completes "takes ..." in an error. */
  readonly takes: string;
  /** The value, or undefined if the text is not one. */
  read(text: string): T | undefined;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: T[K]['usual'] };

/** An option that takes one of a few words. */
export function choice<const T extends string>(usual: T, ...others: T[]): Option<T> {
  const words = [usual, ...others];
  return { usual, takes: words.join(', '), read: (text) => words.find((word) => word === text) };
}

/** The values that hold when nothing is said. */
export function usualValues<T extends OptionTable>(table: T): OptionValues<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { usual }]) => [name, usual])) as OptionValues<T>;
}

/**
 * Reads `name=value,name=value` by a table of options. `noun` names a part in errors.
 * @throws UsageError naming the part that is wrong, and the names or values allowed there.
 */
export function parseOptionList<T extends OptionTable>(text: string, table: T, noun: string): OptionValues<T> {
  const given = new Map<string, unknown>();
  const allowed = `Allowed: ${Object.keys(table).join(', ')}.`;
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [name = '', value] = splitOnce(part);
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!option) throw new UsageError(`"${part}" is not a ${noun}.`, allowed);
    if (given.has(name)) throw new UsageError(`The ${noun} "${name}" is given twice.`, 'Leave one of them out.');
    const read = value === undefined ? undefined : option.read(value);
    if (read === undefined) {
      throw new UsageError(`"${part}" is not a valid ${noun}.`, `${name}=... takes ${option.takes}. ${allowed}`);
    }
    given.set(name, read);
  }
  return { ...usualValues(table), ...Object.fromEntries(given) };
}

/** What a table of options takes, for help: names that take the same stand together; lines of at most 80 columns. */
export function renderOptionList(table: OptionTable): string {
  const byTakes = new Map<string, string[]>();
  for (const [name, { takes }] of Object.entries(table)) byTakes.set(takes, [...(byTakes.get(takes) ?? []), name]);
  return [...byTakes].map(([takes, names]) => wrapped(`${names.join(', ')}: ${takes}`)).join('\n');
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
