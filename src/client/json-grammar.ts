/*
 * The JSON grammar as a table: for each state and byte, the next state, or an action of the reader. Strings, numbers and
 * literals are checked byte by byte; how containers nest is up to the reader.
 */

export const State = {
  // Between values, where white space is skipped.
  start: 0,
  top: 1,
  firstElement: 2,
  element: 3,
  afterElement: 4,
  firstKey: 5,
  key: 6,
  colon: 7,
  member: 8,
  afterMember: 9,
  done: 10,
  string: 11,
  escape: 12,
} as const;

/** What an error message says was expected in a state. */
export const EXPECTED: readonly string[] = [
  '[ or {',
  '[ or {',
  'a value or ]',
  'a value',
  'a comma or ]',
  'a key in quotes or }',
  'a key in quotes',
  'a colon',
  'a value',
  'a comma or }',
  'nothing more',
];

const HEX = [13, 14, 15, 16] as const;
const [MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, SIGN, POWER] = [17, 18, 19, 20, 21, 22, 23, 24] as const;
const BYTE_ORDER_MARK = [25, 26] as const;
const LITERALS = 27;

/** Values of the table from `Action.lineBreak` on are actions. */
export const Action = {
  lineBreak: 64,
  keyStart: 65,
  escapeStart: 66,
  stringEnd: 67,
  /** A string that is a value, a number or a literal starts. */
  scalarStart: 68,
  /** The byte after a number, which belongs to what follows. */
  numberEnd: 69,
  literalEnd: 70,
  containerStart: 71,
  containerEnd: 72,
  comma: 73,
  /** A byte of a string that is not printable ASCII. */
  notPlain: 74,
  error: 255,
} as const;

/** Next state or action, at `state << 8 | byte`. */
export const TABLE = new Uint8Array(64 << 8).fill(Action.error);

/** The state after the first byte of a string, number or literal. */
export const SCALAR_STATES = new Uint8Array(256);

/** 1 for the bytes that need no attention within a string. */
export const IS_PLAIN = new Uint8Array(256);

export const IS_SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r'));

const DIGITS = '0123456789';

function on(state: number, characters: string, next: number): void {
  for (const byte of Buffer.from(characters, 'latin1')) TABLE[(state << 8) | byte] = next;
}

for (let state: number = State.start; state <= State.done; state++) {
  on(state, ' \t', state === State.start ? State.top : state);
  on(state, '\r\n', Action.lineBreak);
}
on(State.start, '\xef', BYTE_ORDER_MARK[0]);
on(BYTE_ORDER_MARK[0], '\xbb', BYTE_ORDER_MARK[1]);
on(BYTE_ORDER_MARK[1], '\xbf', State.top);
for (const state of [State.start, State.top, State.firstElement, State.element, State.member])
  on(state, '[{', Action.containerStart);
for (const state of [State.firstElement, State.element, State.member]) on(state, `"-${DIGITS}tfn`, Action.scalarStart);
for (const state of [State.firstKey, State.key]) on(state, '"', Action.keyStart);
on(State.colon, ':', State.member);
for (const state of [State.afterElement, State.afterMember]) on(state, ',', Action.comma);
for (const state of [State.firstElement, State.afterElement]) on(state, ']', Action.containerEnd);
for (const state of [State.firstKey, State.afterMember]) on(state, '}', Action.containerEnd);

for (let byte = 0x20; byte < 0x100; byte++) {
  const isPlain = byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  IS_PLAIN[byte] = isPlain ? 1 : 0;
  TABLE[(State.string << 8) | byte] = isPlain ? State.string : Action.notPlain;
}
on(State.string, '"', Action.stringEnd);
on(State.string, '\\', Action.escapeStart);
on(State.escape, '"\\/bfnrt', State.string);
on(State.escape, 'u', HEX[0]);
for (const [at, state] of HEX.entries()) on(state, `${DIGITS}abcdefABCDEF`, HEX[at + 1] ?? State.string);
SCALAR_STATES[0x22] = State.string;

on(MINUS, '0', ZERO);
on(MINUS, '123456789', INTEGER);
on(INTEGER, DIGITS, INTEGER);
for (const state of [ZERO, INTEGER]) on(state, '.', POINT);
for (const state of [POINT, FRACTION]) on(state, DIGITS, FRACTION);
for (const state of [ZERO, INTEGER, FRACTION]) on(state, 'eE', EXPONENT);
on(EXPONENT, '+-', SIGN);
for (const state of [EXPONENT, SIGN, POWER]) on(state, DIGITS, POWER);
for (const state of [ZERO, INTEGER, FRACTION, POWER]) on(state, ' \t\n\r,]}', Action.numberEnd);
SCALAR_STATES[0x2d] = MINUS;
for (const digit of Buffer.from(DIGITS)) SCALAR_STATES[digit] = digit === 0x30 ? ZERO : INTEGER;

let state = LITERALS;
for (const literal of ['true', 'false', 'null']) {
  SCALAR_STATES[literal.charCodeAt(0)] = state;
  for (const character of literal.slice(1, -1)) on(state, character, ++state);
  on(state++, literal.slice(-1), Action.literalEnd);
}
