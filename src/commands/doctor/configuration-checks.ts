import { stat } from 'node:fs/promises';
import { checkApiKey } from '../../client/http/api-key.ts';
import { renderKeyCommand } from '../../config/key-command.ts';
import { isOpenToOthers } from '../../config/private-file.ts';
import { configFile, credentialsFile, missingKeyError, readStoredKeys } from '../../config/profiles.ts';
import type { StoredValue } from '../../config/setting-table.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import { type Check, type CheckOutcome, ok, warning } from './check.ts';
import type { Examination } from './examination.ts';

/** The checks of the configuration, and of the sources of the base URL and the key. */
export const CONFIGURATION_CHECKS: readonly Check[] = [
  { name: 'config-file', needs: [], run: checkConfigFile },
  { name: 'credentials-file', needs: [], run: checkCredentialsFile },
  { name: 'settings', needs: ['config-file', 'credentials-file'], run: checkSettings },
  { name: 'base-url', needs: ['settings'], run: checkBaseUrl },
  { name: 'api-key', needs: ['settings'], run: checkKey },
];

async function checkConfigFile({ context }: Examination): Promise<CheckOutcome> {
  const { profiles } = await context.sources();
  const file = configFile(context.host);
  return ok(profiles.size === 0 ? `no profiles in ${file}` : `${file}: ${namesOf(profiles)}`);
}

async function checkCredentialsFile({ context, secrets }: Examination): Promise<CheckOutcome> {
  const keys = await readStoredKeys(context.host);
  for (const { apiKey } of keys.values()) secrets.add(apiKey);
  const file = credentialsFile(context.host);
  return ok(keys.size === 0 ? `no stored keys in ${file}` : `${file}, readable by you alone: ${namesOf(keys)}`);
}

function namesOf(profiles: ReadonlyMap<string, unknown>): string {
  return `${profiles.size === 1 ? 'profile' : 'profiles'} ${[...profiles.keys()].join(', ')}`;
}

async function checkSettings({ context }: Examination): Promise<CheckOutcome> {
  const { profile, timeoutMs, retries } = await context.settings();
  return ok(`profile ${profile}, timeout ${timeoutMs / 1_000} s, ${retries} retries`);
}

async function checkBaseUrl({ context, serviceUrl }: Examination): Promise<CheckOutcome> {
  const { sandbox, baseUrlFrom, profile } = await context.settings();
  const baseUrl = (await serviceUrl()).href.replace(/\/$/, '');
  if (sandbox !== undefined) return ok(`${baseUrl}, the embedded sandbox`);
  const { flags, env, profile: selected } = await context.sources();
  const differs = (other: StoredValue | undefined) => Boolean(other) && other !== baseUrl;
  const detail = `${baseUrl}, from ${precedence(baseUrlFrom, {
    '--base-url': differs(flags.baseUrl),
    ORGADM_BASE_URL: differs(env.ORGADM_BASE_URL),
    [`profile ${profile}`]: differs(selected.values['base-url']),
  })}`;
  const versionHint = repeatedVersionHint(baseUrl);
  return versionHint === undefined ? ok(detail) : warning(detail, versionHint);
}

async function checkKey({ context, secrets }: Examination): Promise<CheckOutcome> {
  const { host, flags } = context;
  const { sandbox, readKey, apiKeyFrom, keyCommand, keyBoundTo, profile } = await context.settings();
  if (sandbox !== undefined) return ok("the sandbox's own key");
  const apiKey = await readKey();
  if (apiKey === undefined) throw missingKeyError(keyBoundTo);
  secrets.add(apiKey);
  checkApiKey(apiKey);
  const command = keyCommand === undefined ? '' : `, printed by ${renderKeyCommand(keyCommand)}`;
  const detail = `from ${precedence(apiKeyFrom, {
    ORGADM_API_KEY: Boolean(host.env.ORGADM_API_KEY?.trim()),
    [`profile ${profile}`]: (await readStoredKeys(host)).has(profile),
  })}${command}`;
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
