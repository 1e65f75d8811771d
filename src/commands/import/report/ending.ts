import type { StopReason } from './document.ts';

/** How the report of a list came about. It decides what the report says about its end, and what people can do next. */
export type Ending =
  /** The run reached its end. `canContinue`: whether rows of unknown outcome are left. */
  | { readonly kind: 'complete'; readonly canContinue: boolean }
  | Stopped
  /** orgadm only checked the list: a dry run, or a list that it does not send. */
  | { readonly kind: 'checked'; readonly isDryRun: boolean; readonly stopped: StopReason | null }
  /** The run had ended before this command, or another process is working on it. */
  | { readonly kind: 'recorded'; readonly stopped: StopReason | null; readonly canContinue: boolean };

/** A run that ended early. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly reason: StopReason;
  readonly canContinue: boolean;
  /** Whether the command ends with an error that says why, so that a table need not. */
  readonly isError: boolean;
  /** The message on every row that was sent, which that error quotes. */
  readonly quotedMessage: string | undefined;
}

/** Returns why a run ended early, or why nothing was sent; null if it reached its end, and for a dry run. */
export function stopReasonOf(ending: Ending): StopReason | null {
  if (ending.kind === 'complete') return null;
  return ending.kind === 'stopped' ? ending.reason : ending.stopped;
}

/** Whether the user can continue the run. */
export function canContinue(ending: Ending): boolean {
  return ending.kind !== 'checked' && ending.canContinue;
}
