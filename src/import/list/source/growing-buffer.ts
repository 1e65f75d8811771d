/** Bytes in one piece that arrive in pieces. Joining them at the end would need memory for all of them twice. */
export class GrowingBuffer {
  #capacity: Buffer;
  #length = 0;

  /** @param expectedBytes how many bytes will probably arrive */
  constructor(expectedBytes: number) {
    this.#capacity = Buffer.allocUnsafe(expectedBytes);
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#capacity.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#capacity.length));
      larger.set(this.bytes);
      this.#capacity = larger;
    }
    this.#capacity.set(bytes, this.#length);
    this.#length = length;
  }

  /** The bytes that have arrived. */
  get bytes(): Buffer {
    return this.#capacity.subarray(0, this.#length);
  }
}
