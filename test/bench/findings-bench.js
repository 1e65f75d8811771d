import { freemem } from 'node:os';
import { perSecond, row, summarize } from './figures.js';
import { measureOrgadm } from './orgadm.js';
import { has, measure } from './processes.js';

const WAYS = [
  ['ndjson', ['-o', 'ndjson']],
  ['csv', ['-o', 'csv']],
  ['--count', ['--count']],
];
/** jq holds the whole list: about so much of memory for each finding. */
const JQ_BYTES_A_FINDING = 10_000;

/**
 * Measures `findings list` beside curl and jq, which turn the same answer into the same lines.
 *
 * @param sizes pairs of findings in the list and how often it is measured
 */
export async function benchFindings(sizes, { origin }) {
  const table = [];
  for (const [findings, times] of sizes) {
    const withJq = has('curl') && has('jq') && findings * JQ_BYTES_A_FINDING < freemem();
    const pipe = `curl -sS '${origin}/ok/v1/findings?taskId=${findings}' | jq -c '.[]'`;
    const jqRuns = [];
    const ours = WAYS.map(() => []);
    for (let time = 0; time < times; time++) {
      for (const [way, [, flags]] of WAYS.entries())
        ours[way].push(await measureOrgadm(['findings', 'list', '--task', String(findings), ...flags], `${origin}/ok`));
      if (withJq) jqRuns.push(await measure('sh', ['-c', pipe]));
    }
    const figure = perSecond(findings, 'findings');
    const jq = { name: 'curl and jq', run: summarize(jqRuns), figure };
    for (const [way, [name]] of WAYS.entries()) {
      const what = `findings list, ${findings.toLocaleString('en')}, ${name}`;
      table.push(row(what, summarize(ours[way]), figure, way === 0 ? jq : undefined));
    }
  }
  return table;
}
