import { nearest } from '../util/suggest.ts';
import { FIELDS, type Field } from './entry.ts';

/** Spellings of a field beside its own name, normalised. */
const ALIASES: Record<Field, readonly string[]> = {
  userId: [],
  role: [],
  department: ['dept'],
  isActive: ['active'],
  deviceMgmtLabelId: ['devicemanagementlabelid', 'devicelabelid', 'labelid'],
};

const BY_SPELLING = new Map<string, Field>(
  FIELDS.flatMap((field) => [normalise(field), ...ALIASES[field]].map((spelling) => [spelling, field] as const)),
);

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The name under which our own errors file keeps what was wrong with a row. */
export const ERROR_COLUMN = 'error';

/** A name without what spellings differ in: case, spaces, `_`, `-` and `.`. */
export function normalise(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}

/** The field that a column or key names in any usual spelling: `User ID`, `user_id`. */
export function fieldOf(name: string): Field | undefined {
  return BY_SPELLING.get(normalise(name));
}

/** The field whose spelling is nearest to an unknown name. */
export function nearestField(name: string): Field | undefined {
  const spelling = nearest(normalise(name), [...BY_SPELLING.keys()]);
  return spelling === undefined ? undefined : BY_SPELLING.get(spelling);
}

/** Whether a name must not be used as a column or key at all, since JavaScript objects give it a meaning. */
export function isForbidden(name: string): boolean {
  return FORBIDDEN.has(name.trim());
}
