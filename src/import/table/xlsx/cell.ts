import { type Cell, Unreadable } from '../table.ts';
import { isTrue, notWorkbook } from './archive.ts';
import { decodeEscapes, type TextLook } from './rich-text.ts';
import type { Workbook } from './workbook.ts';

/** A cell as it is in the XML of a sheet. */
export interface CellXml {
  /** The letters of its column. */
  column: string;
  /** The attribute `t`: `n`, `s`, `str`, `inlineStr`, `b`, `e`, or `d`. */
  type: string;
  style: number;
  /** The content of `<v>`, or the text of `<is>`. */
  text: string;
  /** The look of the text of `<is>`. */
  look: TextLook | undefined;
  hasFormula: boolean;
  /** Whether it has a value, be it blank. */
  hasValue: boolean;
}

/** The formats in which a cell shows a whole number or a text as it is. */
const PLAIN_FORMATS = ['general', '0', '@'];
/** How LibreOffice formats booleans. */
const BOOLEAN_FORMAT = '"true";"true";"false"';

/** Spreadsheets compute with 15 digits, and change the others. */
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/**
 * Reads a cell: texts, whole numbers of up to 15 digits, and booleans, in cells with the format General, 0, or Text. Anything
 * else is unreadable, because a person may see something else.
 */
export function readCell(cell: CellXml, { strings, stringLooks, styles, isStale }: Workbook): Cell {
  const { type, text } = cell;
  const isSaved = cell.hasValue && (type === 'str' || text.trim() !== '');
  if (cell.hasFormula && (isStale || !isSaved))
    return new Unreadable(
      text,
      `is a formula without a saved result in column ${cell.column} (open the workbook in Excel and save it)`,
      true,
    );
  const shown = shownText(cell, strings);
  if (shown === undefined || shown.trim() === '') return undefined;
  const { format = 'General', isStruck = false } = styles[cell.style] ?? {};
  const look = isStruck ? 'struck' : type === 's' ? stringLooks.get(Number(text)) : cell.look;
  if (look !== undefined) return new Unreadable(shown, LOOKS[look]);
  if (type === 'e') return new Unreadable(shown, 'is an error, not a value');
  const code = format.toLowerCase();
  const isPlain = PLAIN_FORMATS.includes(code) || (type === 'b' && code === BOOLEAN_FORMAT);
  if (type === 'd' || !isPlain)
    return new Unreadable(
      shown,
      'has another number format than General, 0, or Text, so a person may see something else (format the cells as text, and check them)',
    );
  if (type === 'n' && !WHOLE_NUMBER.test(shown))
    return new Unreadable(shown, 'is not a whole number of up to 15 digits (format the cells as text, and check them)');
  return shown;
}

const LOOKS: Readonly<Record<TextLook, string>> = {
  struck: 'is struck out (remove the line through it, or delete the row)',
  raised: 'has a raised or lowered character, such as the mark of a footnote (remove it)',
};

/** Returns the value of a cell as text; undefined for a blank one. */
function shownText({ type, text }: CellXml, strings: readonly string[]): string | undefined {
  if (type === 's') {
    if (text.trim() === '') return undefined;
    const shared = strings[Number(text)];
    if (shared === undefined) throw notWorkbook();
    return shared;
  }
  if (type === 'b') return text.trim() === '' ? undefined : String(isTrue(text));
  if (type === 'str' || type === 'inlineStr') return decodeEscapes(text);
  return type === 'n' ? plainNumber(text) : text;
}

/** Returns a whole number in digits, as `1.5E3` is saved by some programs. */
function plainNumber(text: string): string {
  if (WHOLE_NUMBER.test(text)) return text;
  const value = Number(text);
  return text.trim() !== '' && Number.isSafeInteger(value) ? String(value) : text;
}
