import { renderKeyCommand } from '../../config/key-command.ts';
import { missingKeyError } from '../../config/keys.ts';
import { originOrNull } from '../../config/origin.ts';
import { missingBaseUrlError, type Settings } from '../../config/settings.ts';
import type { Output } from '../../output/output.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { authProfile, type Context, profileOption } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import type { KeyVerification } from '../verify-key.ts';

const VERIFIED = { verified: 'yes', 'no-permission': 'no-permission', rejected: 'no', unverified: 'unknown' } as const;

/** The service and the key of a profile; never the key itself. */
interface AuthStatus {
  profile: string;
  baseUrl: string | null;
  /** The option, variable, or profile that set it. */
  baseUrlFrom: string | null;
  /** The option, variable, or profile that holds the key. */
  keyFrom: string | null;
  /** The program that prints the key. */
  keyCommand: string[] | null;
  /** `no-permission`: not allowed to read findings (403); `no`: rejected; null: no key. */
  verified: (typeof VERIFIED)[KeyVerification['result']] | null;
  /** Why the key is not verified. */
  detail: string | null;
}

const HELP: HelpText = {
  examples: ['orgadm auth status', 'orgadm auth status --profile staging'],
  notes: [
    'orgadm verifies the key by listing findings. The exit code is 0 if the service returns a list of findings, ' +
      'and 4 if the key is missing or rejected. It is also 0 for a key without permission to read findings, which ' +
      'may be enough for other commands. To see where the key and the base URL come from without a request, run ' +
      'orgadm config list --effective.',
    'JSON output: {"profile","baseUrl","baseUrlFrom","keyFrom","keyCommand","verified","detail"}, strings or null ' +
      '(keyCommand: an array of strings). verified is "yes", "no-permission" (not allowed to read findings), "no" ' +
      '(rejected), "unknown", or null without a key or a base URL; detail says why it is not "yes".',
  ],
};

/** Registers `auth status`. */
export default function registerAuthStatus(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.action(() => runAuthStatus(context()));
}

/** Prints where base URL and key come from, then reports any problem with them. */
async function runAuthStatus(context: Context): Promise<void> {
  authProfile(context);
  const settings = await context.settings();
  const verification = await verifyCurrentKey(settings, context);
  const status: AuthStatus = {
    profile: settings.profile,
    baseUrl: settings.baseUrl ?? null,
    baseUrlFrom: originOrNull(settings.baseUrlFrom),
    keyFrom: originOrNull(settings.apiKeyFrom),
    keyCommand: settings.keyCommand === undefined ? null : [...settings.keyCommand],
    verified: verification === undefined ? null : VERIFIED[verification.result],
    detail: verification === undefined ? null : (await import('../verify-key.ts')).describeVerification(verification),
  };
  await printStatus(status, context.output);
  if (settings.apiKeyFrom === undefined) throw missingKeyError(context.host, settings);
  if (verification?.result === 'no-permission') {
    if (verification.error.hint !== undefined) context.output.note(verification.error.hint);
  } else if (verification?.error !== undefined) throw verification.error;
  if (settings.baseUrl === undefined) throw missingBaseUrlError();
}

async function verifyCurrentKey(settings: Settings, context: Context): Promise<KeyVerification | undefined> {
  if (settings.baseUrl === undefined || settings.apiKeyFrom === undefined) return undefined;
  const { probeKey } = await import('../verify-key.ts');
  return probeKey(await context.service(), settings.wire.findings, await profileOption(context));
}

async function printStatus(status: AuthStatus, output: Output): Promise<void> {
  const { keyCommand, ...cells } = status;
  const { profile, baseUrl, keyFrom } = cells;
  const command = keyCommand === null ? undefined : renderKeyCommand(keyCommand);
  const keySource = command === undefined ? keyFrom : `${keyFrom}: ${command}`;
  const columns = [
    'profile',
    { header: 'base URL', min: 20 },
    { header: 'key from', wrap: true },
    { header: 'verified', wrap: true },
  ];
  const row = [profile, baseUrl ?? '', keySource ?? '', verifiedText(status)];
  const csv = () => [
    [...Object.keys(cells), 'keyCommand'],
    [...Object.values(cells), command],
  ];
  await printRecords({ ...recordOf(status, () => [{ columns, rows: [row] }]), csv }, output);
}

function verifiedText({ verified, detail }: AuthStatus): string {
  if (verified === 'no-permission' && detail !== null) return detail;
  return verified === 'yes' ? 'yes, by GET /v1/findings' : (verified ?? '');
}
