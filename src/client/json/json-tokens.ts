/** States within a token. From `NUMBER` on, a scalar or the byte order mark is read. */
export const [BETWEEN, STRING, ESCAPE, NUMBER] = [0, 1, 2, 7] as const;
/** States with which a token ends, before or after the byte, and the state of a byte that is not valid. */
export const [END_BEFORE, END, INVALID] = [253, 254, 255] as const;
/** The state within the digits of an exponent. */
export const POWER = NUMBER + 7;
/** The grammar of escapes, numbers and literals: the next state, at `state << 8 | byte`. */
export const TOKENS = buildTokens();

function buildTokens(): Uint8Array {
  const table = new Uint8Array(64 << 8).fill(INVALID);
  const add = (states: readonly number[], characters: string, next: number) => {
    for (const state of states) for (const byte of Buffer.from(characters, 'latin1')) table[(state << 8) | byte] = next;
  };
  const digits = '0123456789';
  add([ESCAPE], '"\\/bfnrt', STRING);
  for (const [at, next] of [3, 4, 5, 6, STRING].entries()) {
    add([ESCAPE + at], at === 0 ? 'u' : `${digits}abcdefABCDEF`, next);
  }
  const [minus, zero, integer, point, fraction, exponent, sign] = [0, 1, 2, 3, 4, 5, 6].map((at) => NUMBER + at) as [
    ...[number, number, number, number, number, number, number],
  ];
  add([BETWEEN], '-', minus);
  add([BETWEEN, minus], '0', zero);
  add([BETWEEN, minus], '123456789', integer);
  add([integer], digits, integer);
  add([zero, integer], '.', point);
  add([point, fraction], digits, fraction);
  add([zero, integer, fraction], 'eE', exponent);
  add([exponent], '+-', sign);
  add([exponent, sign, POWER], digits, POWER);
  add([zero, integer, fraction, POWER], ' \t\n\r,]}', END_BEFORE);
  let state: number = POWER;
  for (const literal of ['true', 'false', 'null', '\xef\xbb\xbf']) {
    add([BETWEEN], literal.charAt(0), ++state);
    for (const character of literal.slice(1, -1)) add([state], character, ++state);
    add([state], literal.slice(-1), END);
  }
  return table;
}
