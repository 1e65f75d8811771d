const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
/** Integers of so many digits are exact. */
const EXACT_DIGITS = 15;

const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/** The offset after the null, true, false, or number as it would be printed, that begins at `at`; -1 where there is none. */
export function endOfWord(bytes: Buffer, at: number): number {
  switch (byteAt(bytes, at)) {
    case 0x6e:
      return endOf(NULL, bytes, at);
    case 0x74:
      return endOf(TRUE, bytes, at);
    case 0x66:
      return endOf(FALSE, bytes, at);
    default:
      return endOfNumber(bytes, at);
  }
}

function endOf(word: Buffer, bytes: Buffer, at: number): number {
  for (let place = 1; place < word.length; place++) {
    if (byteAt(bytes, at + place) !== word[place]) return -1;
  }
  return at + word.length;
}

/** A number is printed as it stands where it is a short integer, or JavaScript writes it just so. */
function endOfNumber(bytes: Buffer, start: number): number {
  const first = byteAt(bytes, start) === MINUS ? start + 1 : start;
  let at = first;
  while (isDigit(byteAt(bytes, at))) at++;
  const isInteger = at > first && IN_NUMBER[byteAt(bytes, at)] === 0;
  if (isInteger && at - first <= EXACT_DIGITS && byteAt(bytes, first) !== ZERO) return at;
  while (IN_NUMBER[byteAt(bytes, at)] === 1) at++;
  const text = bytes.toString('latin1', start, at);
  return String(Number(text)) === text ? at : -1;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Reading beyond the end is slow in all code that ever did it. */
function byteAt(bytes: Buffer, at: number): number {
  return at < bytes.length ? (bytes[at] ?? 0) : 0;
}
