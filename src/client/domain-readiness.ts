import type { DomainStatus } from './response-schemas.ts';

export type MisconfiguredState = 'yes' | 'no' | 'unknown';

/**
 * Reads `misconfigured`, whose inner shape the interface leaves open (interface 2.4): a boolean, or an object with a
 * boolean of that name. Everything else, null included (the provider could not be asked), is unknown.
 *
 * @returns undefined where the answer does not have the field
 */
export function misconfiguredState(status: DomainStatus): MisconfiguredState | undefined {
  const value = status.misconfigured;
  if (value === undefined) return undefined;
  const inner =
    typeof value === 'object' && value !== null ? (value as { misconfigured?: unknown }).misconfigured : value;
  if (typeof inner !== 'boolean') return 'unknown';
  return inner ? 'yes' : 'no';
}

/** Ready: verified, and not reported as misconfigured. Unknown is not ready yet; a status without the field can be. */
export function isReady(status: DomainStatus): boolean {
  const misconfigured = misconfiguredState(status);
  return status.verified && (misconfigured === undefined || misconfigured === 'no');
}
