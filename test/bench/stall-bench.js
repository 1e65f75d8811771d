import { join } from 'node:path';
import { perSecond, row } from './figures.js';
import { writeList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';

/** A minute, the default timeout, and the default lifetime, at a tenth of their length. */
const SLOW_MS = 6_000;
const OPTIONS = ['--timeout', '3s', '--request-lifetime', '12s'];

/**
 * Measures `people bulk-add` into a service that is slow for its first minute, for example because a table is locked, and fast
 * afterwards; compared with the same when it is fast from the start. All times are a tenth of the real ones.
 *
 * @param rows rows in the list
 */
export async function benchStall(rows, { origin, folder }) {
  const list = join(folder, 'stalled.csv');
  await writeList(list, rows);
  const add = ['people', 'bulk-add', list, ...OPTIONS];
  // Each run has a minute of its own.
  const ours = await measureOrgadm(add, `${origin}/stalled/${SLOW_MS}/${Date.now()}`);
  const fast = await measureOrgadm(add, `${origin}/ok`);
  const title = `people bulk-add, ${rows.toLocaleString('en')}, slow for the first ${SLOW_MS / 1_000} s`;
  const figure = perSecond(rows, 'rows');
  return [row(title, ours, figure, { name: 'the same when the service is fast', run: fast, figure })];
}
