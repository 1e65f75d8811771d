const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What may follow a backslash where nothing shorter stands for the character. */
const ESCAPES = new Uint8Array(256);
for (const character of '"\\bfnrt') ESCAPES[character.charCodeAt(0)] = 1;

/**
 * Finds the ends of strings that stand as they would be printed: all characters as they are, but for those that
 * must be escaped, and these in the shortest way.
 */
export class PrintedStrings {
  /** Whether there was anything but ASCII since `use`; whether that is UTF-8 is not looked at. */
  beyondAscii = false;
  #bytes: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);

  /** Takes the bytes of the strings to come. */
  use(bytes: Uint8Array): void {
    this.beyondAscii = false;
    if (this.#bytes === bytes) return;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The offset after the closing quote of the string whose content begins at `from`; -1 where it is another string. */
  end(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.plainEnd(from);
    while (at < length) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        if (at + 1 >= length || ESCAPES[bytes[at + 1] ?? 0] === 0) return -1;
        at = this.plainEnd(at + 2);
      } else {
        if (byte < 0x80 || isHidden(bytes, at)) return -1;
        this.beyondAscii = true;
        at = this.plainEnd(at + 1);
      }
    }
    return -1;
  }

  /** The offset at or after `from` of the first byte that is not printable ASCII, or is a quote or a backslash. */
  plainEnd(from: number): number {
    const view = this.#view;
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = from;
    for (; at + 4 <= length; at += 4) {
      const four = view.getInt32(at, true);
      // The highest bit of a byte gets set in the first term where it is not ASCII, in the second for DEL, in the third below
      // a space, in the others for a quote and a backslash. Only such a byte carries into the next, so the first is right.
      const stops =
        (four |
          (four + 0x01010101) |
          (four - 0x20202020) |
          ((four ^ 0x22222222) - 0x01010101) |
          ((four ^ 0x5c5c5c5c) - 0x01010101)) &
        0x80808080;
      if (stops !== 0) return at + ((31 - Math.clz32(stops & -stops)) >> 3);
    }
    while (at < length && isPlain(bytes[at] ?? 0)) at++;
    return at;
  }

  /** A hash of the bytes from `start` to `end`, of which four more must follow. */
  hash(start: number, end: number, seed: number): number {
    return hashBytes(this.#view, start, end, seed);
  }
}

/** A hash of a text, as `PrintedStrings` gives it. */
export function hashText(text: string, seed: number): number {
  const bytes = Buffer.from(`${text}    `);
  return hashBytes(new DataView(bytes.buffer, bytes.byteOffset), 0, bytes.length - 4, seed);
}

function hashBytes(view: DataView, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at += 4) {
    const four = view.getInt32(at, true);
    hash = Math.imul(hash ^ (end - at < 4 ? four & ((1 << ((end - at) << 3)) - 1) : four), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH;
}

/** Whether the character at `at` is C1, a mark of direction, a line separator or a byte order mark. */
function isHidden(bytes: Uint8Array, at: number): boolean {
  if (at + 2 >= bytes.length) return true;
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  switch (bytes[at]) {
    case 0xc2:
      return second <= 0x9f;
    case 0xd8:
      return second === 0x9c;
    case 0xe2:
      if (second === 0x80) return third === 0x8e || third === 0x8f || (third >= 0xa8 && third <= 0xae);
      return second === 0x81 && third >= 0xa6 && third <= 0xa9;
    case 0xef:
      return second === 0xbb && third === 0xbf;
    default:
      return false;
  }
}
