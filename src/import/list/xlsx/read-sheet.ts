import { quote } from '../../../output/sanitize.ts';
import { type Attributes, damaged, isTrue, parsedChunks, workbookTooLarge, type XmlListener } from './archive.ts';
import { type CellArea, cellArea, columnNumber, MAX_COLUMNS } from './cell-areas.ts';
import { cellText, isText } from './cell-text.ts';
import { RichText } from './rich-text.ts';
import { type CellDoubt, type DoubtKind, isBlankRow, type SheetRow } from './sheet-row.ts';
import { isTotal, readSummaries } from './summaries.ts';
import { MAX_PART_BYTES, type Workbook, type WorkbookSheet } from './workbook.ts';

const MAX_SHEET_ROWS = 1_048_576;
/** A longer row shows that the sheet is not a member list. */
const MAX_ROW_CHARACTERS = 1024 ** 2;

/** Facts about a sheet that orgadm knows once it has read all rows. */
export interface SheetEnd {
  readonly areas: readonly CellArea[];
  readonly hiddenColumns: readonly ColumnRange[];
}

/** Columns from the first to the last, from 1. */
interface ColumnRange {
  readonly first: number;
  readonly last: number;
}

/** Yields the rows of a sheet without blank ones, in chunks. Areas of several cells have only their first value. */
export async function* readSheet(workbook: Workbook, sheet: WorkbookSheet): AsyncGenerator<SheetRow[], SheetEnd> {
  const { archive } = workbook;
  if (!archive.parts.has(sheet.path)) throw damaged(`sheet ${quote(sheet.name)} is missing`);
  const listener = new SheetListener(workbook);
  for await (const _ of parsedChunks(archive, sheet.path, MAX_PART_BYTES, listener)) yield listener.rows.splice(0);
  const { areas, hiddenColumns } = listener;
  return { areas: [...areas, ...(await readSummaries(archive, sheet.path))], hiddenColumns };
}

const NO_DOUBTS: readonly CellDoubt[] = [];

/** The formula of a cell. */
interface Formula {
  /** The range of its results if it has several, or its own reference. */
  readonly range: string | undefined;
  /** The number of a formula that several cells share. Only the first of them has the text. */
  readonly shared: string | undefined;
  text: string;
}

/** Collects the rows of a sheet from its XML. */
class SheetListener implements XmlListener {
  /** The rows so far. */
  readonly rows: SheetRow[] = [];
  readonly areas: CellArea[] = [];
  readonly hiddenColumns: ColumnRange[] = [];
  readonly #workbook: Workbook;
  #hidesZeros = false;
  #line = 0;
  #isHidden = false;
  /** Whether the style of the row is struck out; undefined if it has none. */
  #isStruckRow: boolean | undefined;
  /** By column, from 1: 1 if its style is struck out. */
  readonly #struckColumns = new Uint8Array(MAX_COLUMNS + 1);
  #cells: string[] = [];
  #doubts: CellDoubt[] | undefined;
  #column = 0;
  #cell = { type: 'n', style: 0, text: '', isStruck: false };
  #formula: Formula | undefined;
  /** The numbers of the shared formulas that are totals. */
  readonly #sharedTotals = new Set<string>();
  #hasValue = false;
  /** The element whose text is the value of the cell. */
  #valueName = 'v';
  #inValue = false;
  #inFormula = false;
  /** The text of a cell that is not among the shared ones. */
  readonly #inlineText = new RichText();

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(name: string, attributes: () => Attributes): void {
    this.#inValue = false;
    this.#inFormula = false;
    if (name === 'v') this.#openValue(name);
    else if (name === 'c') this.#openCell(attributes());
    else if (name === 'is') this.#openValue(name);
    else if (name === 'f') {
      const { t: type, ref: range, si: shared } = attributes();
      this.#formula = { range: type === 'array' || type === 'dataTable' ? range : undefined, shared, text: '' };
      this.#inFormula = true;
    } else if (name === 'row') this.#openRow(attributes());
    else if (name === 'col') this.#addColumns(attributes());
    else if (name === 'sheetView') this.#hidesZeros ||= !isTrue(attributes().showZeros ?? 'true');
    else if (name === 'mergeCell') this.#addMerged(attributes());
    else if (this.#valueName === 'is' && this.#hasValue) this.#inlineText.open(name, attributes);
  }

  text(piece: string): void {
    if (this.#inValue) this.#cell.text += piece;
    else if (this.#inFormula && this.#formula !== undefined) this.#formula.text += piece;
    else this.#inlineText.add(piece);
  }

  close(name: string): void {
    this.#inValue = false;
    this.#inFormula = false;
    if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else this.#inlineText.close(name);
  }

  #openValue(name: string): void {
    if (name !== this.#valueName) return;
    this.#hasValue = true;
    this.#inValue = name === 'v';
  }

  #openRow({ r: number = String(this.#line + 1), hidden, ht: height, s: style, customFormat }: Attributes): void {
    if (!(Number(number) > this.#line)) throw damaged(`row ${number} comes after row ${this.#line}`);
    this.#line = Number(number);
    if (this.#line > MAX_SHEET_ROWS) throw workbookTooLarge(`has more than ${MAX_SHEET_ROWS} rows`);
    this.#isHidden = isTrue(hidden) || (height !== undefined && Number(height) === 0);
    this.#isStruckRow = isTrue(customFormat) ? this.#isStruck(style) : undefined;
    this.#cells = [];
    this.#doubts = undefined;
    this.#column = 0;
  }

  #openCell({ r: reference, t: type = 'n', s: style }: Attributes): void {
    this.#column = reference === undefined ? this.#column + 1 : columnNumber(reference);
    if (this.#column > MAX_COLUMNS) throw workbookTooLarge(`has more than ${MAX_COLUMNS} columns`);
    // Without a style of its own, a cell has that of its row or column in some programs.
    const isStruck =
      style === undefined ? (this.#isStruckRow ?? this.#struckColumns[this.#column] === 1) : this.#isStruck(style);
    this.#cell = { type, style: Number(style ?? 0), text: '', isStruck };
    this.#inlineText.clear();
    this.#formula = undefined;
    this.#hasValue = false;
    this.#valueName = type === 'inlineStr' ? 'is' : 'v';
  }

  #closeCell(): void {
    const column = this.#column - 1;
    if (this.#valueName === 'is') this.#cell.text = this.#inlineText.text;
    const text = cellText(this.#cell, this.#workbook, this.#doubtCell);
    if (this.#formula !== undefined) this.#checkFormula(this.#formula);
    if (text === '') return;
    while (this.#cells.length < column) this.#cells.push('');
    this.#cells[column] = text;
    const { type, text: saved, isStruck } = this.#cell;
    const textLook = type === 's' ? this.#workbook.stringLooks.get(Number(saved)) : this.#inlineText.look;
    const look = isStruck ? 'struck' : textLook;
    if (look !== undefined && text.trim() !== '') this.#doubtCell(look);
    if (this.#hidesZeros && type === 'n' && Number(saved) === 0) this.#doubtCell('zero');
  }

  #isStruck(style = '0'): boolean {
    return this.#workbook.styles[Number(style)]?.isStruck ?? false;
  }

  /** A program that does not calculate saves a formula without a value, or asks Excel to calculate everything. */
  #checkFormula({ range, shared, text: formula }: Formula): void {
    if (isTotal(formula, this.#column) || (shared !== undefined && this.#sharedTotals.has(shared))) {
      this.#doubtCell('total');
      if (shared !== undefined) this.#sharedTotals.add(shared);
    }
    const { type, text } = this.#cell;
    if (type === 'n' && text.trim() !== '' && Number(text) === 0) this.#doubtCell('zeroResult');
    const isSaved = this.#hasValue && (isText(type) || text.trim() !== '');
    if (isSaved && !this.#workbook.isStale) return;
    this.#doubtCell('formula');
    if (range !== undefined) this.areas.push(cellArea(range, 'formula'));
  }

  readonly #doubtCell = (kind: DoubtKind): void => {
    this.#doubts ??= [];
    this.#doubts.push({ column: this.#column - 1, kind });
  };

  #closeRow(): void {
    const row = {
      line: this.#line,
      cells: this.#cells,
      isHidden: this.#isHidden,
      doubts: this.#doubts ?? NO_DOUBTS,
    };
    if (isBlankRow(row)) return;
    const length = row.cells.reduce((sum, text) => sum + text.length, 0);
    if (length > MAX_ROW_CHARACTERS)
      throw workbookTooLarge(`has more than ${MAX_ROW_CHARACTERS} characters in row ${row.line}`);
    this.rows.push(row);
  }

  #addColumns({ min, max, hidden, width, style }: Attributes): void {
    if (this.#isStruck(style)) this.#struckColumns.fill(1, Number(min), Number(max) + 1);
    if (isTrue(hidden) || (width !== undefined && Number(width) === 0))
      this.hiddenColumns.push({ first: Number(min), last: Number(max) });
  }

  #addMerged({ ref = '' }: Attributes): void {
    const area = cellArea(ref, 'merged');
    if (area.top < area.bottom || area.left < area.right) this.areas.push(area);
  }
}
