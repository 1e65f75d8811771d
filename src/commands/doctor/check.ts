import type { Context } from '../command-context.ts';

/** Every check, in the order in which they run. */
type CheckName = 'node' | 'state-directory' | 'runs' | 'configuration' | 'base-url' | 'api-key' | 'service' | 'clock';

/** The result of a check. */
export interface CheckResult {
  check: CheckName;
  /** `skipped`: not checked, for the reason in `detail`. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** The finding. */
  detail: string;
  /** The next step for the user; null if there is none. */
  fix: string | null;
}

/** State shared by the checks of one run. */
export interface Examination {
  readonly context: Context;
  /** API keys that must not appear in a result. Checks add those that they read. */
  readonly secrets: Set<string>;
  /** This machine's clock minus that of the service, in milliseconds; undefined until a response has a valid Date header. */
  clockOffsetMs: number | undefined;
}

/** The result of a check without its name. Texts may come from a service: they are cleaned when they are reported. */
export type CheckOutcome = Omit<CheckResult, 'check'>;

/** A check. It fails with the message and the hint of the error that it throws. */
export interface Check {
  readonly name: CheckResult['check'];
  /** If one of these failed or was skipped, this check is skipped. */
  readonly needs: readonly CheckResult['check'][];
  run(examination: Examination): CheckOutcome | Promise<CheckOutcome>;
}

function outcomeOf(state: CheckOutcome['state'], detail: string, fix?: string): CheckOutcome {
  return { state, detail, fix: fix ?? null };
}

export const ok = (detail: string) => outcomeOf('ok', detail);
export const skipped = (reason: string) => outcomeOf('skipped', reason);
export const warning = (detail: string, fix?: string) => outcomeOf('warning', detail, fix);
export const failed = (detail: string, fix?: string) => outcomeOf('failed', detail, fix);
