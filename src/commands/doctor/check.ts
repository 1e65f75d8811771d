import type { ProbeTarget } from '../../client/http/connection-probe.ts';
import type { KeyVerification } from '../auth/verify-key.ts';
import type { Context } from '../command-context.ts';
import type { CheckResult } from './doctor-output.ts';
import type { ObservedClient } from './observed-client.ts';

/** The result of a check without its name. Texts may come from a service: they are cleaned when they are reported. */
export type CheckOutcome = Omit<CheckResult, 'check'>;

/** A check. It fails with the message and the hint of the error that it throws. */
export interface Check {
  readonly name: CheckResult['check'];
  /** If one of these failed or could not run, this check is skipped. */
  readonly needs: readonly CheckResult['check'][];
  run(examination: Examination): CheckOutcome | Promise<CheckOutcome>;
}

/** State shared by the checks of one run. */
export interface Examination {
  readonly context: Context;
  /** API keys that must not appear in a result. Checks add those that they read. */
  readonly secrets: Set<string>;
  /** Returns the base URL of the service or the sandbox. Throws UsageError if it is missing or cannot be used. */
  serviceUrl(): Promise<URL>;
  /** Returns where the client would connect to. Throws UsageError for a proxy that cannot be used. */
  target(): Promise<ProbeTarget>;
  /** Returns the client of all checks. */
  client(): Promise<ObservedClient>;
  /** Reads findings once, to see whether the service accepts the key. */
  verification(): Promise<KeyVerification>;
}

function outcomeOf(state: CheckOutcome['state'], detail: string, fix?: string): CheckOutcome {
  return { state, detail, fix: fix ?? null };
}

export const ok = (detail: string) => outcomeOf('ok', detail);
export const skipped = (detail: string) => outcomeOf('skipped', detail);
export const warning = (detail: string, fix?: string) => outcomeOf('warning', detail, fix);
export const failed = (detail: string, fix?: string) => outcomeOf('failed', detail, fix);
