import { arch, platform, release } from 'node:os';
import { type Command, Option } from 'commander';
import { createRedactor } from '../../client/redactor.ts';
import { SETTING_NAMES, type SettingName } from '../../config/setting-table.ts';
import { resolveSetting, type SettingSources } from '../../config/settings.ts';
import { type Output, printRecords } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Cell } from '../../output/table.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import type { Environment } from '../../util/host.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import type { CalibrateOptions } from './calibrate.ts';
import type { AddedMember } from './calibration.ts';
import { type CheckResult, type CheckState, type Diagnosis, runChecks } from './check.ts';
import { CONFIG_CHECKS, MACHINE_CHECKS } from './machine-checks.ts';
import { NETWORK_CHECKS, serviceChecks } from './network-checks.ts';

export interface DoctorOptions {
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
export async function runDoctor(options: DoctorOptions, context: Context): Promise<void> {
  checkOptions(options);
  const { member } = options;
  return member === undefined
    ? diagnose(options.report ?? false, context)
    : printCalibration({ role: 'member', department: 'none', yes: false, ...options, member }, context);
}

function checkOptions({ calibrate, report: _, ...options }: DoctorOptions): void {
  const [first] = Object.keys(options);
  if (!calibrate && first !== undefined) throw new UsageError(`--${first} requires --calibrate`);
  if (calibrate && options.member === undefined) {
    throw new UsageError('--calibrate requires --member', 'Name a user who is already a member: --member <user-id>');
  }
}

async function printCalibration(options: CalibrateOptions, context: Context): Promise<void> {
  const { calibrate } = await import('./calibrate.ts');
  const { output } = context;
  const calibration = await calibrate(options, context);
  const { learned, added, profile } = calibration;
  const summary = summarize([]);
  const csv = [
    ['topic', 'value', 'detail', 'setting'],
    ...learned.map(({ topic, value, detail, setting }) => [topic, value, detail, setting]),
  ];
  const table = () =>
    output.table(
      [{ header: 'topic' }, { header: 'learned', min: 30, wrap: true }, { header: 'setting', min: 20, wrap: true }],
      learned.map(({ topic, value, detail, setting }) => [
        topic,
        detail,
        setting === null || value === null ? '' : `${setting}: ${value}`,
      ]),
    );
  const json = { summary, checks: [], report: null, calibration };
  await printRecords({ json, ndjson: [{ summary, report: null, calibration }], csv, table }, output);
  if (added.length > 0) throw addedError(added);
  output.note(profile === null ? 'nothing was stored' : `stored in profile ${profile}`);
}

function addedError(added: readonly AddedMember[]): OrgadmError {
  const names = added.map(
    ({ userId, memberId }) => `${userId ?? 'an unnamed user'} (member ${memberId ?? 'without an id in the response'})`,
  );
  return new OrgadmError('added', EXIT.failure, `the service ADDED ${names.join(' and ')}; nothing was stored`, {
    hint: 'Remove this membership if it is not wanted. The user of --member must already be a member.',
  });
}

async function diagnose(withReport: boolean, context: Context): Promise<void> {
  const { output, host } = context;
  const diagnosis: Diagnosis = { context, secrets: new Set() };
  const variable = host.env.ORGADM_API_KEY?.trim();
  if (variable) diagnosis.secrets.add(variable);
  const redact = (text: string) =>
    [...diagnosis.secrets].reduce((clean, secret) => createRedactor(secret).redact(clean), text);

  const progress = await context.progress();
  const definitions = [...MACHINE_CHECKS, ...CONFIG_CHECKS, ...NETWORK_CHECKS, ...serviceChecks()];
  const checks: CheckResult[] = [];
  for await (const result of runChecks(definitions, diagnosis, redact, (name) =>
    progress.update(() => `checking ${name}`),
  )) {
    checks.push(result);
    if (output.format === 'ndjson') await output.ndjson(result);
  }
  progress.stop();
  const report = withReport ? await createReport(context, redact) : null;
  await printDoctor(checks, report, output);
  if (checks.some(({ state }) => state === 'failed')) context.exitCode = EXIT.failure;
}

type Summary = Record<CheckState, number>;

function summarize(checks: readonly CheckResult[]): Summary {
  const count = (wanted: CheckState) => checks.filter(({ state }) => state === wanted).length;
  return { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
}

async function printDoctor(checks: readonly CheckResult[], report: DoctorReport | null, output: Output): Promise<void> {
  const summary = summarize(checks);
  const ndjson = [{ summary, report, calibration: null }];
  const csv = [
    ['check', 'state', 'detail', 'fix'],
    ...checks.map(({ check, state, detail, fix }) => [check, state, detail, fix]),
  ];
  const table = async () => {
    if (report !== null) await printReport(report, output);
    await printChecks(checks, output);
    await output.write(`\n${describeSummary(summary)}\n`);
  };
  await printRecords({ json: { summary, checks, report, calibration: null }, ndjson, csv, table }, output);
}

async function printChecks(checks: readonly CheckResult[], output: Output): Promise<void> {
  const { ok, warn, error, dim } = output.style;
  const styles = { ok, warning: warn, failed: error, skipped: dim };
  const rows = checks.flatMap(({ check, state, detail, fix }): Cell[][] => [
    [check, { text: state, style: styles[state] }, detail],
    ...(fix === null ? [] : [['', '', `fix: ${fix}`]]),
  ]);
  await output.table([{ header: 'check' }, { header: 'state' }, { header: 'result', min: 30, wrap: true }], rows);
}

async function printReport({ versions, settings, environment }: DoctorReport, output: Output): Promise<void> {
  await output.table([{ header: 'program' }, { header: 'version', wrap: true }], Object.entries(versions));
  await output.write('\n');
  await output.table(
    [{ header: 'setting' }, { header: 'value', wrap: true }, { header: 'from', wrap: true }],
    [
      ...settings.map(({ name, value, from }) => [name, value, from]),
      ...environment.map(({ name, value }) => [name, value, 'environment']),
    ],
  );
  await output.write('\n');
}

function describeSummary({ ok, warning, failed, skipped }: Summary): string {
  const parts = [
    `${ok} ok`,
    ...(warning > 0 ? [warning === 1 ? '1 warning' : `${warning} warnings`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return parts.join(', ');
}

/** What a bug report contains in addition to the checks, without API keys and passwords. */
interface DoctorReport {
  versions: { orgadm: string; node: string; openssl: string; platform: string };
  /** The settings that are set, and where. Empty where the configuration cannot be read. */
  settings: { name: SettingName; value: string; from: string }[];
  /** The environment variables that matter to the tool. */
  environment: { name: string; value: string }[];
}

/** @param redact removes API keys from a text */
async function createReport(context: Context, redact: (text: string) => string): Promise<DoctorReport> {
  const clean = (text: string) => cleanLine(redact(text));
  const { node, openssl } = process.versions;
  const settings = await effectiveSettings(context);
  return {
    versions: {
      orgadm: VERSION,
      node,
      openssl: openssl ?? 'unknown',
      platform: clean(`${platform()} ${release()} ${arch()}`),
    },
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

/** Their values may hold secrets, so they are only reported as set. */
const SECRET_VARIABLES = /^ORGADM_API_KEY$/;
const RELEVANT_VARIABLES =
  /^(?:ORGADM_\w+|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|XDG_(?:CONFIG|STATE)_HOME|NO_COLOR|FORCE_COLOR)$/i;

function environmentOf(env: Environment): DoctorReport['environment'] {
  return Object.entries(env)
    .flatMap(([name, value]) =>
      value && RELEVANT_VARIABLES.test(name)
        ? [{ name, value: SECRET_VARIABLES.test(name) ? 'set' : publicValue(value) }]
        : [],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The value without the user name and password of a URL. */
function publicValue(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@');
}
