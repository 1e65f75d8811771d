import type { Command } from 'commander';
import { createRedactor } from '../../client/redactor.ts';
import type { Output } from '../../output/output.ts';
import type { Cell } from '../../output/table.ts';
import { EXIT } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { type CheckResult, type CheckState, type Diagnosis, runChecks } from './check.ts';
import { CONFIG_CHECKS } from './config-checks.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';
import { createReport, type DoctorReport } from './report.ts';
import { serviceChecks } from './service-checks.ts';

export interface DoctorOptions {
  report?: boolean;
}

const HELP = `
Checks what orgadm needs, in this order: Node.js, the state directory, the
configuration and the key, the way to the service (proxy, DNS, TCP, TLS), and the
service itself, with two reads that change nothing. A check that depends on one
that failed is skipped. Each network check ends after 15s, or after --timeout if
that is shorter.

  ok       nothing to do
  warning  works, but look at it
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
export function registerDoctor(program: Command, context: () => Context): void {
  program
    .command('doctor')
    .description('Check the configuration, the network, the key and the service.')
    .option('--report', 'add versions, platform and settings, for a bug report')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) => runDoctor(options, context()));
}

/** Runs all checks, prints them, and sets the exit code. */
export async function runDoctor({ report: withReport = false }: DoctorOptions, context: Context): Promise<void> {
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
  switch (output.format) {
    case 'json':
      return output.json({ summary, checks, report });
    case 'ndjson':
      return output.ndjson({ summary, report });
    case 'csv':
      await output.csvRow(['check', 'state', 'detail', 'fix']);
      return output.csvRows(checks.map(({ check, state, detail, fix }) => [check, state, detail, fix]));
    default:
      if (report !== null) await printReport(report, output);
      await printChecks(checks, output);
      return output.write(`\n${describeSummary(summary)}\n`);
  }
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
