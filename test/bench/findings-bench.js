import { freemem } from 'node:os';
import { perSecond, row, summarize } from './figures.js';
import { CSV_FILTER } from './findings-body.js';
import { measureOrgadm } from './orgadm.js';
import { has, measure } from './processes.js';

/** The formats to print, and the jq program that prints the same. */
const WAYS = [
  ['ndjson', ['-o', 'ndjson'], "-c '.[]'"],
  ['csv', ['-o', 'csv'], `-r '${CSV_FILTER}'`],
  ['--count', ['--count'], 'length'],
];
/** jq holds the entire list: about so much of memory for each finding. */
const JQ_BYTES_A_FINDING = 10_000;

/**
 * Measures `findings list`, compared with curl and jq, which print the same for the same response.
 *
 * @param sizes pairs of findings in the list and how often it is measured
 */
export async function benchFindings(sizes, { origin }) {
  const table = [];
  for (const [findings, times] of sizes) {
    const withJq = has('curl') && has('jq') && findings * JQ_BYTES_A_FINDING < freemem();
    const ours = WAYS.map(() => []);
    const jqs = WAYS.map(() => []);
    for (let time = 0; time < times; time++) {
      for (const [way, [, flags, filter]] of WAYS.entries()) {
        ours[way].push(await measureOrgadm(['findings', 'list', '--task', String(findings), ...flags], `${origin}/ok`));
        if (!withJq) continue;
        const pipe = `curl -sS '${origin}/ok/v1/findings?taskId=${findings}' | jq ${filter}`;
        jqs[way].push(await measure('sh', ['-c', pipe]));
      }
    }
    const figure = perSecond(findings, 'findings');
    for (const [way, [name]] of WAYS.entries()) {
      const problem = `findings list, ${findings.toLocaleString('en')}, ${name}`;
      table.push(row(problem, summarize(ours[way]), figure, { name: 'curl and jq', run: summarize(jqs[way]), figure }));
    }
  }
  return table;
}
