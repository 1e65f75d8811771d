/** So much becomes text at a time: larger strings take Node ten times as long to make. */
const WINDOW_BYTES = 64 * 1024;

/** A part of some bytes as text in which each character stands for a byte, for patterns to read. */
export class ByteWindow {
  text = '';
  #bytes: Buffer = Buffer.alloc(0);
  #base = 0;

  /** Makes text of what begins at the offset `from`, and gives its place in the text: 0. */
  show(bytes: Buffer, from: number): number {
    this.#bytes = bytes;
    this.#base = from;
    this.text = bytes.toString('latin1', from, from + WINDOW_BYTES);
    return 0;
  }

  /** Where the offset `from` of these bytes stands in the text; undefined where it does not. */
  place(bytes: Buffer, from: number): number | undefined {
    const at = from - this.#base;
    return bytes === this.#bytes && at >= 0 && at < this.text.length ? at : undefined;
  }

  /** Whether the bytes go on where the text ends. */
  get isCut(): boolean {
    return this.#base + this.text.length < this.#bytes.length;
  }
}
