/** How a number format shows numbers and texts. */
export interface NumberFormat {
  /** By sign; a format with fewer sections repeats one. */
  readonly positive: Section;
  readonly negative: Section;
  readonly zero: Section;
  /** Whether the sign is part of the section for negative numbers, so that a spreadsheet adds none. */
  readonly hasOwnSign: boolean;
  /** How it shows texts; undefined if as they are. */
  readonly text: Section | undefined;
}

/** A part of a format code: dates, digits and literal text, nothing, a condition such as `[=1]"left"`, or anything else. */
type Section = 'date' | 'hidden' | 'condition' | 'other' | FilledSection;

/** Digits and literal text, in order. */
export type FilledSection = readonly Piece[];

/** Literal text, a placeholder for one digit (`0`, `#`), or for all of them and for a text (`General`, `@`). */
type Piece = { readonly literal: string } | '0' | '#' | 'all';

/** The formats that have a number instead of a code, and do not depend on the language. */
const BUILT_IN: Readonly<Record<string, string>> = { '0': 'General', '1': '0', '49': '@' };
/** The dates among the others, 27 to 58 in East Asian workbooks. */
const BUILT_IN_DATE = /^(?:1[4-7]|22|2[789]|3[016]|5[0-478])$/;
/** The first number of a format that needs a code. */
const FIRST_OWN = 164;

/**
 * Returns the format of a cell style. Its code counts, not its number, for which programs have codes of their own.
 *
 * @param id its number in the workbook
 * @param code undefined if the workbook has none for this number
 */
export function numberFormat(id: string, code: string | undefined): NumberFormat {
  // Spreadsheets take a blank code for the format `General`.
  if (code !== undefined) return parseNumberFormat(code || 'General');
  const known = BUILT_IN[id] ?? (Number(id) >= FIRST_OWN ? 'General' : undefined);
  if (known !== undefined) return parseNumberFormat(known);
  const section = BUILT_IN_DATE.test(id) ? 'date' : 'other';
  return { positive: section, negative: section, zero: section, hasOwnSign: false, text: undefined };
}

/**
 * One piece of a format code: quoted text, an escaped character, a space as wide as one, a character that fills the cell,
 * brackets, or a character.
 */
const PIECE =
  /"(?<quoted>[^"]*)"?|\\(?<escaped>.)|_(?<skipped>.)|\*(?<filler>.)|\[(?<bracket>[^\]]*)\]|(?<general>General)|(?<character>.)/gisu;

/** Parses a format code, such as `yyyy-mm-dd;@` or `"EMP-"00000`. */
export function parseNumberFormat(code: string): NumberFormat {
  const sections: RegExpExecArray[][] = [[]];
  for (const piece of code.matchAll(PIECE)) {
    if (piece[0] === ';') sections.push([]);
    else sections.at(-1)?.push(piece);
  }
  const isForText = (at: number) => sections[at]?.some(([piece]) => piece === '@') ?? false;
  const last = sections.length - 1;
  const textAt = last >= 3 ? 3 : isForText(last) ? last : undefined;
  const text = textAt === undefined ? undefined : readSection(sections[textAt] ?? []);
  const shownText = isPlain(text) ? undefined : text;
  const conditional = sections.flat().some(({ groups }) => CONDITION.test(groups?.bracket ?? ''));
  if (conditional)
    return { positive: 'condition', negative: 'condition', zero: 'condition', hasOwnSign: false, text: shownText };
  const shown = sections.slice(0, textAt === 0 ? 1 : textAt).map(readSection);
  // What a number looks like in a format for texts with more than the text is not documented.
  const only = textAt === 0 && !isPlain(text) ? 'other' : (shown[0] ?? 'other');
  return {
    positive: only,
    negative: shown[1] ?? only,
    zero: shown[2] ?? only,
    hasOwnSign: shown.length > 1,
    text: shownText,
  };
}

const PLAIN: FilledSection = ['all'];

/** Whether a section shows only the text or the digits. */
export function isPlain(section: Section | undefined): boolean {
  return section?.length === 1 && section[0] === 'all';
}

/** Characters that a spreadsheet shows without quotes. */
const LITERAL = /[-+$():!^&'~{}<>= ]|[^\0-\x7f]/;
/** A condition decides which section shows a number, whatever its sign. */
const CONDITION = /^[<>=]/;
const COLOR = /^(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)$/i;

function readSection(pieces: readonly RegExpExecArray[]): Section {
  if (pieces.every(showsNothing)) return 'hidden';
  if (pieces.some(({ groups }) => /[yd]/i.test(groups?.character ?? ''))) return 'date';
  const read = pieces.flatMap(readPiece);
  const known = read.filter((piece) => piece !== undefined);
  const placeholders = known.filter((piece) => typeof piece === 'string');
  const isFilled = placeholders.includes('all')
    ? placeholders.length === 1
    : placeholders.length > 0 || known.some((piece) => typeof piece === 'object' && piece.literal.trim() !== '');
  return known.length === read.length && isFilled ? known : 'other';
}

/** Whether a piece is blank, a color, or fills the cell with a character, which may be an asterisk. */
function showsNothing({ groups = {} }: RegExpExecArray): boolean {
  const { quoted, escaped, skipped, filler, bracket, character } = groups;
  if (bracket !== undefined) return COLOR.test(bracket);
  return skipped !== undefined || filler !== undefined || (quoted ?? escaped ?? character)?.trim() === '';
}

/** Whether a section shows the text or the digits, and not the same literal text in every cell. */
export function showsValue(section: FilledSection): boolean {
  return section.some((piece) => typeof piece === 'string');
}

/** Returns undefined for a piece that does more than show digits and text. */
function readPiece({ groups = {} }: RegExpExecArray): (Piece | undefined)[] {
  const { quoted, escaped, skipped, bracket, general, character = '' } = groups;
  const literal = quoted ?? escaped;
  if (literal !== undefined) return [{ literal }];
  if (skipped !== undefined) return [{ literal: ' ' }];
  if (general !== undefined || character === '@') return ['all'];
  if (character === '0' || character === '#') return [character];
  if (bracket === undefined) return [LITERAL.test(character) ? { literal: character } : undefined];
  if (COLOR.test(bracket)) return [];
  // A currency and a language: `[$€-407]`, `[$-409]`.
  const [, symbol] = /^\$([^-]*)/.exec(bracket) ?? [];
  return [symbol === undefined ? undefined : { literal: symbol }];
}

/** Returns the section of a format that shows a number; without a format, that of the format `General`. */
export function sectionFor(format: NumberFormat | undefined, value: number): Section {
  if (format === undefined) return PLAIN;
  const { positive, negative, zero } = format;
  return value > 0 ? positive : value < 0 ? negative : zero;
}

/**
 * Fills the digits of a number, or a text, into a section.
 *
 * @param digits without a sign; the first placeholder takes those for which there are none, as in a spreadsheet
 */
export function fillSection(pieces: FilledSection, digits: string): string {
  let left = digits === '0' && !pieces.includes('all') ? '' : digits;
  let shown = '';
  const first = pieces.findIndex((piece) => typeof piece === 'string');
  for (const [at, piece] of [...pieces.entries()].reverse()) {
    if (typeof piece === 'object') {
      shown = piece.literal + shown;
      continue;
    }
    const taken = at === first ? left : left.slice(-1);
    left = left.slice(0, left.length - taken.length);
    shown = (taken === '' && piece === '0' ? '0' : taken) + shown;
  }
  return shown;
}
