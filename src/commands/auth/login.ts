import type { Command } from 'commander';
import { checkApiKey } from '../../client/http/headers.ts';
import { readKeyFile } from '../../config/api-key.ts';
import { type Connection, missingBaseUrlError, resolveConnection } from '../../config/connection.ts';
import { changeProfile } from '../../config/profiles.ts';
import { readSettingSources } from '../../config/settings.ts';
import { credentialsFile, storeKey } from '../../config/stored-keys.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { canPrompt, promptSecret } from '../../output/secret-prompt.ts';
import { parseBaseUrl, repeatedVersionHint } from '../../util/base-url.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { authProfile } from './auth-profile.ts';

export interface AuthLoginOptions {
  keyStdin?: boolean;
}

const HELP = `
The key is asked for without being shown, or read with --key-stdin or --key-file. One harmless read proves it; a key that
the service refuses is not stored. It is kept in a file that you alone can read (mode 0600), bound to its base URL: it
is sent to no other. In CI, set ORGADM_API_KEY and ORGADM_BASE_URL instead.

Examples:
  $ orgadm auth login --base-url https://api.example.com
  $ orgadm auth login --profile staging --base-url https://staging.example.com --key-file key.txt
  $ pass show orgadm | orgadm auth login --base-url https://api.example.com --key-stdin

JSON output: {"profile","baseUrl","verified","detail","file"}, where verified is a boolean and detail says why the key is not
verified (null if it is): "accepted, but without permission to read findings" and the service's message, for example.
`;

/** Registers `auth login` under the noun `auth`. */
export function registerAuthLogin(parent: Command, context: () => Context, run = runAuthLogin): void {
  parent
    .command('login')
    .description('Store the base URL and the API key of a profile.')
    .option('--key-stdin', 'read the key from standard input')
    .addHelpText('after', HELP)
    .action((options: AuthLoginOptions) => run(options, context()));
}

/** Reads a key, has the service prove it, and stores it with the base URL. */
export async function runAuthLogin(options: AuthLoginOptions, context: Context): Promise<void> {
  const { host, output } = context;
  const { name: profile, namedBy } = authProfile(context);
  const service = await serviceOf(context);
  const { baseUrl } = service;
  const apiKey = await readKey(options, baseUrl, context);
  checkApiKey(apiKey);

  const { verifyKey, describeProof } = await import('./verify-key.ts');
  const proof = await verifyKey({ ...service, apiKey }, context);
  const { result, error } = proof;
  if (result === 'refused') {
    throw new OrgadmError(error.code, EXIT.auth, error.message, {
      hint: 'Nothing was stored. Check that the key is whole, has not expired, and belongs to this service.',
      status: error.status,
      requestId: error.requestId,
    });
  }
  const verified = result === 'verified';
  await storeKey(host, profile, { apiKey, baseUrl, verified });
  await changeProfile(host, profile, (values) => ({ ...values, 'base-url': baseUrl }));

  const file = credentialsFile(host);
  const detail = describeProof(proof);
  if (output.format !== 'table') await output.ndjson({ profile, baseUrl, verified, detail, file });
  output.note(`profile ${profile}: the key for ${baseUrl} is stored in ${file}, for you alone to read`);
  if (result === 'no-permission') {
    output.warn(`the key is ${detail}`);
    if (error.hint !== undefined) output.hint(error.hint);
  } else if (error !== undefined) output.warn(`the key is not verified: ${detail}`);
  const versionHint = repeatedVersionHint(baseUrl);
  if (result === 'unverified' && versionHint === undefined && error.hint !== undefined) output.hint(error.hint);
  if (versionHint !== undefined) output.warn(versionHint);
  if (host.env.ORGADM_API_KEY && namedBy !== 'flag') {
    output.warn('ORGADM_API_KEY is set and comes before the stored key');
  }
}

async function serviceOf({ flags, host }: Context): Promise<Connection & { baseUrl: string }> {
  const connection = await resolveConnection(await readSettingSources(flags, host, true));
  const { baseUrl, allowHttp } = connection;
  if (baseUrl === undefined) throw missingBaseUrlError();
  // Before the key is asked for, not after.
  parseBaseUrl(baseUrl, allowHttp);
  return { ...connection, baseUrl };
}

async function readKey({ keyStdin }: AuthLoginOptions, baseUrl: string, context: Context): Promise<string> {
  const { host, flags } = context;
  if (keyStdin && flags.keyFile !== undefined) throw new UsageError('--key-stdin and --key-file exclude each other');
  if (keyStdin) return readKeyFile('-', '--key-stdin', host);
  if (flags.keyFile !== undefined) return readKeyFile(flags.keyFile, '--key-file', host);
  if (!canPrompt(host)) {
    throw new UsageError(
      'there is no terminal to ask for the key on',
      'Pass --key-stdin or --key-file. Where there is nobody to ask, as in CI, set ORGADM_API_KEY instead of a login.',
    );
  }
  const key = await promptSecret(`API key for ${cleanLine(baseUrl)}: `, host);
  if (key === '') throw new UsageError('no key was entered; nothing was stored');
  return key;
}
