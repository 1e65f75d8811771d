/** The status of a person in a list. */
export type PersonStatus = 'active' | 'inactive';

const ACTIVE_WORDS = ['active', 'activated', 'enabled', 'employed'];

/** Words that exports use for people only. */
const LEAVER_WORDS = [
  ...['suspended', 'terminated', 'deactivated', 'deprovisioned', 'offboarded', 'resigned', 'retired'],
  ...['on leave', 'leave of absence', 'locked out', 'staged'],
];

/** Words that may also be about something else, such as a license or a device. */
const INACTIVE_WORDS = [
  ...['inactive', 'not active', 'disabled', 'locked', 'blocked', 'archived', 'deleted', 'removed'],
  ...['left', 'leave', 'former', 'pending', 'invited'],
];

const STATUS_BY_WORD = new Map<string, PersonStatus>([
  ...ACTIVE_WORDS.map((word) => [word, 'active'] as const),
  ...[...LEAVER_WORDS, ...INACTIVE_WORDS].map((word) => [word, 'inactive'] as const),
]);

/** Reads a word such as `ACTIVE` or `Locked_Out`; undefined if it may mean anything. */
export function statusOfWord(text: string): PersonStatus | undefined {
  return STATUS_BY_WORD.get(normalizeWord(text));
}

/** Whether a word means, in a column of any name, that a person is not active. */
export function isLeaverWord(text: string): boolean {
  return LEAVER_WORDS.includes(normalizeWord(text));
}

function normalizeWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}
