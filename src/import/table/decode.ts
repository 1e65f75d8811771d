import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../util/errors.ts';

/** The byte order marks. */
const MARKS = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/**
 * Converts a list to UTF-8 without a byte order mark. Text is UTF-8, or has a byte order mark, or `--encoding` names it.
 *
 * @param requested the value of `--encoding`
 * @throws UsageError that names the first line that is not text in this encoding
 */
export function decodeText(bytes: Buffer, requested: string | undefined): Buffer {
  const marked = (Object.keys(MARKS) as (keyof typeof MARKS)[]).find((name) =>
    MARKS[name].every((byte, at) => bytes[at] === byte),
  );
  const encoding = requested === undefined ? (marked ?? 'utf-8') : encodingName(requested);
  if (marked !== undefined && marked !== encoding)
    throw new UsageError(
      `--encoding ${requested}: the list begins with a byte order mark, so it is ${marked.toUpperCase()}`,
      'Remove --encoding.',
    );
  const text = marked === undefined ? bytes : bytes.subarray(MARKS[marked].length);
  if (encoding === 'utf-8') {
    if (!isUtf8(text)) throw notText(text, encoding);
    return text;
  }
  return convertToUtf8(text, encoding);
}

function encodingName(label: string): string {
  try {
    return new TextDecoder(label, { fatal: true }).encoding;
  } catch {
    throw new UsageError(
      `--encoding: "${label}" is not a known encoding`,
      'Examples: utf-8, utf-16le, windows-1252, iso-8859-2, macintosh, shift_jis, gb18030.',
    );
  }
}

/** Bytes that are converted at a time: all of a list as a string would need several times its memory. */
const CONVERTED_BYTES = 64 * 1024;

function convertToUtf8(bytes: Buffer, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const parts: Buffer[] = [];
  try {
    // Without `stream`, Node.js 20 decodes windows-1252 as Latin-1.
    for (let start = 0; start < bytes.length; start += CONVERTED_BYTES)
      parts.push(Buffer.from(decoder.decode(bytes.subarray(start, start + CONVERTED_BYTES), { stream: true })));
    parts.push(Buffer.from(decoder.decode()));
  } catch {
    throw notText(bytes, encoding);
  }
  return Buffer.concat(parts);
}

const LF = 10;

/** Returns the error about the first line that is not text; in UTF-16, a byte cannot be told to be the end of a line. */
function notText(bytes: Buffer, encoding: string): UsageError {
  const name = encoding === 'utf-8' ? 'UTF-8' : encoding;
  const line = encoding.startsWith('utf-16') ? undefined : firstBadLine(bytes, encoding);
  return new UsageError(
    line === undefined ? `the list is not ${name}` : `line ${line} is not ${name}`,
    'Save the list as "CSV UTF-8", or name its encoding: --encoding windows-1252',
    'bad-encoding',
  );
}

function firstBadLine(bytes: Buffer, encoding: string): number | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let line = 1, start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(LF, start) + 1 || bytes.length;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end;
  }
  return undefined;
}
