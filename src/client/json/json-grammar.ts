/** Where a text stands between two values. */
export type GrammarState =
  | 'top'
  | 'first-element'
  | 'element'
  | 'after-element'
  | 'end-of-array'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'member'
  | 'after-member'
  | 'done';

/** What a value is to the text around it. */
export type ValueRole = 'element' | 'key' | 'member';

interface Step {
  /** Where a mark leads. */
  readonly transitions: Readonly<Record<string, GrammarState>>;
  /** What a value would be here. */
  readonly value?: ValueRole;
  /** For errors. */
  readonly expects: string;
}

/** What may stand between the values of an array, or of an object that holds one. */
export const GRAMMAR: Readonly<Record<GrammarState, Step>> = {
  top: { transitions: { '[': 'first-element', '{': 'first-key' }, expects: '[ or {' },
  'first-element': { transitions: { ']': 'end-of-array' }, value: 'element', expects: 'a value or ]' },
  element: { transitions: {}, value: 'element', expects: 'a value' },
  'after-element': { transitions: { ',': 'element', ']': 'end-of-array' }, expects: 'a comma or ]' },
  'end-of-array': { transitions: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  'first-key': { transitions: { '}': 'done' }, value: 'key', expects: 'a key in quotes or }' },
  key: { transitions: {}, value: 'key', expects: 'a key in quotes' },
  colon: { transitions: { ':': 'member' }, expects: 'a colon' },
  member: { transitions: {}, value: 'member', expects: 'a value' },
  'after-member': { transitions: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  done: { transitions: {}, expects: 'nothing more' },
};

const VALUE_STARTS: Readonly<Record<ValueRole, string>> = {
  key: '"',
  element: '{["-0123456789tfn',
  member: '{["-0123456789tfn',
};

/** Whether `mark` can be the first character of a value that is a `purpose`. */
export function startsValue(role: ValueRole, token: string): boolean {
  return VALUE_STARTS[role].includes(token);
}
