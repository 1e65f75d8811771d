import { createRedactor, type Redact } from '../../output/redactor.ts';
import { describeFsError, OrgadmError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { type Check, type CheckOutcome, type Examination, failed, skipped } from './check.ts';
import type { CheckResult } from './doctor-output.ts';
import { LOCAL_CHECKS } from './local-checks.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

const CHECKS = [...LOCAL_CHECKS, ...SERVICE_CHECKS];

/** The states in the order in which their checks are reported. */
const REPORT_ORDER: readonly CheckResult['state'][] = ['failed', 'warning', 'ok', 'skipped'];

/**
 * Runs the checks one after another.
 *
 * @returns the results, failures first, without API keys; and what removes the keys from other texts
 */
export async function runChecks(context: Context): Promise<{ checks: CheckResult[]; clean: Redact }> {
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
  return { checks: REPORT_ORDER.flatMap((wanted) => cleaned.filter(({ state }) => state === wanted)), clean };
}

async function runCheck({ run }: Check, examination: Examination): Promise<CheckOutcome> {
  try {
    return await run(examination);
  } catch (error) {
    return error instanceof OrgadmError ? failed(error.message, error.hint) : failed(describeFsError(error));
  }
}
