import { join } from 'node:path';
import { perSecond, row, summarize } from './figures.js';
import { writeList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';
import { has, here, measure } from './processes.js';

const BATCH_SIZE = '500';
const CONNECTIONS = '4';
const LARGEST_FOR_PYTHON = 100_000;

/**
 * Measures `people bulk-add`, compared with a loop that only posts, and with one that reads a list without validation; the three
 * take turns, so that a busy machine slows them alike.
 *
 * @param sizes pairs of rows in the list and how often it is measured
 */
export function benchPeople(sizes, index) {
  return comparePeople(sizes, 'ok', index);
}

/** The same as `benchPeople` against a service that takes as long for a request as real ones do, which is what people feel. */
export function benchLatency(sizes, index) {
  return comparePeople(sizes, 'slow', index);
}

async function comparePeople(sizes, mode, { origin, folder }) {
  const withPython = has('python3');
  const table = [];
  for (const [rows, times] of sizes) {
    const list = join(folder, 'members.csv');
    await writeList(list, rows);
    const [ours, loop, python] = [[], [], []];
    for (let time = 0; time < times; time++) {
      ours.push(await measureOrgadm(['people', 'bulk-add', list], `${origin}/${mode}`));
      const target = `${origin}/${mode}/v1/people/bulk`;
      loop.push(
        await measure(process.execPath, [here('undici-loop.js'), target, String(rows), BATCH_SIZE, CONNECTIONS]),
      );
      if (withPython && rows <= LARGEST_FOR_PYTHON)
        python.push(await measure('python3', [here('python_loop.py'), list, target, BATCH_SIZE]));
    }
    const figure = perSecond(rows, 'rows');
    const problem = `people bulk-add, ${rows.toLocaleString('en')}${mode === 'slow' ? ', 200 ms for a request' : ''}`;
    const own = summarize(ours);
    table.push(row(problem, own, figure, { name: 'undici in a loop', run: summarize(loop), figure }));
    if (python.length > 0)
      table.push(row('the same', own, figure, { name: 'Python in a loop', run: summarize(python), figure }));
  }
  return table;
}

/** Other runs of a large list: from a pipe, rejected by the service row by row, and invalid. */
export async function benchHardLists(rows, invalidRows, { origin, folder }) {
  const list = join(folder, 'members.csv');
  const invalid = join(folder, 'invalid.csv');
  await writeList(list, rows);
  await writeList(invalid, invalidRows, { valid: false });
  const report = { stdout: join(folder, 'report.json') };
  const add = (file, more, options) => measureOrgadm(['people', 'bulk-add', file, ...more], ...options);
  const runs = [
    ['from standard input', rows, await add('-', [], [`${origin}/ok`, { stdin: list }])],
    [
      'rejected one by one, report in JSON',
      rows,
      await add(list, ['--json'], [`${origin}/rejecting`, { ...report, expect: 3 }]),
    ],
    [
      'invalid, report in JSON',
      invalidRows,
      await add(invalid, ['--json'], [`${origin}/ok`, { ...report, expect: 2 }]),
    ],
  ];
  return runs.map(([way, count, run]) =>
    row(`people bulk-add, ${count.toLocaleString('en')} ${way}`, run, perSecond(count, 'rows')),
  );
}
