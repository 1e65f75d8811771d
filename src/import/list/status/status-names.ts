import leven from 'leven';
import { ACTIVE_WORDS, INACTIVE_WORDS } from './status-words.ts';

/**
 * The subject of a column by its name:
 * - `status`: it says in words who is active
 * - `state`: the same, or where a person lives
 * - `active`, `inactive`: a boolean, or its opposite
 * - `related-…`: it has such a word next to others, and may be about something else
 * - `leaving`: it has the day on which a person left
 * - `control`: it is the bit field of Active Directory
 */
export type StatusName =
  | 'status'
  | 'state'
  | 'active'
  | 'inactive'
  | 'related-status'
  | 'related-active'
  | 'related-inactive'
  | 'leaving'
  | 'control';

/** Words that say that it is the status of a person or of an account. */
const PERSON_WORDS = new Set(
  'account user users member employee employment worker person staff hr login signin profile access lifecycle attributes current is the read only'.split(
    ' ',
  ),
);
/** Words that say that it is the status of something else, as in `mfaEnabled`. */
const OTHER_WORDS = ['mfa', 'tfa', 'totp', 'password', 'license'];
/** Words for a status, and words that may also mean a province. */
const [STATUS_WORDS, STATE_WORDS] = [
  ['status', 'statut'],
  ['state', 'estado', 'stato'],
];

/** Names of columns with the day on which a person left, in lower-case words. */
const LEAVING_DAY = new RegExp(
  [
    '\\b(?:termination|separation|suspension|deactivation|exit|leaving|departure|end)(?: [a-z]+)? (?:date|day)\\b',
    '\\blast (?:working )?day\\b',
    '\\b(?:contract|employment) ends?\\b',
    '\\b(?:active|valid) (?:until|to|through)\\b',
    '\\baccount expir(?:ation|y) date\\b',
    '\\b(?:austrittsdatum|date de sortie|fecha de baja)\\b',
    `\\b(?:${INACTIVE_WORDS.join('|')}) (?:at|on|date|time|since)\\b`,
  ].join('|'),
);

/** Returns what the name of a column, or a path of keys, suggests about the status of people. */
export function statusName(name: string): StatusName | undefined {
  const words = wordsOf(name);
  const others = words.filter((word) => !PERSON_WORDS.has(word));
  const [first, second] = others;
  if (words.join('') === 'useraccountcontrol') return 'control';
  if (words.some((word) => OTHER_WORDS.includes(word))) return undefined;
  if (LEAVING_DAY.test(words.join(' '))) return 'leaving';
  if (first !== undefined && (others.length === 1 || (others.length === 2 && second === 'status'))) {
    if (STATUS_WORDS.includes(first)) return 'status';
    if (STATE_WORDS.includes(first)) return 'state';
    if (ACTIVE_WORDS.includes(first)) return 'active';
    if (INACTIVE_WORDS.includes(first)) return 'inactive';
  }
  return relatedName(others);
}

/** Splits `accountEnabled`, `account.enabled` and `Account Enabled [READ ONLY]` into lower-case words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((word) => word !== '');
}

function relatedName(words: readonly string[]): StatusName | undefined {
  const known = [...ACTIVE_WORDS, 'activated', ...INACTIVE_WORDS, ...STATUS_WORDS, ...STATE_WORDS];
  for (const word of words) {
    // orgadm does not read a misspelled name as the field, but must not ignore it either.
    const near = known.find((candidate) => leven(word, candidate, { maxDistance: 2 }) <= (word.length >= 5 ? 1 : 0));
    if (near === undefined) continue;
    if (INACTIVE_WORDS.includes(near)) return 'related-inactive';
    return ACTIVE_WORDS.includes(near) || near === 'activated' ? 'related-active' : 'related-status';
  }
  return undefined;
}
