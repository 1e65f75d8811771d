const LF = 10;
const CR = 13;

/** Counts line ends in text that comes in pieces: CR, LF and CRLF are one each, also when CRLF falls apart. */
export class LineCounter {
  /** Line ends so far. */
  count = 0;
  #afterCr = false;

  /** Counts what `bytes` (of any encoding that keeps ASCII as it is) holds between `from` and `to`. */
  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let afterCr = this.#afterCr;
    let count = this.count;
    for (let at = from; at < to; at++) {
      const byte = bytes[at];
      if (byte === LF) {
        if (!afterCr) count++;
        afterCr = false;
      } else {
        afterCr = byte === CR;
        if (afterCr) count++;
      }
    }
    this.#afterCr = afterCr;
    this.count = count;
  }
}
