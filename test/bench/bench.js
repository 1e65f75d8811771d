/*
 * npm run bench [-- --quick] [-- startup|people|latency|hard|findings|limits|stall]
 *
 * Measures the built tool as a process, against a service in another process on this machine. What counts is each ratio
 * and each peak; the rates depend on the machine. Prints one table in Markdown; what a machine lacks (Python, curl, jq) is
 * left out of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADER, renderMarkdown } from './figures.js';
import { benchFindings } from './findings-bench.js';
import { benchLimits } from './limits-bench.js';
import { benchHardLists, benchLatency, benchPeople } from './people-bench.js';
import { startServer } from './processes.js';
import { benchStall } from './stall-bench.js';
import { benchStartup } from './startup-bench.js';

const FULL = {
  startup: 40,
  people: [
    [1_000, 11],
    [10_000, 9],
    [100_000, 9],
    [1_000_000, 3],
  ],
  latency: [
    [2_000, 9],
    [10_000, 9],
  ],
  hard: [1_000_000, 100_000],
  findings: [
    [1_000, 11],
    [10_000, 5],
    [100_000, 3],
    [1_000_000, 1],
  ],
  limits: [100, 60, [150, 350]],
  stall: 100_000,
};
const QUICK = {
  startup: 10,
  people: [
    [1_000, 1],
    [100_000, 1],
  ],
  latency: [
    [2_000, 1],
    [10_000, 1],
  ],
  hard: [100_000, 10_000],
  findings: [
    [1_000, 1],
    [10_000, 1],
    [100_000, 1],
  ],
  limits: [30, 10, [45, 105]],
  stall: 10_000,
};

const words = process.argv.slice(2);
const sizes = words.includes('--quick') ? QUICK : FULL;
const only = words.filter((word) => !word.startsWith('--'));

const SECTIONS = [
  ['startup', (index) => benchStartup(sizes.startup, index)],
  ['people', (index) => benchPeople(sizes.people, index)],
  ['latency', (index) => benchLatency(sizes.latency, index)],
  ['hard', (index) => benchHardLists(...sizes.hard, index)],
  ['findings', (index) => benchFindings(sizes.findings, index)],
  ['limits', (index) => benchLimits(sizes.limits, index)],
  ['stall', (index) => benchStall(sizes.stall, index)],
];

const folder = await mkdtemp(join(tmpdir(), 'orgadm-bench-'));
const server = await startServer();
try {
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n\n`);
  const rows = [];
  for (const [name, run] of SECTIONS) {
    if (only.length === 0 || only.includes(name)) rows.push(...(await run({ origin: server.origin, folder })));
  }
  process.stdout.write(`${renderMarkdown(HEADER, rows)}\n`);
} finally {
  server.stop();
  await rm(folder, { recursive: true });
}
