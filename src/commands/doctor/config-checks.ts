import { stat } from 'node:fs/promises';
import { checkApiKey } from '../../client/http/headers.ts';
import { missingKeyError } from '../../config/api-key.ts';
import { missingBaseUrlError } from '../../config/connection.ts';
import { isOpenToOthers } from '../../config/private-file.ts';
import { configFile } from '../../config/profiles.ts';
import type { Settings } from '../../config/settings.ts';
import { credentialsFile, readStoredKeys } from '../../config/stored-keys.ts';
import { parseBaseUrl, repeatedVersionHint } from '../../util/base-url.ts';
import { quoteForShell } from '../../util/shell-quote.ts';
import type { Context } from '../command-context.ts';
import { type CheckDefinition, type CheckOutcome, type Diagnosis, ok, warning } from './check.ts';

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
