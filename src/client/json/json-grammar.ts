/*
 * Each state and action is a constant of its own, because the bundler then writes their values into the code: reading a list
 * takes twice as long otherwise.
 */

/** States between tokens. */
export const DOCUMENT = 0;
export const VALUE = 1;
export const FIRST_VALUE = 2;
export const KEY = 3;
export const FIRST_KEY = 4;
export const COLON = 5;
export const NEXT_VALUE = 6;
export const NEXT_KEY = 7;
export const NOTHING = 8;

/** What messages say is expected in these states. */
export const EXPECTED = [
  ...['[ or {', 'a value', 'a value or ]', 'a key in quotes', 'a key in quotes or }'],
  ...['a colon', 'a comma or ]', 'a comma or }', 'nothing more'],
] as const;

/** States within tokens: a string, an escape sequence (5 states), a number (8), a literal or the byte order mark. */
export const STRING = 9;
export const ESCAPE = 10;
const NUMBER = 15;
export const EXPONENT_DIGITS = 22;
const LITERAL = 23;

/** Actions, which the reader performs instead of entering a state. */
export const NOT_PLAIN = 64;
export const START_ESCAPE = 65;
export const START_STRING = 66;
export const START_KEY = 67;
export const END_STRING = 68;
export const START_SCALAR = 69;
export const START_NULL = 70;
export const OPEN_ARRAY = 71;
export const OPEN_OBJECT = 72;
export const CLOSE = 73;
export const END_LITERAL = 74;
export const END_NUMBER = 75;
export const INVALID = 76;

/** The grammar of JSON: the next state or an action, at `state << 8 | byte`. */
export const TABLE = new Uint8Array(64 << 8).fill(INVALID);
/** The first state within a number or literal, by its first byte. */
export const SCALARS = new Uint8Array(256);
fillTables();

function fillTables(): void {
  const add = (states: readonly number[], characters: string, next: number) => {
    for (const state of states) for (const byte of Buffer.from(characters, 'latin1')) TABLE[(state << 8) | byte] = next;
  };
  const between = [DOCUMENT, VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, NEXT_VALUE, NEXT_KEY, NOTHING];
  for (const state of between) add([state], ' \t', state);
  add(between, '\n\r', NOT_PLAIN);
  add([DOCUMENT, VALUE, FIRST_VALUE], '[', OPEN_ARRAY);
  add([DOCUMENT, VALUE, FIRST_VALUE], '{', OPEN_OBJECT);
  add([FIRST_VALUE, NEXT_VALUE], ']', CLOSE);
  add([FIRST_KEY, NEXT_KEY], '}', CLOSE);
  add([NEXT_VALUE], ',', VALUE);
  add([NEXT_KEY], ',', KEY);
  add([COLON], ':', VALUE);
  add([KEY, FIRST_KEY], '"', START_KEY);
  add([VALUE, FIRST_VALUE], '"', START_STRING);

  TABLE.fill(STRING, (STRING << 8) | 0x20, (STRING << 8) | 0x7f);
  TABLE.fill(NOT_PLAIN, (STRING << 8) | 0x7f, (STRING + 1) << 8);
  add([STRING], '"', END_STRING);
  add([STRING], '\\', START_ESCAPE);
  const [digits, hex] = ['0123456789', '0123456789abcdefABCDEF'];
  add([ESCAPE], '"\\/bfnrt', STRING);
  add([ESCAPE], 'u', ESCAPE + 1);
  for (const state of [1, 2, 3]) add([ESCAPE + state], hex, ESCAPE + state + 1);
  add([ESCAPE + 4], hex, STRING);

  const scalar = (first: string, state: number) => {
    add([VALUE, FIRST_VALUE], first, START_SCALAR);
    for (const byte of Buffer.from(first)) SCALARS[byte] = state;
  };
  const [minus, zero, integer, point, fraction, exponent, sign] = [0, 1, 2, 3, 4, 5, 6].map((at) => NUMBER + at) as [
    ...[number, number, number, number, number, number, number],
  ];
  scalar('-', minus);
  scalar('0', zero);
  scalar('123456789', integer);
  add([minus], '0', zero);
  add([minus], '123456789', integer);
  add([integer], digits, integer);
  add([zero, integer], '.', point);
  add([point, fraction], digits, fraction);
  add([zero, integer, fraction], 'eE', exponent);
  add([exponent], '+-', sign);
  add([exponent, sign, EXPONENT_DIGITS], digits, EXPONENT_DIGITS);
  add([zero, integer, fraction, EXPONENT_DIGITS], ' \t\n\r,]}', END_NUMBER);

  let state: number = LITERAL;
  const word = (rest: string, end: number) => {
    for (const character of rest.slice(0, -1)) add([state], character, ++state);
    add([state++], rest.slice(-1), end);
  };
  for (const literal of ['true', 'false', 'null']) {
    scalar(literal.charAt(0), state);
    word(literal.slice(1), END_LITERAL);
  }
  add([DOCUMENT], 'n', START_NULL);
  add([DOCUMENT], '\xef', state);
  word('\xbb\xbf', DOCUMENT);
}

/** Skips printable ASCII within a string, four bytes at a time. Returns a position at most three bytes before its end. */
export function skipText(view: DataView, start: number, length: number): number {
  let at = start;
  for (; at <= length - 4; at += 4) {
    const word = view.getInt32(at, true);
    const [quote, backslash] = [word ^ 0x22222222, word ^ 0x5c5c5c5c];
    // Any other byte sets its highest bit in one of these: a quote or backslash is 0 now.
    const bits = word | (word - 0x20202020) | (word + 0x01010101) | (quote - 0x01010101) | (backslash - 0x01010101);
    if ((bits & 0x80808080) !== 0) break;
  }
  return at;
}
