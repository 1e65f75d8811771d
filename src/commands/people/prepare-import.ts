import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { stateDirectory } from '../../config/paths.ts';
import type { BulkAddOptions } from './bulk-options.ts';

/** What sending needs in addition to the list. */
export interface PreparedImport {
  /** Directory of the journals. */
  root: string;
  /** Directory of the locks, one per service and key. */
  locks: string;
}

/**
 * Prepares what does not need the list. A directory that cannot be used is reported by `runImport`.
 *
 * @throws what `context.service` throws
 */
export async function prepareImport({ journal }: BulkAddOptions, context: Context): Promise<PreparedImport> {
  await context.service();
  const state = stateDirectory(context.host);
  return { root: journal ?? join(state, 'runs'), locks: join(state, 'locks') };
}
