import { quote } from '../../output/sanitize.ts';
import { comparableText } from '../../util/visible-text.ts';
import type { MemberField } from '../new-member.ts';
import type { Cell, ListFormat } from '../table/table.ts';
import type { Lookup } from './lookup.ts';
import { changedId, Rejected, readCellText } from './read-cell-text.ts';

/** Translations of the values of a field, by comparable text. */
export type Translations = ReadonlyMap<string, string>;

/**
 * Reads a user ID (rule 7), which is any text without a space.
 *
 * @param lookup the second list that has the IDs; undefined if the list has them
 * @returns undefined for a blank cell
 */
export function readUserId(cell: Cell, format: ListFormat, lookup: Lookup | undefined): string | undefined | Rejected {
  const text = readCellText(cell, 'userId', false);
  if (typeof text !== 'string') return text;
  const reason = changedId(text, format);
  if (reason !== undefined) return new Rejected(text, `userId: ${quote(text)} ${reason}`);
  if (lookup === undefined) return text.includes(' ') ? spaceIn(text, text) : text;
  const id = lookup.find(text);
  if (id === undefined)
    return new Rejected(text, `userId: ${quote(text)} is not in ${lookup.name}, or has no ID there`);
  if (id instanceof Rejected) return id;
  return id.includes(' ') ? spaceIn(text, id) : id;
}

function spaceIn(text: string, id: string): Rejected {
  return new Rejected(text, `userId: ${quote(id)} contains a space`);
}

/** A role or a department begins with a letter or a digit. */
const WORD = /^[\p{L}\p{N}]/u;

/**
 * Reads a role or a department: cleaned, translated, and checked.
 *
 * @returns undefined for a blank cell, and for a value that is translated to nothing
 */
export function readWord(
  cell: Cell,
  field: MemberField,
  translations: Translations | undefined,
): string | undefined | Rejected {
  const text = readCellText(cell, field, true);
  if (typeof text !== 'string') return text;
  const word = translations?.get(comparableText(text)) ?? text;
  if (word === '') return undefined;
  return WORD.test(word)
    ? word
    : new Rejected(
        text,
        `${field}: ${quote(word)} does not begin with a letter or a digit (to translate it: --map-value ${field}:<value>=<${field}>)`,
      );
}

/** Reads a device label: an integer in digits. */
export function readLabel(cell: Cell): number | undefined | Rejected {
  const text = readCellText(cell, 'deviceMgmtLabelId', false);
  if (typeof text !== 'string') return text;
  const value = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
  // No negative zero.
  if (Number.isSafeInteger(value)) return value + 0;
  return new Rejected(text, `deviceMgmtLabelId: ${quote(text)} is not an integer in digits, up to ±9007199254740991`);
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Reads the words for true and false; undefined for any other text. */
export function readBoolean(text: string): boolean | undefined {
  return BOOLEANS.get(comparableText(text));
}

/** Reads the column `isActive`. */
export function readIsActive(cell: Cell): boolean | undefined | Rejected {
  const text = readCellText(cell, 'isActive', false);
  if (typeof text !== 'string') return text;
  return readBoolean(text) ?? notBoolean(text);
}

/** Returns the rejection of a text, or of a blank cell, in the column `isActive`. */
export function notBoolean(text: string): Rejected {
  const problem = text === '' ? 'isActive is blank' : `isActive: ${quote(text)} is not a boolean`;
  return new Rejected(text, `${problem} (use true, false, yes, no, 1, or 0)`);
}
