import { isUtf8 } from 'node:buffer';
import { convertToUtf8, type Encoding } from './encoding.ts';
import { notTextError, notUtf8Error, notValidError, rejectUtf8Lines } from './encoding-errors.ts';

const [LF, CR, CTRL_Z] = [10, 13, 26];
/** The byte order mark in UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

/**
 * Converts a list to UTF-8 without a byte order mark.
 *
 * @throws UsageError that names the lines that are not text in this encoding, or that it would garble
 */
export function toUtf8(bytes: Buffer, encoding: Encoding): Buffer {
  const { name } = encoding;
  // In UTF-16, a byte may be half of another character.
  const isUtf16 = name.startsWith('utf-16');
  const text = isUtf16 ? bytes : withoutCtrlZ(bytes);
  if (name === 'utf-8' && isUtf8(text)) return withoutZeros(withoutMarks(text));
  if (!isUtf16 && name !== 'utf-8') rejectUtf8Lines(text, name);
  const utf8 = convertToUtf8(text, name);
  if (utf8 === undefined) throw name === 'utf-8' ? notUtf8Error(text) : notValidError(text, name);
  return withoutZeros(withoutMarks(isUtf16 ? withoutCtrlZ(utf8) : utf8));
}

/** Removes the byte order marks at the beginning: programs that join files leave a second one. */
function withoutMarks(utf8: Buffer): Buffer {
  let start = 0;
  while (MARK.every((byte, at) => utf8[start + at] === byte)) start += MARK.length;
  return utf8.subarray(start);
}

function withoutZeros(utf8: Buffer): Buffer {
  if (utf8.includes(0)) throw notTextError();
  return utf8;
}

/** Removes the character with which old systems end a text. */
function withoutCtrlZ(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (bytes[end - 1] === LF || bytes[end - 1] === CR) end--;
  if (bytes[end - 1] !== CTRL_Z) return bytes;
  while (bytes[end - 1] === CTRL_Z) end--;
  return bytes.subarray(0, end);
}
