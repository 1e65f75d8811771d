import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { perSecond, row } from './figures.js';
import { writeList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';
import { here, measure } from './processes.js';

const BATCH_SIZE = '10';

/** The limits that the service has, by the first segments of its path: the last two names are those of test/helpers/rate-limits.js. */
const LIMITS = [
  ['counters that slide, X-RateLimit-* and Retry-After', 'sliding/throttler'],
  ['counters that slide, Retry-After only', 'sliding/retry-after'],
  ['a window, X-RateLimit-* and Retry-After', 'window/throttler'],
];

/** The runs start one after the other, and then mostly wait. */
const STAGGER_MS = 1_000;

/**
 * Measures `people bulk-add` under limits, compared with a loop that obeys Retry-After.
 *
 * @param limit requests allowed in a period, seconds of the period, and the numbers of requests that lists take
 */
export async function benchLimits([allowed, seconds, sizes], { origin, folder }) {
  const lists = new Map();
  for (const requests of sizes) {
    lists.set(requests, join(folder, `limited-${requests}.csv`));
    await writeList(lists.get(requests), requests * Number(BATCH_SIZE));
  }
  const runs = sizes.flatMap((requests) => LIMITS.map(([name, path]) => ({ requests, name, path })));
  return Promise.all(
    runs.map(async ({ requests, name, path }, at) => {
      await setTimeout(at * STAGGER_MS);
      // Each client has counters of its own.
      const service = (client) => `${origin}/limited/${path}/${allowed}/${seconds}/${client}-${requests}`;
      const add = ['people', 'bulk-add', lists.get(requests), '--batch-size', BATCH_SIZE];
      const [ours, loop] = await Promise.all([
        measureOrgadm(add, service('orgadm')),
        measure(process.execPath, [
          here('retry-loop.js'),
          `${service('loop')}/v1/people/bulk`,
          String(requests),
          BATCH_SIZE,
        ]),
      ]);
      const figure = perSecond(requests, 'requests');
      const title = `people bulk-add, ${requests} requests, ${allowed} in ${seconds} s, ${name}`;
      return row(title, ours, figure, { name: 'a loop that obeys Retry-After', run: loop, figure });
    }),
  );
}
