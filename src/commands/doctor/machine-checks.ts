import { randomUUID } from 'node:crypto';
import { access, constants, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stateDirectory, stateSubdirectory } from '../../config/private-file.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { describeFsError, systemErrorCode } from '../../util/errors.ts';
import { isLocked } from '../../util/file-lock.ts';
import type { Host } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import { type Check, type CheckOutcome, failed, ok, warning } from './check.ts';

/** The checks of this machine, and of the state that earlier runs left in the state directory. */
export const MACHINE_CHECKS: readonly Check[] = [
  { name: 'node', needs: [], run: () => checkNodeVersion(process.versions.node) },
  { name: 'state-directory', needs: [], run: ({ context }) => checkStateDirectory(context.host) },
  { name: 'disk-space', needs: ['state-directory'], run: ({ context }) => checkDiskSpace(context.host) },
  { name: 'runs', needs: ['state-directory'], run: ({ context }) => checkRuns(context.host) },
  { name: 'locks', needs: ['state-directory'], run: ({ context }) => checkLocks(context.host) },
];

/** Checks a version of Node.js such as `20.19.0`. */
export function checkNodeVersion(version: string): CheckOutcome {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    return failed(`Node.js ${version} is too old`, 'Install Node.js 20.19 or later.');
  }
  if (major % 2 === 1) {
    return warning(`Node.js ${version} is not a long-term support release`, 'Use Node.js 20, 22 or 24.');
  }
  return ok(`Node.js ${version}`);
}

/** Below this the state directory has no room for an import of any size, in bytes. */
const MIN_FREE_BYTES = 1024 * 1024;
/** Below this a large import may fill the disk, in bytes. */
const LOW_FREE_BYTES = 100 * 1024 * 1024;

/** Rates the free space of the state directory, in bytes. */
export function checkFreeSpace(bytes: number, directory: string): CheckOutcome {
  const detail = `${formatBytes(bytes)} free in ${directory}`;
  const fix = 'Free some space, or set ORGADM_STATE_DIR to a directory on another disk.';
  if (bytes < MIN_FREE_BYTES) return failed(detail, fix);
  return bytes < LOW_FREE_BYTES ? warning(detail, fix) : ok(detail);
}

function formatBytes(bytes: number): string {
  const megabytes = bytes / (1024 * 1024);
  return megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${megabytes.toFixed(1)} MB`;
}

async function checkDiskSpace(host: Host): Promise<CheckOutcome> {
  const directory = await nearestDirectory(stateDirectory(host));
  const { bavail, bsize } = await statfs(directory);
  return checkFreeSpace(bavail * bsize, directory);
}

async function checkStateDirectory(host: Host): Promise<CheckOutcome> {
  const directory = resolve(stateDirectory(host));
  try {
    const nearest = await nearestDirectory(directory);
    if (nearest !== directory) {
      await access(nearest, constants.W_OK | constants.X_OK);
      return ok(`${directory} does not exist yet, but orgadm can create it`);
    }
    const probe = join(directory, `.doctor-${randomUUID()}`);
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' }).finally(() => rm(probe, { force: true }));
  } catch (error) {
    return failed(
      `cannot write to ${directory}: ${describeFsError(error)}`,
      'Make it writable, or set ORGADM_STATE_DIR to a directory that you own.',
    );
  }
  return ok(`${directory} is writable`);
}

/** The directory itself, or the nearest one above it that exists. Throws if a file is in the way. */
async function nearestDirectory(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    const parent = dirname(path);
    if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error;
    return nearestDirectory(parent);
  }
  throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
}

async function checkRuns(host: Host): Promise<CheckOutcome> {
  const { runs } = await listRuns(stateSubdirectory(host, 'runs'));
  const count = (wanted: RecordedRun['status']) => runs.filter(({ status }) => status === wanted).length;
  const problems = [
    countOf(count('unfinished'), 'unfinished import run'),
    countOf(count('damaged'), 'damaged journal'),
  ];
  const shown = problems.filter((problem) => !problem.startsWith('0 '));
  if (shown.length > 0)
    return warning(shown.join(', '), 'To list the commands that continue them, run: orgadm runs list');
  if (runs.length === 0) return ok('no import runs');
  return ok(`${countOf(runs.length, 'import run')}, ${count('running') > 0 ? 'one in progress' : 'all finished'}`);
}

async function checkLocks(host: Host): Promise<CheckOutcome> {
  const directories = await subdirectories(stateSubdirectory(host, 'services'));
  const held = await Promise.all(directories.map((directory) => isLocked(join(directory, 'lock'))));
  return ok(held.includes(true) ? 'an import is in progress' : 'no import is in progress');
}

async function subdirectories(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
