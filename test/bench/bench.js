/*
 * npm run bench [-- --quick] [-- people|hard|findings]
 *
 * Measures the built tool as a process, against a service in another process on this machine. What counts is each ratio
 * and each peak; the rates depend on the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFindings } from './findings-bench.js';
import { benchHardLists, benchPeople } from './people-bench.js';
import { startServer } from './processes.js';

const FULL = {
  people: [
    [1_000, 5],
    [100_000, 3],
    [1_000_000, 1],
  ],
  hard: [1_000_000, 100_000],
  findings: [
    [1_000, 5],
    [100_000, 3],
    [1_000_000, 1],
  ],
};
const QUICK = {
  people: [
    [1_000, 1],
    [100_000, 1],
  ],
  hard: [100_000, 10_000],
  findings: [
    [1_000, 1],
    [10_000, 1],
  ],
};

const words = process.argv.slice(2);
const sizes = words.includes('--quick') ? QUICK : FULL;
const only = words.filter((word) => !word.startsWith('--'));

const SECTIONS = [
  ['people', 'people bulk-add', (place) => benchPeople(sizes.people, place)],
  ['hard', 'people bulk-add, other ways', (place) => benchHardLists(...sizes.hard, place)],
  ['findings', 'findings list', (place) => benchFindings(sizes.findings, place)],
];

const folder = await mkdtemp(join(tmpdir(), 'orgadm-bench-'));
const server = await startServer();
try {
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n`);
  for (const [name, title, run] of SECTIONS) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stdout.write(`\n## ${title}\n\n${await run({ origin: server.origin, folder })}\n`);
  }
} finally {
  server.stop();
  await rm(folder, { recursive: true });
}
