import type { Command } from 'commander';
import { missingKeyError } from '../../config/api-key.ts';
import { missingBaseUrlError } from '../../config/connection.ts';
import type { Settings } from '../../config/settings.ts';
import { readStoredKeys } from '../../config/stored-keys.ts';
import type { Context } from '../command-context.ts';
import { authProfile } from './auth-profile.ts';
import type { KeyVerification } from './verify-key.ts';

export interface AuthStatusOptions {
  offline?: boolean;
}

/** What is known of a profile's service and key; never the key itself. */
interface AuthStatus {
  profile: string;
  baseUrl: string | null;
  /** The flag, variable or profile that set the base URL. */
  baseUrlFrom: string | null;
  /** The flag, variable or profile that holds the key. */
  keyFrom: string | null;
  /** `no` is a key that the service rejects, `no-permission` one that it accepts but that may not read findings. */
  verified: 'yes' | 'no-permission' | 'no' | 'unknown' | null;
  /** Why the key is not verified; null if it is, or if the service was not asked. */
  detail: string | null;
}

const VERIFIED = {
  verified: 'yes',
  'no-permission': 'no-permission',
  refused: 'no',
  unverified: 'unknown',
} as const;

const HELP = `
The service is asked whether it takes the key, by one harmless read; --offline tells what was found at login instead.
The exit code is 0 for a key that the service accepts, 4 for none or a rejected one. A key that is accepted, but without
permission to read findings, may still do for other commands: exit 0, and said so. Nothing is ever removed.

Examples:
  $ orgadm auth status
  $ orgadm auth status --profile staging --offline

JSON output: {"profile","baseUrl","baseUrlFrom","keyFrom","verified","detail"}: texts or null; verified is "yes",
"no-permission" (accepted, but without permission to read findings), "no" (rejected), "unknown", or null where there is
no key; detail says why it is not "yes".
`;

/** Registers `auth status` under the noun `auth`. */
export function registerAuthStatus(parent: Command, context: () => Context, run = runAuthStatus): void {
  parent
    .command('status')
    .description('Tell which service and key a profile uses, and whether the service takes the key.')
    .option('--offline', 'do not ask the service')
    .addHelpText('after', HELP)
    .action((options: AuthStatusOptions) => run(options, context()));
}

/** Prints where base URL and key come from, then says what is wrong with them. */
export async function runAuthStatus(options: AuthStatusOptions, context: Context): Promise<void> {
  authProfile(context);
  const settings = await context.settings();
  const proof = options.offline ? undefined : await verifyStoredKey(settings, context);
  await printStatus(
    {
      profile: settings.profile,
      baseUrl: settings.baseUrl ?? null,
      baseUrlFrom: settings.baseUrlFrom ?? null,
      keyFrom: settings.apiKeyFrom ?? null,
      verified: await verification(settings, proof, context),
      detail: proof === undefined ? null : (await import('./verify-key.ts')).describeProof(proof),
    },
    context,
  );
  if (settings.apiKey === undefined) throw missingKeyError(settings.keyBoundTo);
  if (proof?.result === 'no-permission') {
    if (proof.error.hint !== undefined) context.output.hint(proof.error.hint);
  } else if (proof?.error !== undefined) throw proof.error;
  if (settings.baseUrl === undefined) throw missingBaseUrlError();
}

async function verifyStoredKey(settings: Settings, context: Context): Promise<KeyVerification | undefined> {
  const { baseUrl, apiKey } = settings;
  if (baseUrl === undefined || apiKey === undefined) return undefined;
  const { verifyKey } = await import('./verify-key.ts');
  return verifyKey({ ...settings, baseUrl, apiKey }, context);
}

async function verification(
  { apiKey, apiKeyFrom, profile }: Settings,
  proof: KeyVerification | undefined,
  { host }: Context,
): Promise<AuthStatus['verified']> {
  if (apiKey === undefined) return null;
  if (proof !== undefined) return VERIFIED[proof.result];
  if (apiKeyFrom !== `profile ${profile}`) return 'unknown';
  return (await readStoredKeys(host)).get(profile)?.verified ? 'yes' : 'unknown';
}

async function printStatus(status: AuthStatus, { output }: Context): Promise<void> {
  switch (output.format) {
    case 'json':
      return output.json(status);
    case 'ndjson':
      return output.ndjson(status);
    case 'csv':
      await output.csvRow(Object.keys(status));
      return output.csvRow(Object.values(status));
    case 'table':
      return output.table(
        [
          { header: 'profile' },
          { header: 'base URL', min: 20 },
          { header: 'key from' },
          { header: 'verified', wrap: true },
        ],
        [[status.profile, status.baseUrl ?? 'none', status.keyFrom ?? 'none', verifiedText(status)]],
      );
  }
}

function verifiedText({ verified, detail }: AuthStatus): string {
  return verified === 'no-permission' && detail !== null ? detail : (verified ?? '');
}
