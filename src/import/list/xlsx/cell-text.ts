import { quote } from '../../../output/sanitize.ts';
import { DAY_MS } from '../../../util/units.ts';
import { damaged, isTrue } from './archive.ts';
import {
  type FilledSection,
  fillSection,
  isPlain,
  type NumberFormat,
  sectionFor,
  showsValue,
} from './number-format.ts';
import type { DoubtKind } from './sheet-row.ts';
import type { CellStyle } from './styles.ts';

/** A cell as it is in the XML of a sheet. */
export interface CellXml {
  /** The attribute `t`: `n`, `s`, `str`, `inlineStr`, `b`, `e`, or `d`. */
  type: string;
  style: number;
  /** The content of `<v>`, or the text of `<is>`. */
  text: string;
}

/** The parts of a workbook that all cells share. */
export interface CellContext {
  readonly strings: readonly string[];
  readonly styles: readonly CellStyle[];
  /** Whether days count from 1904 instead of 1900. */
  readonly isFrom1904: boolean;
}

/**
 * Returns the text of a cell, as a person sees it where that is certain: numbers without exponent and as their format shows
 * them, booleans as `true` and `false`, dates in ISO 8601. A cell without a value is blank, whatever its type.
 *
 * @param report called if a person sees something else
 */
export function cellText(
  { type, style, text }: CellXml,
  context: CellContext,
  report: (kind: DoubtKind) => void,
): string {
  if (text.trim() === '') return isText(type) ? text : '';
  const format = context.styles[style]?.format;
  if (type === 'n') return numberText(text, format, context.isFrom1904, report);
  if (type === 'e') return text;
  if (type === 'd') {
    report(format?.positive === 'hidden' ? 'hidden' : 'date');
    return text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '');
  }
  const shown = readText(type, text, context);
  if (format?.text === undefined || shown === '') return shown;
  if (typeof format.text === 'string') {
    report(format.text === 'hidden' ? 'hidden' : 'format');
    return shown;
  }
  if (!showsValue(format.text)) report('format');
  return fillSection(format.text, shown);
}

/** Reads a text, or a boolean, which number formats treat like one. */
function readText(type: string, text: string, context: CellContext): string {
  if (type === 's') return sharedText(text, context);
  if (type === 'b') return isTrue(text) ? 'true' : text === '0' ? 'false' : text;
  return decodeEscapes(text);
}

/** Whether cells of a type contain their text itself. */
export function isText(type: string): boolean {
  return type === 'str' || type === 'inlineStr';
}

function sharedText(text: string, { strings }: CellContext): string {
  const shared = strings[Number(text)];
  if (shared === undefined) throw damaged(`it has no text ${quote(text)}`);
  return shared;
}

/** Excel computes with 15 digits and shows no more, although it may save 17. */
const MAX_DIGITS = 15;
const DIGITS = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: MAX_DIGITS });

/** @param text the number as saved, such as `45000.5` or `1.2E+15` */
function numberText(
  text: string,
  format: NumberFormat | undefined,
  isFrom1904: boolean,
  report: (kind: DoubtKind) => void,
): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  // Other programs save IDs of more than 15 digits exactly, as Excel itself never would.
  const digits = /^(?:0|[1-9]\d*)$/.test(text) ? text : DIGITS.format(value + 0);
  const section = sectionFor(format, value);
  if (section === 'date') {
    report('date');
    return dateText(value, isFrom1904) ?? digits;
  }
  const sign = value < 0 ? '-' : '';
  const fill = (pieces: FilledSection) =>
    (format?.hasOwnSign ? '' : sign) + fillSection(pieces, digits.slice(sign.length));
  if (section === 'condition' || section === 'hidden') report(section);
  else if (section === 'other') report('format');
  else if (!showsValue(section)) {
    report('format');
    return fill(section);
  } else if (digits.includes('.')) report('fraction');
  else if (digits.length - sign.length > MAX_DIGITS) report('digits');
  else if (!isPlain(section)) {
    const shown = fill(section);
    // The format `#` hides a zero.
    if (shown.trim() !== '') return shown;
    report('hidden');
  }
  return digits;
}

/** The first day after 9999-12-31. */
const LAST_DAY = 2_958_466;
/** The number of days from the beginning of 1900 to that of 1904. */
const DAYS_BEFORE_1904 = 1462;

/** Renders a date as `2025-12-01`, or as `2025-12-01T08:30:00` if it has a time. Returns undefined beyond the range of Excel. */
function dateText(value: number, isFrom1904: boolean): string | undefined {
  const days = value + (isFrom1904 ? DAYS_BEFORE_1904 : 0);
  if (days < 0 || days >= LAST_DAY) return undefined;
  // Excel counts 1900-02-29, which did not exist.
  const epoch = Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const seconds = Math.round((days * DAY_MS) / 1000);
  const [date = '', time] = new Date(epoch + seconds * 1000).toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? date : `${date}T${time}`;
}

/** Excel writes characters that XML does not allow as `_x000D_`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
