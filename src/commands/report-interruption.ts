import { OrgadmError } from '../util/errors.ts';
import { SIGNAL_EXIT } from '../util/host.ts';
import type { Context } from './command-context.ts';

/**
 * Ends the process at a signal while a request changes something, and says what the user cannot know: the service may have it.
 *
 * @param change a clause that says what may have happened
 * @param hint what to do to be sure
 * @returns a function that leaves signals to others again
 */
export function reportInterruption(change: string, hint: string, { host, output }: Context): () => void {
  return host.onSignal((signal) => {
    const error = new OrgadmError('interrupted', SIGNAL_EXIT[signal], `interrupted; ${change}`, { hint });
    output.error(error, { debug: false });
    host.exitNow(SIGNAL_EXIT[signal]);
  });
}
