import { join } from 'node:path';
import { megabytes, perSecond, ratio, renderMarkdown, summarize } from './figures.js';
import { writeList } from './member-lists.js';
import { measureOrgadm } from './orgadm.js';
import { has, here, measure } from './processes.js';

const BATCH_SIZE = '500';
const CONNECTIONS = '4';
const LARGEST_FOR_PYTHON = 100_000;

/**
 * Measures `people bulk-add` beside a loop that only posts, and beside one that reads a list without checks; the three
 * take turns, so that a busy machine slows them alike.
 *
 * @param sizes pairs of rows in the list and how often it is measured
 */
export async function benchPeople(sizes, { origin, folder }) {
  const withPython = has('python3');
  const table = [];
  for (const [rows, times] of sizes) {
    const list = join(folder, 'members.csv');
    await writeList(list, rows);
    const [ours, loop, python] = [[], [], []];
    for (let time = 0; time < times; time++) {
      ours.push(await measureOrgadm(['people', 'bulk-add', list], `${origin}/ok`));
      const target = `${origin}/ok/v1/people/bulk`;
      loop.push(
        await measure(process.execPath, [here('undici-loop.js'), target, String(rows), BATCH_SIZE, CONNECTIONS]),
      );
      if (withPython && rows <= LARGEST_FOR_PYTHON)
        python.push(await measure('python3', [here('python_loop.py'), list, target, BATCH_SIZE]));
    }
    table.push(peopleRow(rows, summarize(ours), summarize(loop), python.length > 0 ? summarize(python) : undefined));
  }
  const header = ['rows', 'rows/s', 'peak MB', 'undici loop rows/s', 'time ÷ undici', 'Python rows/s', 'time ÷ Python'];
  return renderMarkdown(header, table) + (withPython ? '' : '\n\npython3 is not here: not measured.');
}

function peopleRow(rows, ours, loop, python) {
  return [
    rows.toLocaleString('en'),
    perSecond(rows, ours),
    megabytes(ours),
    perSecond(rows, loop),
    ratio(ours, loop),
    perSecond(rows, python),
    ratio(ours, python),
  ];
}

/** The other ways a large list may go: from a pipe, refused by the service row by row, and invalid. */
export async function benchHardLists(rows, invalidRows, { origin, folder }) {
  const list = join(folder, 'members.csv');
  const invalid = join(folder, 'invalid.csv');
  await writeList(list, rows);
  await writeList(invalid, invalidRows, { valid: false });
  const report = { stdout: join(folder, 'report.json') };
  const add = (file, more, options) => measureOrgadm(['people', 'bulk-add', file, ...more], ...options);
  const runs = [
    [`${rows.toLocaleString('en')} from standard input`, rows, await add('-', [], [`${origin}/ok`, { stdin: list }])],
    [
      `${rows.toLocaleString('en')} refused one by one, report in JSON`,
      rows,
      await add(list, ['--json'], [`${origin}/refusing`, { ...report, expect: 3 }]),
    ],
    [
      `${invalidRows.toLocaleString('en')} invalid, report in JSON`,
      invalidRows,
      await add(invalid, ['--json'], [`${origin}/ok`, { ...report, expect: 2 }]),
    ],
  ];
  return renderMarkdown(
    ['rows', 'rows/s', 'peak MB'],
    runs.map(([what, count, run]) => [what, perSecond(count, run), megabytes(run)]),
  );
}
