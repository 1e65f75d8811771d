import { describeFsError, OrgadmError } from '../../util/errors.ts';
import { type Check, type CheckOutcome, failed, skipped } from './check.ts';
import { CONFIGURATION_CHECKS } from './configuration-checks.ts';
import type { CheckResult } from './doctor-output.ts';
import type { Examination } from './examination.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

const CHECKS = [...MACHINE_CHECKS, ...CONFIGURATION_CHECKS, ...NETWORK_CHECKS, ...SERVICE_CHECKS];

/** Runs the checks one after another. The results contain no API keys. */
export async function runChecks(examination: Examination): Promise<CheckResult[]> {
  const { context, clean } = examination;
  const progress = await context.progress();
  /** For each check without a result, the check that failed in the first place. */
  const causes = new Map<string, string>();
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    const { name, needs } = check;
    progress.update(() => `checking ${name}`);
    const cause = needs.map((need) => causes.get(need)).find((need) => need !== undefined);
    const { state, detail, fix } =
      cause === undefined ? await runCheck(check, examination) : skipped(`not checked, because ${cause} failed`);
    if (cause !== undefined || state === 'failed') causes.set(name, cause ?? name);
    results.push({ check: name, state, detail: clean(detail), fix: fix && clean(fix) });
  }
  progress.stop();
  return results;
}

async function runCheck({ run }: Check, examination: Examination): Promise<CheckOutcome> {
  try {
    return await run(examination);
  } catch (error) {
    return error instanceof OrgadmError ? failed(error.message, error.hint) : failed(describeFsError(error));
  }
}
