import { arch, platform, release } from 'node:os';
import type { Command } from 'commander';
import { createRedactor } from '../../client/redactor.ts';
import { SETTING_NAMES } from '../../config/setting-table.ts';
import { resolveSetting, type SettingSources } from '../../config/settings.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords, type RecordViews } from '../../output/print-records.ts';
import { style, text } from '../../output/text.ts';
import { describeFsError, EXIT, OrgadmError } from '../../util/errors.ts';
import type { Environment } from '../../util/host.ts';
import { VERSION } from '../../util/package-version.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import type { CheckResult, DoctorReport } from './doctor-output.ts';
import { type CheckDefinition, type CheckOutcome, failed, MACHINE_CHECKS, skipped } from './machine-checks.ts';
import { NETWORK_CHECKS, serviceChecks } from './network-checks.ts';

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

Examples:
  $ orgadm doctor --sandbox
  $ orgadm doctor --report --sandbox
  $ orgadm doctor --json --jq '.checks[] | select(.state == "failed")' --sandbox

JSON output: {"summary","checks","report"}. The checks are
{"check","state","detail","fix"}; fix is null if there is nothing to do. The
report is null without --report. ndjson: one check a line as it ends, then
{"summary","report"}.

Exit code 0 when no check failed (warnings are allowed), 1 otherwise.
`;

/** Registers `doctor` under the program. */
export function registerDoctor(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .option('--report', 'add versions, platform and settings, for a bug report')
    .action(({ report = false }: { report?: boolean }) => diagnose(report, context()));
}

/** Runs the checks and prints them: as ndjson each as it ends, in the other formats all at once. */
async function diagnose(withReport: boolean, context: Context): Promise<void> {
  const { output, host } = context;
  const secrets = new Set<string>();
  const variable = host.env.ORGADM_API_KEY?.trim();
  if (variable) secrets.add(variable);
  const clean = (detail: string) =>
    [...secrets].reduce((redacted, secret) => createRedactor(secret).redact(redacted), detail);

  const checks: CheckResult[] = [];
  async function* run() {
    for await (const check of runChecks(secrets, clean, context)) {
      checks.push(check);
      yield [check];
    }
  }
  const summarize = async () => conclude(checks, withReport ? await createReport(context, clean) : null);
  const finish = async () => {
    for await (const _ of run());
    return summarize();
  };
  const views: RecordViews = {
    json: finish,
    async *ndjson() {
      yield* run();
      const { checks: _, ...end } = await summarize();
      yield [end];
    },
    async *csv() {
      await finish();
      yield listOf(checks, ['check', 'state', 'detail', 'fix']).csv();
    },
    async *people() {
      yield resultBlocks(await finish());
    },
  };
  await printRecords(views, output);
  if (checks.some(({ state }) => state === 'failed')) context.exitCode = EXIT.failure;
}

/** Longer texts of a service are cut off. */
const MAX_CHARACTERS = 1_000;

/** Removes API keys. */
type Clean = (text: string) => string;

/** Runs the checks one after another. They extend `secrets`, which `clean` removes from the results. */
async function* runChecks(secrets: Set<string>, clean: Clean, context: Context): AsyncGenerator<CheckResult> {
  const bounded = (detail: string) => {
    const cleaned = clean(detail);
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
  summary: Record<CheckResult['state'], number>;
  checks: readonly CheckResult[];
  report: DoctorReport | null;
}

function conclude(checks: readonly CheckResult[], report: DoctorReport | null): DoctorResult {
  const count = (wanted: CheckResult['state']) => checks.filter(({ state }) => state === wanted).length;
  const summary = { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
  return { summary, checks, report };
}

const STYLES = { ok: style.ok, warning: style.warn, failed: style.error, skipped: style.dim } as const;

function resultBlocks({ summary, checks, report }: DoctorResult): Block[] {
  const { ok, warning, failed, skipped } = summary;
  const counts = [
    `${ok} ok`,
    warning > 0 ? countOf(warning, 'warning') : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
  ];
  return [
    ...(report === null ? [] : reportBlocks(report)),
    {
      columns: ['check', 'state', { header: 'result', min: 30, wrap: true }],
      rows: checks.map(({ check, state, detail, fix }) => [
        check,
        STYLES[state](state),
        fix === null ? detail : text`${detail}\nfix: ${fix}`,
      ]),
    },
    text`${counts.filter((part) => part !== '').join(', ')}`,
  ];
}

function reportBlocks({ versions, settings, environment }: DoctorReport): Block[] {
  return [
    { columns: ['program', { header: 'version', wrap: true }], rows: Object.entries(versions) },
    {
      columns: ['setting', { header: 'value', wrap: true }, { header: 'from', wrap: true }],
      rows: [
        ...settings.map(({ name, value, from }) => [name, value, from]),
        ...environment.map(({ name, value }) => [name, value, 'environment']),
      ],
    },
  ];
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
