/*
 * npm run bench [-- --quick] [-- --against <folder of another build>] [-- startup|people|latency|findings …]
 *
 * Measures the built program as a process, against a service in another process on this machine. What it is compared with runs in
 * turn with it, and each ratio is the median of the ratios of pairs, so that it holds on a machine whose speed varies. Prints one
 * table in Markdown; what is not installed (curl, jq) is left out.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { has, here, measure, startService } from './measure.js';

const NODE = process.execPath;
const BATCH_SIZE = '500';
const CONNECTIONS = '4';

const PARTS = { startup, people, latency, findings };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
});
const unknown = positionals.find((part) => !(part in PARTS));
if (unknown !== undefined) throw new Error(`no part "${unknown}"; the parts are ${Object.keys(PARTS).join(', ')}`);

const folder = await mkdtemp(join(tmpdir(), 'orgadm-bench-'));
const service = await startService();

/*
 * Each part yields problems: `name`; `args` of orgadm; `mode`, the first segment of the service's path; how many `times` to run it;
 * how many things it handles (`count`), if that is more than one; and `others`, pairs of a name and a command that solves the same.
 */

function* startup() {
  const others = [['node -e 0', [NODE, '-e', '0']]];
  const rest = { mode: 'ok', times: 40, others };
  yield { name: '`orgadm --version`', args: ['--version'], ...rest };
  yield { name: '`orgadm --help`', args: ['--help'], ...rest };
  yield { name: '`findings list`, a table of 10', args: ['findings', 'list', '--task', '10'], ...rest };
}

async function* people() {
  yield await importOf(1_000, 15);
  yield await importOf(10_000, 15);
  yield await importOf(100_000, 9);
  yield await importOf(1_000_000, 3);
  for (const [rows, times] of [
    [10_000, 15],
    [100_000, 9],
  ]) {
    const { name, args, ...rest } = await importOf(rows, times);
    yield { ...rest, name: `${name}, dry run`, args: [...args, '--dry-run'], others: [] };
  }
}

async function* latency() {
  for (const rows of [2_000, 10_000]) {
    const { name, ...rest } = await importOf(rows, 9, 'slow');
    yield { ...rest, name: `${name}, 200 ms a request` };
  }
}

/** Writes a CSV list of `count` people, whose IDs are as long as a UUID. */
async function writeList(path, count) {
  const rows = Array.from(
    { length: count },
    (_, at) => `6f1c2a9e-4b1d-8f00-9d2e-${String(at).padStart(12, '0')},member,it,true\n`,
  );
  await writeFile(path, `userId,role,department,isActive\n${rows.join('')}`);
}

async function importOf(rows, times, mode = 'ok') {
  const list = join(folder, 'members.csv');
  await writeList(list, rows);
  const url = `${service.origin}/${mode}/v1/people/bulk`;
  const others = [['undici in a loop', [NODE, here('undici-loop.js'), url, String(rows), BATCH_SIZE, CONNECTIONS]]];
  const name = `\`people bulk-add\`, ${rows.toLocaleString('en')}`;
  return { name, args: ['people', 'bulk-add', list], mode, times, count: rows, others };
}

function* findings() {
  for (const [count, times] of [
    [1_000, 15],
    [10_000, 7],
    // Nearly the 64 MiB that a response may have.
    [40_000, 3],
  ]) {
    const pipe = `curl -sS '${service.origin}/ok/v1/findings?taskId=${count}' | jq -c '.[]'`;
    for (const format of ['ndjson', 'csv']) {
      const name = `\`findings list -o ${format}\`, ${count.toLocaleString('en')}`;
      const args = ['findings', 'list', '--task', String(count), '-o', format];
      const others = format === 'ndjson' && has('curl') && has('jq') ? [['curl and jq', ['sh', '-c', pipe]]] : [];
      yield { name, args, mode: 'ok', times, count, others };
    }
  }
}

/** Runs the program of a build with a state directory of its own. */
async function measureBuild(build, { mode, args }) {
  const state = await mkdtemp(join(folder, 'state-'));
  const figures = await measure([NODE, join(build, 'bin/orgadm.js'), ...args], {
    ORGADM_BASE_URL: `${service.origin}/${mode}`,
    ORGADM_API_KEY: 'key-of-the-benchmark',
    ORGADM_STATE_DIR: state,
    ORGADM_CONFIG_DIR: join(state, 'config'),
  });
  await rm(state, { recursive: true });
  return figures;
}

/** Solves a problem with orgadm and in turn with each of the others, or with the other build; returns rows of the table. */
async function compare(problem) {
  const others =
    values.against === undefined
      ? problem.others.map(([name, command]) => ({ name, run: () => measure(command) }))
      : [{ name: values.against, run: () => measureBuild(resolve(values.against), problem) }];
  const sides = [{ run: () => measureBuild(here('../..'), problem) }, ...others];
  const runs = sides.map(() => []);
  const times = values.quick ? Math.ceil(problem.times / 5) : problem.times;
  for (let time = 0; time < times; time++) {
    // None is always the first of its pair.
    const order = [...sides.keys()];
    for (const side of time % 2 === 0 ? order : order.reverse()) runs[side].push(await sides[side].run());
  }
  const [ours, ...theirs] = runs;
  if (theirs.length === 0) return [[problem.name, ...figures(ours, problem), '', '', '', '', '']];
  return theirs.map((other, at) => {
    const ratio = (figure) => median(ours.map((run, pair) => run[figure] / other[pair][figure])).toFixed(2);
    const compared = [others[at].name, ...figures(other, problem), ratio('seconds'), ratio('cpu')];
    return [problem.name, ...figures(ours, problem), ...compared];
  });
}

/** The cells of several runs of one command: the median of their times, with the rate, and of their peaks of memory. */
function figures(runs, { count }) {
  const seconds = median(runs.map((run) => run.seconds));
  const rate = count === undefined ? '' : `, ${Math.round(count / seconds).toLocaleString('en')}/s`;
  const peaks = runs.flatMap(({ peakMb }) => peakMb ?? []);
  return [`${seconds.toFixed(3)} s${rate}`, peaks.length === 0 ? '–' : Math.round(median(peaks))];
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const printRow = (cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

try {
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n\n`);
  printRow(['', 'orgadm', 'peak MB', 'compared with', 'its time', 'its peak MB', 'time ÷ its time', 'CPU ÷ its CPU']);
  printRow(['---', '--:', '--:', '---', '--:', '--:', '--:', '--:']);
  for (const part of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    for await (const problem of PARTS[part]()) (await compare(problem)).forEach(printRow);
  }
} finally {
  service.stop();
  await rm(folder, { recursive: true });
}
