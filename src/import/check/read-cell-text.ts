import { quote } from '../../output/sanitize.ts';
import { HIDDEN_CHARACTER, showHidden, withoutJoiners } from '../../util/hidden-characters.ts';
import { isPlainText, sendableText } from '../../util/visible-text.ts';
import { type Cell, type ListFormat, Unreadable } from '../table/table.ts';

/** A value that could not be read. */
export class Rejected {
  /** The value as it was; undefined if its text does not show what is wrong, so that it must not be used as a value. */
  readonly text: string | undefined;
  /** A complete message: `userId: "1.08E+20" has been changed by a spreadsheet`. */
  readonly message: string;

  constructor(text: string | undefined, message: string) {
    this.text = text;
    this.message = message;
  }
}

/**
 * Reads a cell as a person sees it: in NFC, with single spaces and none at the ends (rule 6).
 *
 * @param subject what a message calls the value: a field or a column
 * @param allowsJoiners whether it is a word, in which Persian and Indic scripts have joiners
 * @returns undefined for a blank cell
 */
export function readCellText(cell: Cell, subject: string, allowsJoiners: boolean): string | undefined | Rejected {
  if (cell === undefined || cell === '') return undefined;
  if (cell instanceof Unreadable) {
    const shown = cell.text.trim() === '' ? '' : `: ${quote(cell.text)}`;
    return new Rejected(undefined, `${subject}${shown} ${cell.reason}`);
  }
  // Most text is plain.
  if (isPlainText(cell)) return cell;
  const text = sendableText(cell);
  if (text === '') return undefined;
  if (HIDDEN_CHARACTER.test(allowsJoiners ? withoutJoiners(text) : text))
    return new Rejected(cell, `${subject}: ${quote(showHidden(text))} contains a hidden character`);
  // It stands for bytes that a program could not read.
  if (text.includes('\ufffd'))
    return new Rejected(
      cell,
      `${subject}: ${quote(text)} has lost a character in another encoding (export the list again as UTF-8)`,
    );
  return text;
}

/** A number with a fraction of zeros, or with an exponent that has a sign. */
const CHANGED = /^[-+]?\d+(?:\.0+|(?:[.,]\d+)?[eE][-+]\d+)$/;

/** Says why a user ID is not the one that was exported; undefined if nothing shows it. */
export function changedId(text: string, format: ListFormat): string | undefined {
  if ((format !== 'csv' && format !== 'xlsx') || !CHANGED.test(text)) return undefined;
  return 'is a number that a spreadsheet has changed (export the list again, and import its columns as text)';
}
