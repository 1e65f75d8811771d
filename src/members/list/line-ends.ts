const LF = 10;
const CR = 13;

/** Counts line ends in text that comes in pieces: CR, LF and CRLF are one each, also when CRLF falls apart. */
export class LineCounter {
  /** Line ends so far. */
  count = 0;
  #lastByte = 0;

  /** Counts what `bytes` (of any encoding that keeps ASCII as it is) holds between `from` and `to`. */
  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let count = this.count;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (byte > CR) continue;
      if (byte === CR) count++;
      else if (byte === LF && (at > from ? bytes[at - 1] : this.#lastByte) !== CR) count++;
    }
    if (to > from) this.#lastByte = bytes[to - 1] ?? 0;
    this.count = count;
  }
}
