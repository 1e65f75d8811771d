import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { markKey } from '../../members/journal/identity.ts';
import { stateDirectory } from '../../places.ts';
import type { BulkAddOptions } from './bulk-options.ts';

/** What sending needs to know beside the list. */
export interface Sending {
  /** Folder of the journals. */
  root: string;
  /** What stands for the key among them. */
  keyMark: Promise<string>;
}

/**
 * What can be begun before the list is read. A folder that cannot be used is told by `runList`.
 *
 * @throws what `context.service` throws
 */
export async function prepareToSend({ journal }: BulkAddOptions, context: Context): Promise<Sending> {
  const { apiKey, sandbox } = await context.settings();
  // Tells that the key is missing: nothing is left behind by then.
  if (apiKey === undefined && sandbox === undefined) await context.service();
  const root = journal ?? join(stateDirectory(context.host), 'runs');
  const keyMark = markKey(root, apiKey ?? '');
  keyMark.catch(() => {});
  // Takes its time to load: the hash of the key is made meanwhile.
  await context.service();
  return { root, keyMark };
}
