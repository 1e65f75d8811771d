import { missingBaseUrlError, missingKeyError, type Settings } from '../../config/target.ts';
import { hintText } from '../../output/error-text.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { type OrgadmError, UsageError } from '../../util/errors.ts';
import { authProfile, type Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import type { KeyVerification } from '../verify-key.ts';

const VERIFIED = {
  verified: 'yes',
  'no-permission': 'no-permission',
  rejected: 'no',
  unverified: 'unknown',
  unreachable: 'unknown',
} as const;

/** The service and the key of a profile; never the key itself. */
interface AuthStatus {
  profile: string;
  baseUrl: string | null;
  /** The option, variable, or profile that set it. */
  baseUrlFrom: string | null;
  /** The option, variable, or profile that holds the key. */
  keyFrom: string | null;
  /** Whether the response came from the API; null without a base URL or a key. */
  responds: boolean | null;
  /** `no-permission`: not allowed to read findings (403); `no`: rejected; null: without a base URL or a key. */
  verified: (typeof VERIFIED)[KeyVerification['result']] | null;
  /** Why the key is not verified. */
  detail: string | null;
}

const HELP: HelpText = {
  examples: ['orgadm auth status', 'orgadm auth status --profile staging'],
  notes: [
    'orgadm verifies the key by listing findings. The exit code is 0 if the service returns a list of findings, ' +
      'and 4 if the key is missing or rejected. It is also 0 for a key without permission to read findings, which ' +
      'may be enough for other commands. For any other problem, it is the code with which other commands would ' +
      'exit. To see where all settings come from without a request, run orgadm config list.',
    'JSON output: {"profile","baseUrl","baseUrlFrom","keyFrom","responds","verified","detail"}, strings ' +
      'or null. responds is true if the response came from the API, otherwise ' +
      'false. verified is "yes", "no-permission" (not allowed to read findings), "no" (rejected), "unknown", or null ' +
      'without a key or a base URL; detail says why it is not "yes".',
  ],
};

/** Registers `auth status`. */
export default function registerAuthStatus(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.description(
    'Show which service and key orgadm uses, whether the service responds, and whether it accepts the key.',
  );
  command.action(() => runAuthStatus(context()));
}

/** Prints the status, then each problem with its fix: the last one as the error, those before it as warnings. */
async function runAuthStatus(context: Context): Promise<void> {
  authProfile(context);
  const settings = await context.settings();
  const problems = missingSettings(settings, context);
  const verification = problems.length > 0 ? undefined : await verifyCurrentKey(settings, problems, context);
  await printStatus(settings, verification, context);
  const { output } = context;
  for (const { message, hint } of problems.slice(0, -1)) {
    output.warn(message);
    if (hint !== undefined) output.note(hintText(hint));
  }
  const [problem = verification?.error] = problems.slice(-1);
  if (problem === undefined) return;
  if (verification?.result !== 'no-permission') throw problem;
  if (problem.hint !== undefined) output.note(hintText(problem.hint));
}

function missingSettings(settings: Settings, { host }: Context): OrgadmError[] {
  return [
    ...(settings.baseUrl === undefined ? [missingBaseUrlError()] : []),
    ...(settings.apiKeyFrom === undefined ? [missingKeyError(host, settings)] : []),
  ];
}

/** @param problems receives the error for a base URL or a key that cannot be used */
async function verifyCurrentKey(
  settings: Settings,
  problems: OrgadmError[],
  context: Context,
): Promise<KeyVerification | undefined> {
  const { probeKey } = await import('../verify-key.ts');
  try {
    return await probeKey(await context.service(), settings.wire.findings.task);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.push(error);
    return undefined;
  }
}

async function printStatus(settings: Settings, verification: KeyVerification | undefined, context: Context) {
  const { profile, baseUrl, baseUrlFrom, apiKeyFrom } = settings;
  const status: AuthStatus = {
    profile,
    baseUrl: baseUrl ?? null,
    baseUrlFrom: baseUrlFrom ?? null,
    keyFrom: apiKeyFrom ?? null,
    responds: verification === undefined ? null : verification.result !== 'unreachable',
    verified: verification === undefined ? null : VERIFIED[verification.result],
    detail: verification === undefined ? null : (await import('../verify-key.ts')).describeVerification(verification),
  };
  const people = () => [{ columns: ['check', { header: 'result', isWhole: true }], rows: statusRows(status) }];
  await printRecords(recordOf(status, people), context.output);
}

function statusRows(status: AuthStatus): string[][] {
  const { profile, baseUrl, baseUrlFrom, keyFrom, responds, verified, detail } = status;
  const rows = [
    ['profile', profile],
    ['base URL', baseUrl === null ? 'none' : `${baseUrl} (${baseUrlFrom})`],
    ['key', keyFrom === null ? 'none' : `from ${keyFrom}`],
  ];
  if (responds === null) return rows;
  const accepted = verified === 'no-permission' ? (detail ?? '') : (verified ?? '');
  return [...rows, ['API responds', responds ? 'yes' : 'no'], ['key accepted', accepted]];
}
