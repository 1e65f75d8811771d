import { randomUUID } from 'node:crypto';
import { access, constants, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { checkApiKey } from '../../client/http/headers.ts';
import { isOpenToOthers, isWritableByOthers, stateDirectory } from '../../config/private-file.ts';
import { configFile, credentialsFile, missingKeyError, readStoredKeys } from '../../config/profiles.ts';
import { missingBaseUrlError, type Settings } from '../../config/settings.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { parseBaseUrl, repeatedVersionHint } from '../../util/base-url.ts';
import { describeFsError } from '../../util/errors.ts';
import { inspectLock } from '../../util/file-lock.ts';
import type { Host } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { type CheckDefinition, type CheckOutcome, type Diagnosis, failed, ok, warning } from './check.ts';

const OLDEST_NODE = [20, 19] as const;

/** Checks a version of Node.js such as `20.19.0`. */
export function checkNodeVersion(version: string): CheckOutcome {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return failed(`Node.js ${version} is too old`, `Install Node.js ${OLDEST_NODE.join('.')} or later.`);
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

/** The checks of this machine: Node.js and the state directory. */
export const MACHINE_CHECKS: readonly CheckDefinition[] = [
  { name: 'node', needs: [], run: () => checkNodeVersion(process.versions.node) },
  { name: 'state-directory', needs: [], run: ({ context }) => checkStateDirectory(context.host) },
  {
    name: 'disk-space',
    needs: ['state-directory'],
    async run({ context }) {
      const directory = await nearestDirectory(stateDirectory(context.host));
      const { bavail, bsize } = await statfs(directory);
      return checkFreeSpace(bavail * bsize, directory);
    },
  },
  { name: 'runs', needs: ['state-directory'], run: ({ context }) => checkRuns(context.host) },
  { name: 'locks', needs: ['state-directory'], run: ({ context }) => checkLocks(context.host) },
];

async function checkStateDirectory(host: Host): Promise<CheckOutcome> {
  const directory = resolve(stateDirectory(host));
  const elsewhere = 'Make it writable, or set ORGADM_STATE_DIR to a directory of yours.';
  try {
    const nearest = await nearestDirectory(directory);
    if (nearest !== directory) {
      await access(nearest, constants.W_OK | constants.X_OK);
      return ok(`${directory} does not exist yet and can be created`);
    }
    const probe = join(directory, `.doctor-${randomUUID()}`);
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' }).finally(() => rm(probe, { force: true }));
  } catch (error) {
    return failed(`${directory} cannot be written: ${describeFsError(error)}`, elsewhere);
  }
  if (host.uid !== undefined && isWritableByOthers(await stat(directory))) {
    return warning(
      `other users can write to ${directory}`,
      `Remove their access: chmod go-w ${quoteForShell(directory)}`,
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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return nearestDirectory(parent);
  }
  throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
}

/** Runs that are named in a result. */
const SHOWN_RUNS = 3;

async function checkRuns(host: Host): Promise<CheckOutcome> {
  const { runs } = await listRuns(join(stateDirectory(host), 'runs'));
  const unfinished = runs.filter(({ status }) => status === 'unfinished' || status === 'damaged');
  if (unfinished.length === 0) {
    const isRunning = runs.some(({ status }) => status === 'running');
    return ok(
      runs.length === 0
        ? 'no import runs'
        : `${countOf(runs.length, 'import run')}, ${isRunning ? 'one in progress' : 'all finished'}`,
    );
  }
  const shown = unfinished.slice(0, SHOWN_RUNS).map(describeUnfinished).join('; ');
  const rest = unfinished.length > SHOWN_RUNS ? `; and ${unfinished.length - SHOWN_RUNS} more` : '';
  return warning(
    `${countOf(unfinished.length, 'unfinished import run')}: ${shown}${rest}`,
    'List the commands that continue them with: orgadm runs list',
  );
}

function describeUnfinished({ id, record, error }: RecordedRun): string {
  if (record === undefined) return `${id}: ${error}`;
  const { list, startedAtMs, counts } = record;
  const rows =
    counts.unknown > 0
      ? `${countOf(counts.unknown, 'row')} of unknown outcome`
      : `${countOf(counts.unsent, 'row')} not sent`;
  return `${list}, started ${new Date(startedAtMs).toISOString()} (${rows})`;
}

async function checkLocks(host: Host): Promise<CheckOutcome> {
  const state = stateDirectory(host);
  const directories = [...(await subdirectories(join(state, 'runs'))), ...(await subdirectories(join(state, 'locks')))];
  const locks = (await Promise.all(directories.map((directory) => inspectLock(join(directory, 'lock'))))).filter(
    (lock) => lock !== undefined,
  );
  const held = locks.filter(({ state }) => state !== 'dead');
  const [doubtful] = held.filter(({ state }) => state === 'unknown');
  if (doubtful !== undefined) {
    const { holder, path } = doubtful;
    return warning(
      holder === undefined
        ? `${path} does not describe the process that holds it`
        : `${path} is held by process ${holder.pid} on host ${holder.host || 'unknown'}, which cannot be checked from here`,
      'The process belongs to another container or machine. If it is gone, remove the lock file.',
    );
  }
  if (held.length > 0) {
    const pids = new Set(held.flatMap(({ holder }) => holder?.pid ?? []));
    return ok(`an import is in progress (process ${[...pids].join(', ')})`);
  }
  // The next import replaces the lock of a process that is proven to be gone.
  return ok(
    locks.length === 0
      ? 'no locks'
      : `no import is in progress; stale locks, which the next import replaces: ${locks.length}`,
  );
}

async function subdirectories(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The checks of the configuration: files, settings, and which source of the base URL and the key is used. */
export const CONFIG_CHECKS: readonly CheckDefinition[] = [
  { name: 'config-file', needs: [], run: ({ context }) => checkConfigFile(context) },
  { name: 'credentials-file', needs: [], run: checkCredentialsFile },
  {
    name: 'settings',
    needs: ['config-file', 'credentials-file'],
    async run(diagnosis) {
      const settings = await diagnosis.context.settings();
      diagnosis.settings = settings;
      if (settings.apiKey !== undefined) diagnosis.secrets.add(settings.apiKey);
      const { profile, timeoutMs, retries } = settings;
      return ok(`profile ${profile}, timeout ${timeoutMs / 1_000} s, ${retries} retries`);
    },
  },
  { name: 'base-url', needs: ['settings'], run: checkBaseUrl },
  { name: 'api-key', needs: ['settings'], run: checkKey },
];

async function checkConfigFile(context: Context): Promise<CheckOutcome> {
  const { host } = context;
  const { profiles } = await context.sources();
  const names = [...profiles.keys()];
  return ok(names.length === 0 ? `no profiles in ${configFile(host)}` : `${configFile(host)}: ${list(names)}`);
}

async function checkCredentialsFile({ context: { host }, secrets }: Diagnosis): Promise<CheckOutcome> {
  const keys = await readStoredKeys(host);
  for (const { apiKey } of keys.values()) secrets.add(apiKey);
  const names = [...keys.keys()];
  return ok(
    names.length === 0
      ? `no stored keys in ${credentialsFile(host)}`
      : `${credentialsFile(host)}, readable by you alone: ${list(names)}`,
  );
}

function list(profiles: readonly string[]): string {
  return `${profiles.length === 1 ? 'profile' : 'profiles'} ${profiles.join(', ')}`;
}

async function checkBaseUrl(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const { context } = diagnosis;
  const settings = resolved(diagnosis);
  if (settings.sandbox !== undefined) {
    const { baseUrl } = await context.service();
    diagnosis.target = new URL(baseUrl);
    return ok(`${baseUrl}, the embedded sandbox`);
  }
  if (settings.baseUrl === undefined) throw missingBaseUrlError();
  diagnosis.target = parseBaseUrl(settings.baseUrl, settings.allowHttp);
  const others = await otherBaseUrls(settings, context);
  const detail = `${settings.baseUrl}, from ${settings.baseUrlFrom}${overridden(others)}`;
  const versionHint = repeatedVersionHint(settings.baseUrl);
  return versionHint === undefined ? ok(detail) : warning(detail, versionHint);
}

/** The sources that also set a base URL, and another one. */
async function otherBaseUrls({ baseUrl, baseUrlFrom, profile }: Settings, context: Context): Promise<string[]> {
  const { flags, env, profile: selected } = await context.sources();
  const sources: [name: string, value: unknown][] = [
    ['--base-url', flags.baseUrl],
    ['ORGADM_BASE_URL', env.ORGADM_BASE_URL],
    [`profile ${profile}`, selected.values['base-url']],
  ];
  return sources.flatMap(([name, value]) => (name === baseUrlFrom || !value || value === baseUrl ? [] : [name]));
}

async function checkKey(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const { context } = diagnosis;
  const settings = resolved(diagnosis);
  if (settings.sandbox !== undefined) return ok("the sandbox's own key");
  const { apiKey, apiKeyFrom, keyBoundTo } = settings;
  if (apiKey === undefined) throw missingKeyError(keyBoundTo);
  checkApiKey(apiKey);
  const detail = `from ${apiKeyFrom}${overridden(await otherKeys(settings, context))}`;
  const { keyFile } = context.flags;
  const found = keyFile === undefined || keyFile === '-' ? undefined : await stat(keyFile);
  // A pipe, such as a process substitution of the shell, has no lasting mode.
  if (keyFile !== undefined && found?.isFile() && context.host.uid !== undefined && isOpenToOthers(found)) {
    return warning(
      `${detail}; other users can read ${keyFile}`,
      `Remove their access: chmod 600 ${quoteForShell(keyFile)}`,
    );
  }
  return ok(detail);
}

async function otherKeys({ apiKeyFrom, profile }: Settings, { host }: Context): Promise<string[]> {
  const sources: [name: string, isSet: boolean][] = [
    ['ORGADM_API_KEY', Boolean(host.env.ORGADM_API_KEY?.trim())],
    [`profile ${profile}`, (await readStoredKeys(host)).has(profile)],
  ];
  return sources.flatMap(([name, isSet]) => (isSet && name !== apiKeyFrom ? [name] : []));
}

function overridden(others: readonly string[]): string {
  return others.length === 0 ? '' : `, which takes precedence over ${others.join(' and ')}`;
}

/** The settings, which the check `settings` has resolved. */
export function resolved({ settings }: Diagnosis): Settings {
  if (settings === undefined) throw new Error('the settings are not resolved yet');
  return settings;
}
