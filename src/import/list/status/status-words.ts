/** The status of a person in a list. */
export type PersonStatus = 'active' | 'inactive';

/** Words for people who are active, as the name of a column or as a value, in the languages of `BOOLEANS`. */
export const ACTIVE_WORDS = 'active enabled employed aktiv actif activo attivo actief aktywny'.split(' ');

/** Words for people who are not active, as the name of a column or as a value. */
export const INACTIVE_WORDS = [
  ...['inactive', 'disabled', 'suspended', 'deactivated', 'deprovisioned', 'terminated'],
  ...['locked', 'blocked', 'archived', 'deleted', 'frozen', 'leaver'],
  ...['inaktiv', 'gesperrt', 'deaktiviert', 'inactif', 'suspendu', 'désactivé', 'inactivo', 'suspendido', 'bloqueado'],
  ...['inattivo', 'sospeso', 'bloccato', 'inactief', 'geblokkeerd', 'nieaktywny', 'zablokowany'],
];

/** Values that exports use for people only; the other ones may also be about a license or a device. */
const LEAVER_VALUES = [
  ...['suspended', 'terminated', 'deactivated', 'deprovisioned', 'offboarded', 'resigned', 'retired'],
  ...['on leave', 'leave of absence', 'locked out', 'staged'],
];

/** Values that are not names of columns that say who is active. */
const OTHER_VALUES = ['not active', 'removed', 'left', 'leave', 'former', 'pending', 'invited'];

const STATUS_BY_VALUE = new Map<string, PersonStatus>([
  ...[...ACTIVE_WORDS, 'activated'].map((word) => [word, 'active'] as const),
  ...[...INACTIVE_WORDS, ...LEAVER_VALUES, ...OTHER_VALUES].map((word) => [word, 'inactive'] as const),
]);

/** Reads a value such as `ACTIVE` or `Locked_Out`; undefined if it may mean anything. */
export function statusOfWord(text: string): PersonStatus | undefined {
  return STATUS_BY_VALUE.get(normalizeWord(text));
}

/** Whether a value means, in a column of any name, that a person is not active. */
export function isLeaverWord(text: string): boolean {
  return LEAVER_VALUES.includes(normalizeWord(text));
}

function normalizeWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}
