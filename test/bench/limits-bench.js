import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { perSecond, row } from './figures.js';
import { writeSandboxList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';

const BATCH_SIZE = 10;
const COMMAND = ['people', 'bulk-add', '--ignore-existing', '--verbose', '--sandbox'];
const FORMS = ['', ':no-headers'];

/** The runs start one after the other, and then mostly wait. */
const STAGGER_MS = 1_000;

/**
 * Measures `people bulk-add` under a limit, against the embedded sandbox, and counts the rejected requests of each window.
 * The ideal is the waits that no client can avoid, and the time of an import of a single request.
 *
 * @param limit `[requests allowed in a period, seconds of the period, requests that the list takes]`
 */
export async function benchLimits([allowed, seconds, requests], { folder }) {
  const importUnder = async (count, faults) => {
    const list = join(folder, `limited-${count}.csv`);
    await writeSandboxList(list, count * BATCH_SIZE);
    return measureOrgadm([...COMMAND, list, '--batch-size', String(BATCH_SIZE), ...faults]);
  };
  const single = await importUnder(1, []);
  return Promise.all(
    FORMS.map(async (form, at) => {
      await setTimeout(at * STAGGER_MS);
      const limit = `${allowed}/${seconds}s${form}`;
      const ours = await importUnder(requests, ['--fault', `limit=${limit}`]);
      const rejected = ours.stderr.match(/ -> 429\b/g)?.length ?? 0;
      const perWindow = (rejected / (requests / allowed)).toFixed(1);
      const waits = Math.ceil(requests / allowed) - 1;
      const ideal = { seconds: waits * seconds + single.seconds };
      const figure = perSecond(requests, 'requests');
      const name = `people bulk-add, ${requests} requests, \`limit=${limit}\`, ${perWindow} rejected per window`;
      return row(name, ours, figure, { name: 'the ideal', run: ideal, figure });
    }),
  );
}
