import { access, constants, stat } from 'node:fs/promises';
import { checkApiKey } from '../../client/http/api-key.ts';
import { stateDirectory, stateSubdirectory } from '../../config/directories.ts';
import { renderKeyCommand } from '../../config/key-command.ts';
import { missingKeyError, readStoredKeys } from '../../config/keys.ts';
import { renderOrigin } from '../../config/origin.ts';
import { isOpenToOthers } from '../../config/private-file.ts';
import { configFile } from '../../config/profiles.ts';
import { missingBaseUrlError } from '../../config/settings.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { parseBaseUrl } from '../../util/base-url.ts';
import { describeFsError, systemErrorCode } from '../../util/errors.ts';
import type { Host } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import { type Check, type CheckOutcome, type Examination, failed, ok, warning } from './check.ts';

/** The checks of this machine and of the configuration. They send nothing. */
export const LOCAL_CHECKS: readonly Check[] = [
  { name: 'node', needs: [], run: () => checkNodeVersion(process.versions.node) },
  { name: 'state-directory', needs: [], run: ({ context }) => checkStateDirectory(context.host) },
  { name: 'runs', needs: ['state-directory'], run: ({ context }) => checkRuns(context.host) },
  { name: 'configuration', needs: [], run: checkConfiguration },
  { name: 'base-url', needs: ['configuration'], run: checkBaseUrl },
  { name: 'api-key', needs: ['configuration'], run: checkKey },
];

/** Checks a version of Node.js such as `20.19.0`. */
export function checkNodeVersion(version: string): CheckOutcome {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    return failed(`Node.js ${version} is too old`, 'Install Node.js 20.19 or later.');
  }
  return ok(`Node.js ${version}`);
}

async function checkStateDirectory(host: Host): Promise<CheckOutcome> {
  const directory = stateDirectory(host);
  try {
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    // The first import creates it.
    if (systemErrorCode(error) !== 'ENOENT')
      return failed(
        `cannot write to ${directory}: ${describeFsError(error)}`,
        'Make it writable, or set ORGADM_STATE_DIR to a directory that you own.',
      );
  }
  return ok(directory);
}

async function checkRuns(host: Host): Promise<CheckOutcome> {
  const runs = await listRuns(stateSubdirectory(host, 'runs'));
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

/** Reads the files of keys and profiles, then all settings of this run. */
async function checkConfiguration({ context, secrets }: Examination): Promise<CheckOutcome> {
  for (const { apiKey } of (await readStoredKeys(context.host)).values()) secrets.add(apiKey);
  const { profiles } = await context.sources();
  const { profile } = await context.settings();
  const file = configFile(context.host);
  if (profiles.size === 0) return ok(`no profiles in ${file}`);
  const names = `${profiles.size === 1 ? 'profile' : 'profiles'} ${[...profiles.keys()].join(', ')}`;
  return ok(`${file}: ${names}; this command uses the profile ${profile}`);
}

async function checkBaseUrl({ context }: Examination): Promise<CheckOutcome> {
  const { sandbox, baseUrl, baseUrlFrom, allowHttp } = await context.settings();
  if (sandbox !== undefined) return ok(`${(await context.service()).baseUrl}, the embedded sandbox`);
  if (baseUrl === undefined || baseUrlFrom === undefined) throw missingBaseUrlError();
  parseBaseUrl(baseUrl, allowHttp);
  return ok(`${baseUrl}, from ${renderOrigin(baseUrlFrom)}`);
}

async function checkKey({ context, secrets }: Examination): Promise<CheckOutcome> {
  const { host, flags } = context;
  const settings = await context.settings();
  const { sandbox, readKey, apiKeyFrom, keyCommand } = settings;
  if (sandbox !== undefined) return ok("the sandbox's own key");
  const apiKey = await readKey();
  if (apiKey === undefined || apiKeyFrom === undefined) throw missingKeyError(host, settings);
  secrets.add(apiKey);
  checkApiKey(apiKey);
  const detail = `from ${renderOrigin(apiKeyFrom)}${keyCommand === undefined ? '' : `, printed by ${renderKeyCommand(keyCommand)}`}`;
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
