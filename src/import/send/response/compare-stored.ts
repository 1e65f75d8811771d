import type { Member } from '../../../client/bulk-response.ts';
import type { NewMember } from '../../new-member.ts';
import { COMPARED_FIELDS, type StoredValue } from '../../outcome.ts';

/**
 * Compares a created member with the one that was sent (interface 2.2, 4.2), ignoring case: services write roles and departments
 * in their own. A field that was not sent, or that the response does not have, is no difference.
 */
export function compareStored(sent: NewMember, member: Member): StoredValue[] {
  const found: StoredValue[] = [];
  for (const path of COMPARED_FIELDS) {
    const [wanted, stored] = [sent[path], member[path]];
    if (wanted === stored || wanted === undefined || stored == null) continue;
    if (foldCase(wanted) !== foldCase(stored)) found.push({ path, stored: shown(stored) });
  }
  return found;
}

/** Whether someone who was sent as inactive is stored as active. */
export function isActivated({ path, stored }: StoredValue): boolean {
  return path === 'isActive' && foldCase(stored) !== 'false';
}

function foldCase(value: unknown): string {
  return String(shown(value)).toLowerCase();
}

/** The interface says that these are texts and booleans; any other value is shown as JSON. */
function shown(value: unknown): string | boolean {
  return typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value);
}
