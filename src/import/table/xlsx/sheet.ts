import { type Cell, type Row, Unreadable } from '../table.ts';
import { type Attributes, isTrue, notWorkbook, parsedChunks, type XmlListener } from './archive.ts';
import { type CellXml, readCell } from './cell.ts';
import { RichText } from './rich-text.ts';
import type { Workbook, WorkbookSheet } from './workbook.ts';

/** A sheet has at most this many columns. */
const MAX_COLUMNS = 16_384;

/** Facts about a sheet that are known once all of its rows are read. */
export interface SheetEnd {
  /** The merged cells, such as `C2:C4`, with their last row. */
  readonly merged: readonly { readonly range: string; readonly lastRow: number }[];
}

/** Yields the rows of a sheet that are not blank, in chunks. */
export async function* readSheet(workbook: Workbook, sheet: WorkbookSheet): AsyncGenerator<Row[], SheetEnd> {
  if (!workbook.archive.parts.has(sheet.path)) throw notWorkbook();
  const listener = new SheetListener(workbook);
  for await (const _ of parsedChunks(workbook.archive, sheet.path, listener)) yield listener.rows.splice(0);
  return { merged: listener.merged };
}

/** Collects the rows of a sheet from its XML. */
class SheetListener implements XmlListener {
  /** The rows so far. */
  readonly rows: Row[] = [];
  readonly merged: { range: string; lastRow: number }[] = [];
  readonly #workbook: Workbook;
  #line = 0;
  #isHidden = false;
  #cells: Cell[] = [];
  #column = 0;
  #cell: CellXml = newCell('', 'n', 0);
  /** The element whose text is the value of the cell. */
  #valueName = 'v';
  #inValue = false;
  /** The text of a cell that is not among the shared ones. */
  readonly #inlineText = new RichText();

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(name: string, attributes: () => Attributes): void {
    this.#inValue = false;
    if (name === this.#valueName) {
      this.#cell.hasValue = true;
      this.#inValue = name === 'v';
    } else if (name === 'c') this.#openCell(attributes());
    else if (name === 'f') this.#cell.hasFormula = true;
    else if (name === 'row') this.#openRow(attributes());
    else if (name === 'mergeCell') this.#addMerged(attributes());
    else if (this.#valueName === 'is') this.#inlineText.open(name, attributes);
  }

  text(piece: string): void {
    if (this.#inValue) this.#cell.text += piece;
    else if (this.#valueName === 'is') this.#inlineText.add(piece);
  }

  close(name: string): void {
    this.#inValue = false;
    if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (this.#valueName === 'is') this.#inlineText.close(name);
  }

  #openRow({ r: number = String(this.#line + 1), hidden, ht: height }: Attributes): void {
    if (!(Number(number) > this.#line)) throw notWorkbook();
    this.#line = Number(number);
    // Libraries hide a row by its height.
    this.#isHidden = isTrue(hidden) || Number(height) === 0;
    this.#cells = [];
    this.#column = 0;
  }

  #openCell({ r: reference, t: type = 'n', s: style = '0' }: Attributes): void {
    this.#column = reference === undefined ? this.#column + 1 : columnNumber(reference);
    if (this.#column > MAX_COLUMNS) throw notWorkbook();
    const column = reference === undefined ? String(this.#column) : reference.replace(/\d+$/, '');
    this.#cell = newCell(column, type, Number(style));
    this.#valueName = type === 'inlineStr' ? 'is' : 'v';
    if (type === 'inlineStr') this.#inlineText.clear();
  }

  #closeCell(): void {
    if (this.#valueName === 'is') {
      this.#cell.text = this.#inlineText.text;
      this.#cell.look = this.#inlineText.look;
      this.#valueName = 'v';
    }
    const cell = readCell(this.#cell, this.#workbook);
    if (cell === undefined) return;
    while (this.#cells.length < this.#column - 1) this.#cells.push(undefined);
    this.#cells[this.#column - 1] = cell;
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return;
    const problem = this.#isHidden ? 'is hidden in the sheet (delete it, or show it)' : undefined;
    this.rows.push({ line: this.#line, cells: this.#cells, problem });
  }

  #addMerged({ ref: range = '' }: Attributes): void {
    const [, first, last] = /^[A-Z]+(\d+)(?::[A-Z]+(\d+))?$/.exec(range) ?? [];
    if (first === undefined) throw notWorkbook();
    if (last !== undefined) this.merged.push({ range, lastRow: Number(last) });
  }
}

function newCell(column: string, type: string, style: number): CellXml {
  return { column, type, style, text: '', look: undefined, hasFormula: false, hasValue: false };
}

/** `AB12` → 28. */
function columnNumber(reference: string): number {
  let number = 0;
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) - 64;
    if (code < 1 || code > 26) break;
    number = number * 26 + code;
  }
  if (number === 0) throw notWorkbook();
  return number;
}

/** Returns the text of a cell as the file has it, for a name in the header. */
export function textOf(cell: Cell): string {
  return cell instanceof Unreadable ? cell.text : (cell ?? '');
}
