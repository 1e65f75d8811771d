import { join } from 'node:path';
import { perSecond, row } from './figures.js';
import { writeSandboxList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';

const BATCH_SIZE = 10;
const FORMS = ['none', 'retry-after', 'ratelimit', 'x-epoch'];

/**
 * Measures `people bulk-add` under a limit, against the embedded sandbox, compared with the time that any client needs at
 * least; and counts the rejected requests of each window. The runs mostly wait, so that they do not slow each other.
 *
 * @param limit `[requests allowed in a period, seconds of the period, requests that the list takes]`
 */
export async function benchLimits([allowed, seconds, requests], { folder }) {
  const list = join(folder, 'limited.csv');
  await writeSandboxList(list, requests * BATCH_SIZE);
  const runs = ['window', 'bucket'].flatMap((kind) => FORMS.map((form) => ({ kind, form })));
  return Promise.all(runs.map((run) => measureLimit({ ...run, list, allowed, seconds, requests })));
}

async function measureLimit({ kind, form, list, allowed, seconds, requests }) {
  const limit = `${allowed}/${seconds}s:${kind}:${form}`;
  const args = ['people', 'bulk-add', list, '--batch-size', String(BATCH_SIZE), '--ignore-existing', '--verbose'];
  const ours = await measureOrgadm([...args, '--sandbox', '--fault', `limit=${limit}`]);
  const rejected = ours.stderr.match(/ -> 429\b/g)?.length ?? 0;
  const perWindow = (rejected / (requests / allowed)).toFixed(1);
  const ideal = {
    seconds:
      kind === 'window' ? (Math.ceil(requests / allowed) - 1) * seconds : ((requests - allowed) / allowed) * seconds,
  };
  const name = `people bulk-add, ${requests} requests under \`limit=${limit}\`, ${perWindow} of them rejected per window`;
  const figure = perSecond(requests, 'requests');
  return row(name, ours, figure, { name: 'the ideal', run: ideal, figure });
}
