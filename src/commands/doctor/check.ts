import type { CheckResult } from './doctor-output.ts';
import type { Examination } from './examination.ts';

/** The result of a check without its name. Texts may come from a service: they are cleaned when they are reported. */
export type CheckOutcome = Omit<CheckResult, 'check'>;

/** A check. It fails with the message and the hint of the error that it throws. */
export interface Check {
  readonly name: CheckResult['check'];
  /** If one of these failed or could not run, this check is skipped. */
  readonly needs: readonly CheckResult['check'][];
  run(examination: Examination): CheckOutcome | Promise<CheckOutcome>;
}

function outcomeOf(state: CheckOutcome['state'], detail: string, fix?: string): CheckOutcome {
  return { state, detail, fix: fix ?? null };
}

export const ok = (detail: string) => outcomeOf('ok', detail);
export const skipped = (detail: string) => outcomeOf('skipped', detail);
export const warning = (detail: string, fix?: string) => outcomeOf('warning', detail, fix);
export const failed = (detail: string, fix?: string) => outcomeOf('failed', detail, fix);
