import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { createRedactor } from '../../output/redactor.ts';
import { style, text } from '../../output/text.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { type Check, type CheckOutcome, type CheckResult, type Examination, failed, skipped } from './check.ts';
import { LOCAL_CHECKS } from './local-checks.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

/** The results of all checks. */
interface Diagnosis {
  /** The number of checks with each state. */
  summary: Record<CheckResult['state'], number>;
  checks: CheckResult[];
}

const HELP: HelpText = {
  examples: [
    'orgadm doctor --sandbox',
    'orgadm doctor --json --jq \'.checks[] | select(.state == "failed")\' --sandbox',
  ],
  notes: [
    'orgadm checks Node.js, the state directory, unfinished imports, the configuration, the base URL, the key, the ' +
      'service, and the clock. To check the service, orgadm sends the read requests of auth login, and shows the ' +
      'error that any other command would report. Problems come first.',
    {
      items: {
        ok: 'nothing to do',
        warning: 'works, but you should look at it',
        failed: 'does not work until you fix it',
        skipped: 'not checked, for the reason shown',
      },
    },
    'orgadm never prints API keys or passwords, so you can paste the output into a bug report.',
    'JSON output: {"summary","checks"}. The checks are {"check","state","detail","fix"}; fix is null if you have ' +
      'nothing to do. ndjson: one check per line, then {"summary"}.',
    'The exit code is 0 if no check failed, even with warnings, and 1 otherwise.',
  ],
};

/** Registers `doctor` under the program. */
export default function registerDoctor(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.action(() => diagnose(context()));
}

/** Runs the checks, prints their results, and exits 1 if one failed. */
async function diagnose(context: Context): Promise<void> {
  const checks = await runChecks(context);
  const summary = countByState(checks);
  const diagnosis = { summary, checks };
  const views = {
    ...listOf(checks, ['check', 'state', 'detail', 'fix']),
    json: () => diagnosis,
    ndjson: () => [...checks, { summary }],
    people: () => resultBlocks(diagnosis),
  };
  await printRecords(views, context.output);
  if (summary.failed > 0) context.exitCode = EXIT.failure;
}

const CHECKS = [...LOCAL_CHECKS, ...SERVICE_CHECKS];

/** The states in the order in which their checks are reported. */
const REPORT_ORDER: readonly CheckResult['state'][] = ['failed', 'warning', 'ok', 'skipped'];

/**
 * Runs the checks one after another.
 *
 * @returns the results, failures first, without API keys
 */
async function runChecks(context: Context): Promise<CheckResult[]> {
  const secrets = new Set<string>();
  const variable = context.host.env.ORGADM_API_KEY?.trim();
  if (variable) secrets.add(variable);
  const clean = (text: string) => (secrets.size === 0 ? text : createRedactor([...secrets])(text));
  const examination: Examination = { context, secrets, clockOffsetMs: undefined };
  const progress = await context.progress();
  /** For each check that failed or was skipped, the check that failed in the first place. */
  const causes = new Map<string, string>();
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    const { name, needs } = check;
    progress.update(() => `checking ${name}`);
    const cause = needs.map((need) => causes.get(need)).find((need) => need !== undefined);
    const { state, detail, fix } =
      cause === undefined ? await runCheck(check, examination) : skipped(`${cause} failed`);
    if (cause !== undefined || state === 'failed') causes.set(name, cause ?? name);
    results.push({ check: name, state, detail, fix });
  }
  progress.stop();
  // Only now are all keys known.
  const cleaned = results.map((result) => ({
    ...result,
    detail: clean(result.detail),
    fix: result.fix && clean(result.fix),
  }));
  return REPORT_ORDER.flatMap((wanted) => cleaned.filter(({ state }) => state === wanted));
}

async function runCheck({ run }: Check, examination: Examination): Promise<CheckOutcome> {
  try {
    return await run(examination);
  } catch (error) {
    // Any other error is a bug in orgadm, not a problem of the user's machine.
    if (!(error instanceof OrgadmError)) throw error;
    return failed(error.message, error.hint);
  }
}

function countByState(checks: readonly CheckResult[]): Diagnosis['summary'] {
  const count = (wanted: CheckResult['state']) => checks.filter(({ state }) => state === wanted).length;
  return { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
}

const STATE_STYLES = { ok: style.ok, warning: style.warn, failed: style.error } as const;

function resultBlocks({ summary, checks }: Diagnosis): Block[] {
  const { ok, warning, failed, skipped } = summary;
  const counts = [
    `${ok} ok`,
    warning > 0 ? countOf(warning, 'warning') : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
  ];
  return [
    {
      columns: ['check', 'state', { header: 'result', min: 30, wrap: true }],
      rows: checks.flatMap(({ check, state, detail, fix }) =>
        state === 'skipped'
          ? []
          : [[check, STATE_STYLES[state](state), fix === null ? detail : text`${detail}\nfix: ${fix}`]],
      ),
    },
    ...skippedBlocks(checks),
    text`${counts.filter((part) => part !== '').join(', ')}`,
  ];
}

/** Returns a line for each reason: `2 checks skipped because base-url failed: service, clock`. */
function skippedBlocks(checks: readonly CheckResult[]): Block[] {
  const skipped = checks.filter(({ state }) => state === 'skipped');
  return [...new Set(skipped.map(({ detail }) => detail))].map((reason) => {
    const names = skipped.filter(({ detail }) => detail === reason).map(({ check }) => check);
    return text`${countOf(names.length, 'check')} skipped because ${reason}: ${names.join(', ')}`;
  });
}
