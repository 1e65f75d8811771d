const SLAB_BITS = 18;
const SLAB_WORDS = 1 << SLAB_BITS;

/** An append-only row of 32-bit words that grows by slabs of 1 MiB, so that growing never copies what is there. */
export class WordList {
  length = 0;
  readonly #slabs: Uint32Array[] = [];

  push(word: number): void {
    const slab = this.#slabs[this.length >>> SLAB_BITS] ?? this.#grow();
    slab[this.length & (SLAB_WORDS - 1)] = word;
    this.length++;
  }

  /** Appends several; their number divides that of a slab. */
  append(values: Uint32Array): void {
    const slab = this.#slabs[this.length >>> SLAB_BITS] ?? this.#grow();
    const start = this.length & (SLAB_WORDS - 1);
    for (let at = 0; at < values.length; at++) slab[start + at] = values[at] ?? 0;
    this.length += values.length;
  }

  /** The word number `index` (0-based), unsigned; 0 past the end. */
  at(index: number): number {
    return this.#slabs[index >>> SLAB_BITS]?.[index & (SLAB_WORDS - 1)] ?? 0;
  }

  #grow(): Uint32Array {
    const slab = new Uint32Array(SLAB_WORDS);
    this.#slabs.push(slab);
    return slab;
  }
}
