import { WordList } from './word-store.ts';

/** What the first pass found about each row, in a few bits a row. */
export class RowBitmap {
  total = 0;
  invalid = 0;
  #bits = new Uint8Array(1024);
  /** Rows whose id stood before: the row's number, then the line of the first, in order. */
  readonly #duplicates = new WordList();

  /** Takes the next row. `firstLine` is the line where its id stands already. */
  add(invalid: boolean, firstLine: number | undefined): void {
    this.total++;
    if (firstLine !== undefined) {
      this.#duplicates.push(this.total);
      this.#duplicates.push(firstLine);
    }
    if (!invalid && firstLine === undefined) return;
    this.invalid++;
    const byte = this.total >>> 3;
    while (byte >= this.#bits.length) this.#double();
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (this.total & 7));
  }

  /** Whether the row `entry` (1-based) has a problem. */
  isInvalid(entry: number): boolean {
    return (((this.#bits[entry >>> 3] ?? 0) >>> (entry & 7)) & 1) === 1;
  }

  /** The line of the row that has the id of the row `entry` already; undefined when none has. */
  firstLine(entry: number): number | undefined {
    let low = 0;
    let high = this.#duplicates.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#duplicates.at(middle * 2) < entry) low = middle + 1;
      else high = middle;
    }
    return this.#duplicates.at(low * 2) === entry ? this.#duplicates.at(low * 2 + 1) : undefined;
  }

  #double(): void {
    const bits = new Uint8Array(this.#bits.length * 2);
    bits.set(this.#bits);
    this.#bits = bits;
  }
}
