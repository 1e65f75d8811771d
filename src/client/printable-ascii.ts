/** Whether all bytes are from 0x20 to 0x7e; reads most of them four at a time. */
export function isPrintableAscii(bytes: Buffer): boolean {
  const start = -bytes.byteOffset & 3;
  const count = Math.max(0, (bytes.length - start) >> 2);
  const words = count === 0 ? [] : new Int32Array(bytes.buffer, bytes.byteOffset + start, count);
  let bits = 0;
  // A smaller or larger byte sets its highest bit in the difference or the sum.
  for (let at = 0; at < count; at++) {
    const word = words[at] as number;
    bits |= word | (word - 0x20202020) | (word + 0x01010101);
  }
  const isByteIn = (byte: number) => byte >= 0x20 && byte < 0x7f;
  const others = [bytes.subarray(0, start), bytes.subarray(start + 4 * count)];
  return (bits & 0x80808080) === 0 && others.every((some) => some.every(isByteIn));
}
