import { freemem } from 'node:os';
import { megabytes, perSecond, ratio, renderMarkdown, summarize } from './figures.js';
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
  const withJq = has('curl') && has('jq');
  const table = [];
  for (const [findings, times] of sizes) {
    const fits = findings * JQ_BYTES_A_FINDING < freemem();
    const pipe = `curl -sS '${origin}/ok/v1/findings?taskId=${findings}' | jq -c '.[]'`;
    const jqRuns = [];
    const ours = WAYS.map(() => []);
    for (let time = 0; time < times; time++) {
      for (const [way, [, flags]] of WAYS.entries())
        ours[way].push(await measureOrgadm(['findings', 'list', '--task', String(findings), ...flags], `${origin}/ok`));
      if (withJq && fits) jqRuns.push(await measure('sh', ['-c', pipe]));
    }
    const jq = jqRuns.length > 0 ? summarize(jqRuns) : undefined;
    for (const [way, [name]] of WAYS.entries())
      table.push(findingsRow(findings, name, summarize(ours[way]), way === 0 ? jq : undefined));
  }
  const header = ['findings', 'as', 'findings/s', 'peak MB', 'curl and jq findings/s', 'its peak MB', 'time ÷ jq'];
  return renderMarkdown(header, table) + (withJq ? '' : '\n\ncurl and jq are not here: not measured.');
}

function findingsRow(findings, name, ours, jq) {
  return [
    findings.toLocaleString('en'),
    name,
    perSecond(findings, ours),
    megabytes(ours),
    perSecond(findings, jq),
    megabytes(jq),
    ratio(ours, jq),
  ];
}
