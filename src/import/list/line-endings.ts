const LF = 10;
const CR = 13;

/**
 * The line, 1-based, on which a byte of a list stands; CR, LF and CRLF each end one.
 *
 * @param blocks the bytes of the list from its start, each but the last of an even length
 * @param offset of the byte
 * @param wide how two bytes make a character, where they do
 */
export async function lineAtOffset(
  blocks: AsyncIterable<Uint8Array>,
  offset: number,
  wide: 'little-endian' | 'big-endian' | undefined,
): Promise<number> {
  const step = wide === undefined ? 1 : 2;
  let left = offset;
  let line = 1;
  let last = 0;
  for await (const block of blocks) {
    for (let at = 0; at < block.length && at + step <= left; at += step) {
      const [one = 0, two = 0] = [block[at], block[at + 1]];
      const unit = wide === undefined ? one : wide === 'big-endian' ? (one << 8) | two : (two << 8) | one;
      if (unit === CR || (unit === LF && last !== CR)) line++;
      last = unit;
    }
    left -= block.length;
    if (left < step) break;
  }
  return line;
}
