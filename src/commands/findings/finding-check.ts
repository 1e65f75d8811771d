import type { ListedFinding } from '../../client/list-findings.ts';
import type { Doubt } from '../unknown-fields.ts';

/** Reads each finding of a response, and says after the last one what it has seen: a filter, or one rule of a gate. */
export interface FindingCheck {
  /** Whether a finding remains. Called once for each. */
  keeps(finding: ListedFinding): boolean;
  /** Called after the last finding. Throws UsageError for a filter that cannot be right. */
  remarks(): Remarks;
}

/** What a check has seen. */
interface Remarks {
  readonly warnings?: readonly string[];
  /** Reasons why a gate does not pass. */
  readonly doubts?: readonly Doubt[];
}

/** Whether a finding remains after all checks. Each of them reads it, whatever the others say. */
export function keepsAll(checks: readonly FindingCheck[], finding: ListedFinding): boolean {
  return checks.map((check) => check.keeps(finding)).every(Boolean);
}
