import { row, summarize } from './figures.js';
import { measureOrgadm } from './orgadm.js';
import { measure } from './processes.js';

/** Findings in the list: so few that the time is that of the start. */
const FINDINGS = '10';
const COMMANDS = [
  ['`orgadm --version`', ['--version']],
  ['`orgadm --help`', ['--help']],
  [`\`orgadm findings list\`, a table of ${FINDINGS}`, ['findings', 'list', '--task', FINDINGS]],
];

/**
 * Measures how long a command takes from start to exit, compared with a Node.js process that does nothing; they alternate.
 *
 * @param times how often each is measured
 */
export async function benchStartup(times, { origin }) {
  const node = [];
  const ours = COMMANDS.map(() => []);
  for (let time = 0; time < times; time++) {
    node.push(await measure(process.execPath, ['-e', '0']));
    for (const [at, [, args]] of COMMANDS.entries()) ours[at].push(await measureOrgadm(args, `${origin}/ok`));
  }
  const other = { name: '`node -e 0`', run: summarize(node), figure: milliseconds };
  return COMMANDS.map(([name], at) => row(name, summarize(ours[at]), milliseconds, other));
}

const milliseconds = (run) => `${Math.round(run.seconds * 1000)} ms`;
