import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { DAY_MS } from '../../../util/units.ts';
import { type Archive, damaged, decodeXml, openArchive, parsedChunks, parsePart, workbookTooLarge } from './archive.ts';

/** A row of a sheet that has at least one filled cell. */
export interface SpreadsheetRow {
  /** The row's number in the sheet, 1-based. Numbers increase; those of blank rows are left out. */
  readonly line: number;
  /** The cells from column A on, up to the last filled one, as text; `''` for a blank cell. */
  readonly cells: readonly string[];
}

/*
 * Bounds on what is unpacked: zip archives of a few kilobytes can hold terabytes. The sheet is streamed; its shared strings
 * are held in memory. An Excel sheet has at most 1,048,576 rows of 16,384 columns.
 */
const MAX_SMALL_PART_BYTES = 32 * 1024 ** 2;
const MAX_PART_BYTES = 256 * 1024 ** 2;
/** Upper bound on the memory of the shared strings; empty ones take memory, too. */
const MAX_STRINGS_BYTES = 176 * 1024 ** 2;
/** Memory that a string takes in addition to its characters. */
const STRING_BYTES = 32;
const MAX_SHEET_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** A longer row shows that the sheet is not a member list. */
const MAX_ROW_CHARACTERS = 1024 ** 2;

/**
 * Reads a sheet of an Excel workbook (.xlsx, .xlsm). Numbers come without exponent, and with the leading zeros of their format;
 * booleans as `true` and `false`, dates in ISO 8601, formulas with the value they were saved with.
 *
 * @param sheet name of the sheet to read, in any case; by default the first visible one
 * @throws UsageError when the file is encrypted, of another format, damaged or beyond the limits below, or has no such sheet
 */
export async function* readSpreadsheet(bytes: Buffer, sheet?: string): AsyncGenerator<SpreadsheetRow> {
  rejectOleFile(bytes);
  const archive = await openArchive(bytes);
  const workbook = await readWorkbook(archive, await findWorkbook(archive));
  const chosen = chooseSheet(workbook.sheets, sheet);
  const context = {
    strings: await readSharedStrings(archive, workbook.stringsPath),
    formats: await readFormats(archive, workbook.stylesPath),
  };
  if (!archive.parts.has(chosen.path)) throw damaged(`sheet ${quote(chosen.name)} is missing`);
  yield* readSheetRows(archive, chosen.path, context);
}

/** Rejects the container of .xls files, in which encrypted workbooks are, too. */
function rejectOleFile(bytes: Buffer): void {
  if (bytes.subarray(0, 8).toString('hex') !== 'd0cf11e0a1b11ae1') return;
  throw new UsageError(
    'the list is a workbook in the old .xls format, or protected by a password',
    'Save it without a password as an Excel Workbook (.xlsx), or as CSV UTF-8.',
    'bad-encoding',
  );
}

interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly path: string;
}

async function findWorkbook(archive: Archive): Promise<string> {
  const relations = await readRelations(archive, '_rels/.rels', '');
  const path = relations.find(({ type }) => type === 'officeDocument')?.path;
  if (path !== undefined && /^xl\/[^/]+\.xml$|(?:^|\/)workbook\.xml$/.test(path)) {
    if (!archive.parts.has(path)) throw damaged('a part is missing');
    return path;
  }
  throw new UsageError(
    'the list is a zip archive, but not an Excel workbook (.xlsx)',
    'Save the sheet as .xlsx or as CSV, also if it is an .xlsb, .ods, or Numbers file.',
    'bad-encoding',
  );
}

async function readWorkbook(archive: Archive, path: string) {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const relations = await readRelations(archive, `${folder}_rels/${path.slice(folder.length)}.rels`, folder);
  const sheets: Sheet[] = [];
  await parsePart(archive, path, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (name !== 'sheet') return;
      const found = attributes();
      const id = Object.entries(found).find(([key]) => key.endsWith(':id'))?.[1];
      const relation = relations.find((one) => one.id === id);
      // Chart sheets and macro sheets hold no rows.
      if (relation?.type !== 'worksheet') return;
      sheets.push({
        name: decodeXml(found.name ?? ''),
        isHidden: (found.state ?? 'visible') !== 'visible',
        path: relation.path,
      });
    },
  });
  const pathOf = (type: string) => relations.find((one) => one.type === type)?.path ?? '';
  return { sheets, stringsPath: pathOf('sharedStrings'), stylesPath: pathOf('styles') };
}

interface Relation {
  readonly id: string | undefined;
  /** The last segment of the type's URI, which differs between the transitional and the strict form of the format. */
  readonly type: string | undefined;
  readonly path: string;
}

async function readRelations(archive: Archive, path: string, folder: string): Promise<Relation[]> {
  const relations: Relation[] = [];
  await parsePart(archive, path, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (name !== 'Relationship') return;
      const { Id: id, Type: type = '', Target: target = '' } = attributes();
      const url = new URL(decodeXml(target), `zip:///${folder}`);
      relations.push({ id, type: type.split('/').at(-1), path: url.pathname.replace(/^\/+/, '').toLowerCase() });
    },
  });
  return relations;
}

function chooseSheet(sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const found = sheets.find(({ name, isHidden }) =>
    wanted === undefined ? !isHidden : name.toLowerCase() === wanted.toLowerCase(),
  );
  if (found !== undefined) return found;
  if (wanted === undefined) throw damaged('it has no visible worksheet');
  throw new UsageError(
    `the workbook has no sheet ${quote(wanted)}`,
    `Its sheets are ${quoteAll(sheets.map(({ name }) => name))}.`,
  );
}

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** Returns the workbook's table of texts. */
async function readSharedStrings(archive: Archive, path: string): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let bytes = 0;
  await parsePart(archive, path, MAX_PART_BYTES, {
    open(name) {
      if (name === 'si') text = '';
      inText = name === 't';
    },
    text(piece) {
      if (inText) text += piece;
    },
    close(name) {
      inText = false;
      if (name !== 'si') return;
      bytes += STRING_BYTES + text.length * (BEYOND_LATIN1.test(text) ? 2 : 1);
      if (bytes > MAX_STRINGS_BYTES) throw workbookTooLarge('has too many different texts');
      strings.push(decodeEscapes(text));
    },
  });
  return strings;
}

/** The number format of each cell style. */
async function readFormats(archive: Archive, path: string): Promise<NumberFormat[]> {
  const codes = new Map<string, string>();
  const formats: NumberFormat[] = [];
  let inCellStyles = false;
  await parsePart(archive, path, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (name === 'cellXfs') inCellStyles = true;
      if (name === 'numFmt') codes.set(attributes().numFmtId ?? '', decodeXml(attributes().formatCode ?? ''));
      if (name !== 'xf' || !inCellStyles) return;
      const id = attributes().numFmtId ?? '0';
      formats.push(BUILT_IN_DATES.test(id) ? 'date' : parseFormat(codes.get(id) ?? ''));
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  });
  return formats;
}

interface SheetContext {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
}

async function* readSheetRows(archive: Archive, path: string, context: SheetContext): AsyncGenerator<SpreadsheetRow> {
  const done: SpreadsheetRow[] = [];
  let line = 0;
  let cells: string[] = [];
  let column = 0;
  let cell = { type: 'n', style: 0, hasFormula: false, hasValue: false, text: '' };
  let inText = false;
  const chunks = parsedChunks(archive, path, MAX_PART_BYTES, {
    open(name, attributes) {
      inText = name === 'v' || name === 't';
      if (name === 'v' || name === 'is') cell.hasValue = true;
      else if (name === 'f') cell.hasFormula = true;
      else if (name === 'row') {
        const { r: number = line + 1 } = attributes();
        if (!(Number(number) > line)) throw damaged(`row ${number} comes after row ${line}`);
        line = Number(number);
        if (line > MAX_SHEET_ROWS) throw workbookTooLarge(`has more than ${MAX_SHEET_ROWS} rows`);
        cells = [];
        column = 0;
      } else if (name === 'c') {
        const { r: reference, t: type = 'n', s: style = '0' } = attributes();
        column = reference === undefined ? column + 1 : columnNumber(reference);
        if (column > MAX_COLUMNS) throw workbookTooLarge(`has more than ${MAX_COLUMNS} columns`);
        cell = { type, style: Number(style), hasFormula: false, hasValue: false, text: '' };
      }
    },
    text(piece) {
      if (inText) cell.text += piece;
    },
    close(name) {
      inText = false;
      if (name === 'c') {
        if (cell.hasFormula && !cell.hasValue) {
          throw new UsageError(
            `${columnName(column)}${line} is a formula without a saved result: open and save the workbook`,
            'The program that wrote the workbook did not calculate it. Save it with Excel, or save the sheet as CSV.',
          );
        }
        const text = cellText(cell, context);
        if (text === '') return;
        while (cells.length < column - 1) cells.push('');
        cells[column - 1] = text;
      } else if (name === 'row' && cells.length > 0) {
        const length = cells.reduce((sum, text) => sum + text.length, 0);
        if (length > MAX_ROW_CHARACTERS)
          throw workbookTooLarge(`has more than ${MAX_ROW_CHARACTERS} characters in row ${line}`);
        done.push({ line, cells });
      }
    },
  });
  for await (const _ of chunks) yield* done.splice(0);
}

/** `AB12` → 28. */
function columnNumber(reference: string): number {
  let number = 0;
  for (const letter of reference.match(/^[A-Z]{1,3}/)?.[0] ?? '') number = number * 26 + letter.charCodeAt(0) - 64;
  if (number === 0) throw damaged(`${quote(reference)} is not a cell`);
  return number;
}

function columnName(number: number): string {
  const last = String.fromCharCode(65 + ((number - 1) % 26));
  return number > 26 ? columnName(Math.floor((number - 1) / 26)) + last : last;
}

function cellText(cell: { type: string; style: number; text: string }, context: SheetContext): string {
  const text = decodeEscapes(cell.text);
  if (cell.type === 's') {
    const shared = context.strings[Number(text)];
    if (shared === undefined) throw damaged(`it has no text ${quote(text)}`);
    return shared;
  }
  if (cell.type === 'b') return isTrue(text) ? 'true' : 'false';
  return cell.type === 'n' ? numberText(text, context.formats[cell.style] ?? 0) : text;
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** How the numbers in a cell style are shown: as dates, or with at least this many digits. */
type NumberFormat = 'date' | number;

/** The dates among the formats that have a number instead of a code. */
const BUILT_IN_DATES = /^(?:1[4-7]|22)$/;

/** Returns how a format code such as `yyyy-mm-dd;@` or `00000` shows numbers. */
function parseFormat(code: string): NumberFormat {
  const bare = code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '').split(';', 1)[0] ?? '';
  if (/^0+$/.test(bare)) return bare.length;
  return /[yd]/i.test(bare) ? 'date' : 0;
}

/** Excel computes with 15 digits and shows no more, although it may save 17. */
const DIGITS = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 });
/** The first day after 9999-12-31. */
const LAST_DAY = 2_958_466;

/**
 * Renders a number of a cell as text: a date as `2025-12-01`, or as `2025-12-01T08:30:00` if it has a time.
 *
 * @param text the number as saved, such as `45000.5` or `1.2E+15`
 */
function numberText(text: string, format: NumberFormat): string {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return text;
  if (format !== 'date') {
    // Other programs save ids of more than 15 digits exactly, as Excel itself never would.
    const digits = /^\d+$/.test(text) ? text : DIGITS.format(value);
    return digits.padStart(format, '0');
  }
  if (value < 0 || value >= LAST_DAY) return text;
  // Excel counts 1900-02-29, which did not exist.
  const epoch = Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const seconds = Math.round((value * DAY_MS) / 1000);
  const [date = '', time] = new Date(epoch + seconds * 1000).toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? date : `${date}T${time}`;
}

/** Excel writes characters that XML does not allow as `_x000D_`. */
function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
