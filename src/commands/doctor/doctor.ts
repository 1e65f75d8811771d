import { arch, platform, release } from 'node:os';
import { type Command, Option } from 'commander';
import { createRedactor } from '../../client/redactor.ts';
import { SETTING_NAMES } from '../../config/setting-table.ts';
import { resolveSetting, type SettingSources } from '../../config/settings.ts';
import { csvOfRecords, type Output, printRecords } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Cell } from '../../output/table.ts';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import type { Environment } from '../../util/host.ts';
import { VERSION } from '../../util/package-version.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import type { Calibration, CheckResult, DoctorReport } from '../schema/setup-output.ts';
import { type CheckDefinition, type CheckOutcome, failed, MACHINE_CHECKS, skipped } from './machine-checks.ts';
import { NETWORK_CHECKS, serviceChecks } from './network-checks.ts';

interface DoctorOptions {
  report?: boolean;
  calibrate?: boolean;
  member?: string;
  role?: string;
  department?: string;
  yes?: boolean;
}

const HELP = `
Checks what orgadm needs, in this order: Node.js, the state directory, the
configuration and the key, the network path to the service (proxy, DNS, TCP,
TLS), and the service itself, with read-only requests. A check that depends on one
that failed is skipped. Each network check ends after 15s, or after --timeout if
that is shorter.

  ok       nothing to do
  warning  works, but should be checked
  failed   does not work until it is fixed
  skipped  not checked; the reason is shown

API keys and passwords are never printed: the output of --report can be pasted
into a bug report.

--calibrate runs no checks. It learns what services of this kind do differently,
so that imports need not guess it: the base of errors[].index, the messages for a
user who is already a member and for one who does not exist, the base of
members.<n> in a rejected request, and whether deviceMgmtLabelId is accepted. It
shows two or three requests and asks before it sends them: with --member, who has
to be a member already, and with a user who cannot exist, so no one is added. What
it learns is stored in the profile as wire.member.*; with --sandbox it is only
printed.

Examples:
  $ orgadm doctor --sandbox
  $ orgadm doctor --report --sandbox
  $ orgadm doctor --calibrate --member usr_0003 --sandbox
  $ orgadm doctor --json --jq '.checks[] | select(.state == "failed")' --sandbox

JSON output: {"summary","checks","report","calibration"}. The checks are
{"check","state","detail","fix"}; fix is null if there is nothing to do. The
report is null without --report, the calibration null without --calibrate.
ndjson: one check a line as it ends, then {"summary","report","calibration"}.

Exit code 0 when no check failed (warnings are allowed), 1 otherwise; 1 also if
the service added a member during a calibration.
`;

/** Registers `doctor` under the program. */
export function registerDoctor(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .option('--report', 'add versions, platform and settings, for a bug report')
    .optionsGroup('Calibration options:')
    .addOption(
      new Option(
        '--calibrate',
        'learn how the service responds to bulk requests, and store it in the profile',
      ).conflicts('report'),
    )
    .option('--member <user-id>', 'user who is already a member')
    .option('--role <role>', 'role to send for both users (default: member)')
    .option('--department <name>', 'department to send for both users (default: none)')
    .option('--yes', 'send without asking')
    .action((options: DoctorOptions) => runDoctor(options, context()));
}

/** Runs all checks or, with `calibrate`, a calibration; prints the result, and sets the exit code. */
async function runDoctor({ report, calibrate, ...options }: DoctorOptions, context: Context): Promise<void> {
  const { member } = options;
  const [first] = Object.keys(options);
  if (!calibrate) {
    if (first !== undefined) throw new UsageError(`--${first} requires --calibrate`);
    return diagnose(report ?? false, context);
  }
  if (member === undefined) {
    throw new UsageError('--calibrate requires --member', 'Name a user who is already a member: --member <user-id>');
  }
  const calibration = await (await import('./calibrate.ts')).calibrate({ ...options, member }, context);
  await printResult({ checks: [], report: null, calibration }, context.output);
  if (calibration.added.length > 0) throw addedError(calibration.added);
  const { profile } = calibration;
  context.output.note(profile === null ? 'nothing was stored' : `stored in profile ${profile}`);
}

function addedError(added: Calibration['added']): OrgadmError {
  const names = added.map(
    ({ userId, memberId }) => `${userId ?? 'an unnamed user'} (member ${memberId ?? 'without an id in the response'})`,
  );
  return new OrgadmError('added', EXIT.failure, `the service ADDED ${names.join(' and ')}; nothing was stored`, {
    hint: 'Remove this membership if it is not wanted. The user of --member must already be a member.',
  });
}

async function diagnose(withReport: boolean, context: Context): Promise<void> {
  const { output, host } = context;
  const secrets = new Set<string>();
  const variable = host.env.ORGADM_API_KEY?.trim();
  if (variable) secrets.add(variable);
  const clean = (text: string) =>
    cleanLine([...secrets].reduce((redacted, secret) => createRedactor(secret).redact(redacted), text));

  const checks: CheckResult[] = [];
  for await (const result of runChecks(secrets, clean, context)) {
    checks.push(result);
    if (output.format === 'ndjson') await output.ndjson(result);
  }
  const report = withReport ? await createReport(context, clean) : null;
  await printResult({ checks, report, calibration: null }, output);
  if (checks.some(({ state }) => state === 'failed')) context.exitCode = EXIT.failure;
}

/** Longer texts of a service are cut off. */
const MAX_CHARACTERS = 1_000;

/** Removes API keys and escape sequences. */
type Clean = (text: string) => string;

/** Runs the checks one after another. They extend `secrets`, which `clean` removes from the results. */
async function* runChecks(secrets: Set<string>, clean: Clean, context: Context): AsyncGenerator<CheckResult> {
  const bounded = (text: string) => {
    const cleaned = clean(text);
    return cleaned.length > MAX_CHARACTERS ? `${cleaned.slice(0, MAX_CHARACTERS)}…` : cleaned;
  };
  /** For each check without a result, the check that failed in the first place. */
  const causes = new Map<string, string>();
  const progress = await context.progress();
  for (const check of [...MACHINE_CHECKS, ...NETWORK_CHECKS, ...serviceChecks(context)]) {
    const { name, needs } = check;
    const cause = needs.map((need) => causes.get(need)).find((need) => need !== undefined);
    if (cause === undefined) progress.update(() => `checking ${name}`);
    const { state, detail, fix } =
      cause === undefined ? await runCheck(check, context, secrets) : skipped(`not checked, because ${cause} failed`);
    if (cause !== undefined || state === 'failed') causes.set(name, cause ?? name);
    yield { check: name, state, detail: bounded(detail), fix: fix && bounded(fix) };
  }
  progress.stop();
}

async function runCheck({ run }: CheckDefinition, context: Context, secrets: Set<string>): Promise<CheckOutcome> {
  try {
    return await run(context, secrets);
  } catch (error) {
    return error instanceof OrgadmError ? failed(error.message, error.hint) : failed(describeFsError(error));
  }
}

interface DoctorResult {
  checks: readonly CheckResult[];
  report: DoctorReport | null;
  calibration: Calibration | null;
}

/** Prints the result of the checks or, if there is one, of the calibration. */
async function printResult({ checks, report, calibration }: DoctorResult, output: Output): Promise<void> {
  const count = (wanted: CheckResult['state']) => checks.filter(({ state }) => state === wanted).length;
  const summary = { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
  const csv =
    calibration === null
      ? csvOfRecords(['check', 'state', 'detail', 'fix'], checks)
      : csvOfRecords(['topic', 'value', 'detail', 'setting'], calibration.learned);
  const table = async () => {
    if (calibration !== null) return printLearned(calibration, output);
    if (report !== null) await printReport(report, output);
    await printChecks(checks, output);
    const { ok, warning, failed, skipped } = summary;
    const others = [
      warning && countOf(warning, 'warning'),
      failed && `${failed} failed`,
      skipped && `${skipped} skipped`,
    ];
    await output.write(`\n${[`${ok} ok`, ...others.filter(Boolean)].join(', ')}\n`);
  };
  const json = { summary, checks, report, calibration };
  await printRecords({ json, ndjson: [{ summary, report, calibration }], csv, table }, output);
}

async function printChecks(checks: readonly CheckResult[], output: Output): Promise<void> {
  const { ok, warn, error, dim } = output.style;
  const styles = { ok, warning: warn, failed: error, skipped: dim };
  const rows = checks.flatMap(({ check, state, detail, fix }): Cell[][] => [
    [check, { text: state, style: styles[state] }, detail],
    ...(fix === null ? [] : [['', '', `fix: ${fix}`]]),
  ]);
  await output.table(['check', 'state', { header: 'result', min: 30, wrap: true }], rows);
}

async function printLearned({ learned }: Calibration, output: Output): Promise<void> {
  await output.table(
    ['topic', { header: 'learned', min: 30, wrap: true }, { header: 'setting', min: 20, wrap: true }],
    learned.map(({ topic, value, detail, setting }) => [
      topic,
      detail,
      setting === null || value === null ? '' : `${setting}: ${value}`,
    ]),
  );
}

async function printReport({ versions, settings, environment }: DoctorReport, output: Output): Promise<void> {
  await output.table(['program', { header: 'version', wrap: true }], Object.entries(versions));
  await output.write('\n');
  await output.table(
    ['setting', { header: 'value', wrap: true }, { header: 'from', wrap: true }],
    [
      ...settings.map(({ name, value, from }) => [name, value, from]),
      ...environment.map(({ name, value }) => [name, value, 'environment']),
    ],
  );
  await output.write('\n');
}

async function createReport(context: Context, clean: Clean): Promise<DoctorReport> {
  const { node, openssl = 'unknown' } = process.versions;
  const settings = await effectiveSettings(context);
  return {
    versions: { orgadm: VERSION, node, openssl, platform: clean(`${platform()} ${release()} ${arch()}`) },
    settings: settings.map(({ name, value, from }) => ({ name, value: clean(value), from: clean(from) })),
    environment: environmentOf(context.host.env).map(({ name, value }) => ({ name, value: clean(value) })),
  };
}

async function effectiveSettings(context: Context): Promise<DoctorReport['settings']> {
  let sources: SettingSources;
  try {
    sources = await context.sources();
  } catch {
    // The checks say what is wrong with them.
    return [];
  }
  return SETTING_NAMES.flatMap((name) => {
    try {
      const setting = resolveSetting(name, sources);
      if (setting === undefined || setting.from === 'default') return [];
      return [{ name, value: [setting.stored].flat().join(', '), from: setting.from }];
    } catch {
      return [{ name, value: 'not valid', from: 'see the checks' }];
    }
  });
}

const RELEVANT_VARIABLES =
  /^(?:ORGADM_\w+|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|XDG_(?:CONFIG|STATE)_HOME|NO_COLOR|FORCE_COLOR)$/i;

function environmentOf(env: Environment): DoctorReport['environment'] {
  return Object.entries(env)
    .flatMap(([name, value]) =>
      value && RELEVANT_VARIABLES.test(name)
        ? [{ name, value: name === 'ORGADM_API_KEY' ? 'set' : publicValue(value) }]
        : [],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The value without the user name and password of a URL. */
function publicValue(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@');
}
