import type { Delimiter } from './delimiter.ts';

/**
 * The records of a CSV text that holds no quote: there is nothing to parse, and cutting at the line ends (CR, LF, CRLF)
 * and delimiters is several times faster.
 */
export class UnquotedCsvSplitter {
  readonly #text: string;
  readonly #delimiter: Delimiter;
  /** Where the next record starts. */
  #start = 0;
  /** Where the next delimiter stands, which may be many records away; past the end where there is none. */
  #mark: number;

  /** @param text whole records, each with its line end; the last one may lack it */
  constructor(text: string, delimiter: Delimiter) {
    this.#text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.#delimiter = delimiter;
    this.#mark = this.#nextMark(0);
  }

  /** The cells of the next records, at most `count` of them; none when all were taken. Each record is one line. */
  take(count: number): string[][] {
    const text = this.#text;
    const records: string[][] = [];
    while (records.length < count && this.#start < text.length) {
      const lineEnd = text.indexOf('\n', this.#start);
      const end = lineEnd < 0 ? text.length : lineEnd;
      const cells: string[] = [];
      while (this.#mark < end) {
        cells.push(text.slice(this.#start, this.#mark));
        this.#start = this.#mark + 1;
        this.#mark = this.#nextMark(this.#start);
      }
      cells.push(text.slice(this.#start, end));
      this.#start = end + 1;
      records.push(cells);
    }
    return records;
  }

  #nextMark(from: number): number {
    const at = this.#text.indexOf(this.#delimiter, from);
    return at < 0 ? this.#text.length : at;
  }
}
