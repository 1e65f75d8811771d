import type { Progress } from '../../output/progress.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import type { Context } from '../command-context.ts';

/** Does work that comes before the first row is sent, with progress. A signal ends the process, and says that nothing was sent. */
export async function beforeSending<T>(work: (progress: Progress) => Promise<T>, context: Context): Promise<T> {
  const { host, output } = context;
  const progress = await context.progress();
  const release = host.onSignal((signal) => {
    progress.stop();
    output.note('nothing was sent');
    host.exitNow(SIGNAL_EXIT[signal]);
  });
  try {
    return await work(progress);
  } finally {
    release();
    progress.stop();
  }
}
