import { checkApiKey } from '../../client/service.ts';
import { changeProfile, credentialsFile, storeKey } from '../../config/profiles.ts';
import { type Profile, SETTINGS } from '../../config/settings.ts';
import { type Connection, readKeyFile, resolveConnection } from '../../config/target.ts';
import { hintText } from '../../output/error-text.ts';
import type { Output } from '../../output/output.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { successText, type Text, text } from '../../output/text.ts';
import { parseBaseUrl } from '../../util/base-url.ts';
import { EXIT, UsageError, withHint } from '../../util/errors.ts';
import { authProfile, type Context, canPrompt, promptTerminal } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import type { KeyVerification } from '../verify-key.ts';

interface AuthLoginOptions {
  force?: boolean;
}

const HELP: HelpText = {
  examples: [
    'orgadm auth login',
    'orgadm auth login --base-url https://api.example.com',
    'orgadm auth login --profile staging --base-url https://staging.example.com --key-file key.txt',
    'pass show orgadm | orgadm auth login --base-url https://api.example.com --key-file -',
  ],
  notes: [
    'On a terminal, orgadm prompts for the base URL if nothing sets it, and for the key without echoing it. ' +
      'Elsewhere, pass the URL with --base-url and the key with --key-file, where - is standard input.',
    'orgadm verifies the key by listing findings, and stores a key that it cannot verify only with --force. ' +
      'It exits 4 if the service rejects the key, 5 if the base URL leads nowhere, 6 if the service is unreachable ' +
      'or failing, and 1 if orgadm does not understand the response.',
    'A profile belongs to one service: if it has another base URL, orgadm exits 2. Use --profile for another service.',
    'orgadm stores the key in a file that only you can read (mode 0600), and sends it only to this base URL. ' +
      'To keep the key in a password manager instead, pass it with each command: --key-file <(pass show orgadm). ' +
      'In CI, set ORGADM_API_KEY and ORGADM_BASE_URL.',
    'JSON output: {"profile","baseUrl","verified","detail","file"}. ' +
      'verified is a boolean, and detail is null or says why the key is not verified, for example that it is not ' +
      "allowed to read findings, and the service's message.",
  ],
};

/** Registers `auth login`. */
export default function registerAuthLogin(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .option('--force', 'store the key even if orgadm cannot verify it')
    .action((options: AuthLoginOptions) => runAuthLogin(options, context()));
}

/** Reads a key, verifies it, and stores it with the base URL. */
async function runAuthLogin(options: AuthLoginOptions, context: Context): Promise<void> {
  const { host, output } = context;
  const { name: profile, isOption: isNamed } = authProfile(context);
  const service = await serviceOf(context);
  const { baseUrl } = service;
  rejectOtherService(await context.profile(), baseUrl);
  const apiKey = await readKey(baseUrl, context);
  checkApiKey(apiKey);

  const { verifyKey, describeVerification } = await import('../verify-key.ts');
  const verification = await verifyKey({ ...service, apiKey }, context);
  const { result, error } = verification;
  if (result === 'rejected') throw withHint(error, `Nothing was stored. ${error.hint}`, { exitCode: EXIT.auth });
  if (result === 'unreachable' && !options.force) {
    const hints = ['Nothing was stored. To store the key anyway, add --force.', error.hint];
    throw withHint(error, hints.filter(Boolean).join(' '), { message: `cannot verify the key: ${error.message}` });
  }
  const verified = result === 'verified';
  await storeKey(host, profile, { apiKey, baseUrl });
  await changeProfile(host, profile, (values) => ({ ...values, 'base-url': baseUrl }));

  const file = credentialsFile(host);
  const detail = describeVerification(verification);
  const message = text`profile ${profile}: stored the key for ${baseUrl} in ${file}, which only you can read`;
  const notice = verified ? successText(message) : message;
  await printNotice(recordOf({ profile, baseUrl, verified, detail, file }), notice, output);
  warnAboutKey(verification, detail, output);
  if (host.env.ORGADM_API_KEY && !isNamed) {
    output.warn('ORGADM_API_KEY is also set; to use the stored key, unset it');
  }
  if (verified) output.note(nextSteps(isNamed ? ` --profile ${profile}` : ''));
}

/** @param option the option of a profile that the next commands must name, too, after a space */
function nextSteps(option: string): Text {
  return text`Next, check your setup with orgadm auth status${option}, or import a list: orgadm people bulk-add <file>${option}`;
}

function warnAboutKey({ result, error }: KeyVerification, detail: string | null, output: Output): void {
  if (result === 'no-permission') output.warn(text`the key is ${detail ?? ''}`);
  else if (error !== undefined) output.warn(text`the key is not verified: ${detail ?? ''}`);
  if (error?.hint !== undefined) output.note(hintText(error.hint));
}

async function serviceOf(context: Context): Promise<Connection & { baseUrl: string }> {
  const { flags, host } = context;
  const connection = await resolveConnection({ flags, env: host.env, profile: await context.profile() });
  const baseUrl = connection.baseUrl ?? (await promptBaseUrl(connection.allowHttp, context));
  // Rejects a bad base URL before prompting for the key.
  parseBaseUrl(baseUrl, connection.allowHttp);
  return { ...connection, baseUrl };
}

/** Rejects the profile of another service: its key would be lost, and its settings would be used for this one. */
function rejectOtherService({ name, settings }: Profile, baseUrl: string): void {
  const own = settings['base-url'];
  if (own === undefined || own === baseUrl) return;
  throw new UsageError(
    `profile ${name} belongs to ${own}, so nothing was stored`,
    `For another service, use a separate profile: orgadm auth login --profile <name> --base-url ${baseUrl}\n` +
      `If the service has moved, run: orgadm config set base-url ${baseUrl} --profile ${name}`,
  );
}

/** Returns the normal form of a base URL. */
const readBaseUrl = (text: string) => SETTINGS['base-url'].parse(text, 'base URL');

/** Asks until the answer is a base URL: the user may have copied the key already, and would paste it into the shell. */
async function promptBaseUrl(allowHttp: boolean, context: Context): Promise<string> {
  const hint = 'Pass --base-url https://api.example.com, or set ORGADM_BASE_URL.';
  if (!canPrompt(hint, context)) throw new UsageError('no base URL', hint);
  const { typedText } = await import('../../output/prompt.ts');
  const question = 'Base URL of the service, such as https://api.example.com';
  const validate = (entered: string) => {
    if (entered === '') return 'Type the URL.';
    try {
      parseBaseUrl(readBaseUrl(entered), allowHttp);
      return undefined;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [error.message, error.hint].filter(Boolean).join('. ');
    }
  };
  return readBaseUrl(await typedText(question, validate, promptTerminal('Nothing was stored.', context)));
}

async function readKey(baseUrl: string, context: Context): Promise<string> {
  const { host, flags } = context;
  if (flags.keyFile !== undefined) return readKeyFile(flags.keyFile, host);
  const hint = 'Use --key-file, where - is standard input. In CI, set ORGADM_API_KEY instead of logging in.';
  if (!canPrompt(hint, context)) throw new UsageError('cannot prompt for the key without a terminal', hint);
  const { password } = await import('../../output/prompt.ts');
  const validate = (typed: string) => (typed === '' ? 'Paste the complete key, or press Ctrl-C.' : undefined);
  return password(`API key for ${baseUrl}`, validate, promptTerminal('Nothing was stored.', context));
}
