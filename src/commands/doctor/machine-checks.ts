import { randomUUID } from 'node:crypto';
import { access, constants, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { checkApiKey } from '../../client/http/api-key.ts';
import { isOpenToOthers, isWritableByOthers, stateDirectory } from '../../config/private-file.ts';
import { configFile, credentialsFile, missingKeyError, readStoredKeys } from '../../config/profiles.ts';
import type { StoredValue } from '../../config/setting-table.ts';
import { missingBaseUrlError } from '../../config/settings.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { parseBaseUrl, repeatedVersionHint } from '../../util/base-url.ts';
import { describeFsError } from '../../util/errors.ts';
import { isLocked } from '../../util/file-lock.ts';
import type { Host } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { CheckResult } from './doctor-output.ts';

/** What a check found, and what to do about it. Both may hold text of a service: they are cleaned when they are reported. */
export type CheckOutcome = Omit<CheckResult, 'check'>;

/** One check. It fails with the message and hint of the error that it throws. */
export interface CheckDefinition {
  readonly name: CheckResult['check'];
  /** If one of these failed or could not run, this check is skipped. */
  readonly needs: readonly CheckResult['check'][];
  /** @param secrets API keys that must not appear in a result; the check adds those that it reads */
  run(context: Context, secrets: Set<string>): CheckOutcome | Promise<CheckOutcome>;
}

const outcome =
  (state: CheckOutcome['state']) =>
  (detail: string, fix?: string): CheckOutcome => ({ state, detail, fix: fix ?? null });
export const ok = outcome('ok');
export const skipped = outcome('skipped');
export const warning = outcome('warning');
export const failed = outcome('failed');

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

/** The checks of this machine and its configuration, and which source of the base URL and the key is used. */
export const MACHINE_CHECKS: readonly CheckDefinition[] = [
  { name: 'node', needs: [], run: () => checkNodeVersion(process.versions.node) },
  { name: 'state-directory', needs: [], run: ({ host }) => checkStateDirectory(host) },
  { name: 'disk-space', needs: ['state-directory'], run: ({ host }) => checkDiskSpace(host) },
  { name: 'runs', needs: ['state-directory'], run: ({ host }) => checkRuns(host) },
  { name: 'locks', needs: ['state-directory'], run: ({ host }) => checkLocks(host) },
  { name: 'config-file', needs: [], run: checkConfigFile },
  { name: 'credentials-file', needs: [], run: checkCredentialsFile },
  { name: 'settings', needs: ['config-file', 'credentials-file'], run: checkSettings },
  { name: 'base-url', needs: ['settings'], run: checkBaseUrl },
  { name: 'api-key', needs: ['settings'], run: checkKey },
];

async function checkDiskSpace(host: Host): Promise<CheckOutcome> {
  const directory = await nearestDirectory(stateDirectory(host));
  const { bavail, bsize } = await statfs(directory);
  return checkFreeSpace(bavail * bsize, directory);
}

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
  if (runs.length === 0) return ok('no import runs');
  const unfinished = runs.filter(({ status }) => status === 'unfinished' || status === 'damaged');
  if (unfinished.length === 0) {
    const state = runs.some(({ status }) => status === 'running') ? 'one in progress' : 'all finished';
    return ok(`${countOf(runs.length, 'import run')}, ${state}`);
  }
  const shown = unfinished.slice(0, SHOWN_RUNS).map(describeUnfinished).join('; ');
  const rest = unfinished.length > SHOWN_RUNS ? `; and ${unfinished.length - SHOWN_RUNS} more` : '';
  return warning(
    `${countOf(unfinished.length, 'unfinished import run')}: ${shown}${rest}`,
    'List the commands that continue them with: orgadm runs list',
  );
}

function describeUnfinished({ id, details, error }: RecordedRun): string {
  if (details === undefined) return `${id}: ${error}`;
  const { unknown, unsent } = details.counts;
  const rows = unknown > 0 ? `${countOf(unknown, 'row')} of unknown outcome` : `${countOf(unsent, 'row')} not sent`;
  return `${details.list}, started ${new Date(details.startedAtMs).toISOString()} (${rows})`;
}

async function checkLocks(host: Host): Promise<CheckOutcome> {
  const directories = await subdirectories(join(stateDirectory(host), 'services'));
  const held = await Promise.all(directories.map((directory) => isLocked(join(directory, 'lock'))));
  return ok(held.includes(true) ? 'an import is in progress' : 'no import is in progress');
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

async function checkConfigFile({ host, sources }: Context): Promise<CheckOutcome> {
  const { profiles } = await sources();
  const file = configFile(host);
  return ok(profiles.size === 0 ? `no profiles in ${file}` : `${file}: ${namesOf(profiles)}`);
}

async function checkCredentialsFile({ host }: Context, secrets: Set<string>): Promise<CheckOutcome> {
  const keys = await readStoredKeys(host);
  for (const { apiKey } of keys.values()) secrets.add(apiKey);
  const file = credentialsFile(host);
  return ok(keys.size === 0 ? `no stored keys in ${file}` : `${file}, readable by you alone: ${namesOf(keys)}`);
}

function namesOf(profiles: ReadonlyMap<string, unknown>): string {
  return `${profiles.size === 1 ? 'profile' : 'profiles'} ${[...profiles.keys()].join(', ')}`;
}

async function checkSettings(context: Context, secrets: Set<string>): Promise<CheckOutcome> {
  const { apiKey, profile, timeoutMs, retries } = await context.settings();
  if (apiKey !== undefined) secrets.add(apiKey);
  return ok(`profile ${profile}, timeout ${timeoutMs / 1_000} s, ${retries} retries`);
}

/** Returns the base URL of the service, or of the sandbox. Throws UsageError if it is missing or cannot be used. */
export async function serviceUrl(context: Context): Promise<URL> {
  const { sandbox, baseUrl, allowHttp } = await context.settings();
  if (sandbox !== undefined) return new URL((await context.service()).baseUrl);
  if (baseUrl === undefined) throw missingBaseUrlError();
  return parseBaseUrl(baseUrl, allowHttp);
}

async function checkBaseUrl(context: Context): Promise<CheckOutcome> {
  const { sandbox, baseUrlFrom, profile } = await context.settings();
  const baseUrl = (await serviceUrl(context)).href.replace(/\/$/, '');
  if (sandbox !== undefined) return ok(`${baseUrl}, the embedded sandbox`);
  const { flags, env, profile: selected } = await context.sources();
  const detail = `${baseUrl}, from ${precedence(baseUrlFrom, {
    '--base-url': differs(flags.baseUrl),
    ORGADM_BASE_URL: differs(env.ORGADM_BASE_URL),
    [`profile ${profile}`]: differs(selected.values['base-url']),
  })}`;
  const versionHint = repeatedVersionHint(baseUrl);
  return versionHint === undefined ? ok(detail) : warning(detail, versionHint);

  function differs(other: StoredValue | undefined): boolean {
    return Boolean(other) && other !== baseUrl;
  }
}

async function checkKey({ settings, host, flags }: Context): Promise<CheckOutcome> {
  const { sandbox, apiKey, apiKeyFrom, keyBoundTo, profile } = await settings();
  if (sandbox !== undefined) return ok("the sandbox's own key");
  if (apiKey === undefined) throw missingKeyError(keyBoundTo);
  checkApiKey(apiKey);
  const detail = `from ${precedence(apiKeyFrom, {
    ORGADM_API_KEY: Boolean(host.env.ORGADM_API_KEY?.trim()),
    [`profile ${profile}`]: (await readStoredKeys(host)).has(profile),
  })}`;
  const { keyFile } = flags;
  const found = keyFile === undefined || keyFile === '-' ? undefined : await stat(keyFile);
  // A pipe, such as a process substitution of the shell, has no lasting mode.
  if (keyFile !== undefined && found?.isFile() && host.uid !== undefined && isOpenToOthers(found)) {
    return warning(
      `${detail}; other users can read ${keyFile}`,
      `Remove their access: chmod 600 ${quoteForShell(keyFile)}`,
    );
  }
  return ok(detail);
}

/** Names the source that is used, and the others that set the same thing too. */
function precedence(used: string | undefined, isSet: Readonly<Record<string, boolean>>): string {
  const others = Object.keys(isSet).filter((source) => isSet[source] && source !== used);
  return others.length === 0 ? `${used}` : `${used}, which takes precedence over ${others.join(' and ')}`;
}
