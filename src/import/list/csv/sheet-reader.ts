import type { CsvReader, CsvRow } from './csv-reader.ts';

/** Reads the rows of a sheet, see `ConvertedSource`. Blank ones are left out already. */
export class SheetReader implements Pick<CsvReader, 'push' | 'end'> {
  readonly #skip: number;
  #rest = '';

  /** @param skipLines rows of the sheet before the header */
  constructor(skipLines: number) {
    this.#skip = skipLines;
  }

  *push(text: string): Generator<CsvRow[]> {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const rows: CsvRow[] = [];
    for (const json of lines) {
      const [line, ...cells] = JSON.parse(json) as [number, ...string[]];
      if (line > this.#skip && cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
    }
    yield rows;
  }

  *end(): Generator<CsvRow[]> {}
}
