import { ERROR_COLUMN, fieldForSpelling, isForbiddenKey, normalizeSpelling } from '../../entry.ts';
import type { FieldRule } from '../field-rule.ts';

/**
 * The role of a key in an entry: one or several fields, a field for which --map names another key (`replaced`), the beginning of a
 * dotted path, a field that the user omits, the error of an errors file, or something else.
 */
export type KeyRole =
  | { readonly rules: readonly FieldRule[]; readonly isReplaced: boolean }
  | 'path'
  | 'omitted'
  | 'error'
  | 'forbidden'
  | 'unknown';

const MAX_KNOWN = 1000;

/** Returns a function that finds the role of a key; the same few keys are repeated in each row. */
export function createKeyRoles(rules: readonly FieldRule[]): (key: string) => KeyRole {
  const known = new Map<string, KeyRole>();
  return (key) => {
    const role = known.get(key) ?? findKeyRole(rules, key);
    if (known.size < MAX_KNOWN) known.set(key, role);
    return role;
  };
}

function findKeyRole(all: readonly FieldRule[], key: string): KeyRole {
  if (isForbiddenKey(key)) return 'forbidden';
  const rules = all.filter(({ source }) => source !== undefined && isSameKey(source.name, key));
  if (rules.length > 0) return { rules, isReplaced: false };
  // `JsonEntries` reads values at dotted paths separately.
  if (all.some(({ source }) => source !== undefined && `${source.name}.`.startsWith(`${key}.`))) return 'path';
  const field = fieldForSpelling(key);
  const rule = all.find((candidate) => candidate.field === field && !candidate.isExtra);
  if (rule !== undefined) return rule.isOmitted ? 'omitted' : { rules: [rule], isReplaced: rule.source !== undefined };
  return normalizeSpelling(key) === ERROR_COLUMN ? 'error' : 'unknown';
}

function isSameKey(wanted: string, key: string): boolean {
  return !wanted.includes('.') && normalizeSpelling(wanted) === normalizeSpelling(key);
}
