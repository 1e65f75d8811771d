/** Where a text stands between two values. */
export type State =
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
export type Purpose = 'element' | 'key' | 'member';

interface Step {
  /** Where a mark leads. */
  readonly marks: Readonly<Record<string, State>>;
  /** What a value would be here. */
  readonly value?: Purpose;
  /** For errors. */
  readonly expects: string;
}

/** What may stand between the values of an array, or of an object that holds one. */
export const GRAMMAR: Readonly<Record<State, Step>> = {
  top: { marks: { '[': 'first-element', '{': 'first-key' }, expects: '[ or {' },
  'first-element': { marks: { ']': 'end-of-array' }, value: 'element', expects: 'a value or ]' },
  element: { marks: {}, value: 'element', expects: 'a value' },
  'after-element': { marks: { ',': 'element', ']': 'end-of-array' }, expects: 'a comma or ]' },
  'end-of-array': { marks: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  'first-key': { marks: { '}': 'done' }, value: 'key', expects: 'a key in quotes or }' },
  key: { marks: {}, value: 'key', expects: 'a key in quotes' },
  colon: { marks: { ':': 'member' }, expects: 'a colon' },
  member: { marks: {}, value: 'member', expects: 'a value' },
  'after-member': { marks: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  done: { marks: {}, expects: 'nothing more' },
};

const VALUE_STARTS: Readonly<Record<Purpose, string>> = {
  key: '"',
  element: '{["-0123456789tfn',
  member: '{["-0123456789tfn',
};

/** Whether `mark` can be the first character of a value that is a `purpose`. */
export function startsValue(purpose: Purpose, mark: string): boolean {
  return VALUE_STARTS[purpose].includes(mark);
}
