import { chooseProxy } from '../../client/http/transport.ts';
import { missingBaseUrlError } from '../../config/settings.ts';
import { parseBaseUrl } from '../../util/base-url.ts';
import { describeFsError, OrgadmError } from '../../util/errors.ts';
import { memoize } from '../../util/memoize.ts';
import { probeKey } from '../auth/verify-key.ts';
import type { Context } from '../command-context.ts';
import { type Check, type CheckOutcome, type Examination, failed, skipped } from './check.ts';
import { CONFIGURATION_CHECKS } from './configuration-checks.ts';
import type { CheckResult } from './doctor-output.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';
import { observeClient } from './observed-client.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

const CHECKS = [...MACHINE_CHECKS, ...CONFIGURATION_CHECKS, ...NETWORK_CHECKS, ...SERVICE_CHECKS];

/** Longer texts of a service are cut off. */
const MAX_CHARACTERS = 1_000;

/**
 * Runs the checks one after another.
 *
 * @param secrets extended by the keys that the checks read
 * @param clean removes the secrets from a text
 */
export async function runChecks(
  context: Context,
  secrets: Set<string>,
  clean: (text: string) => string,
): Promise<CheckResult[]> {
  const bounded = (detail: string) => {
    const cleaned = clean(detail);
    return cleaned.length > MAX_CHARACTERS ? `${cleaned.slice(0, MAX_CHARACTERS)}…` : cleaned;
  };
  const examination = startExamination(context, secrets);
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
    results.push({ check: name, state, detail: bounded(detail), fix: fix && bounded(fix) });
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

function startExamination(context: Context, secrets: Set<string>): Examination {
  const { clock } = context.host;
  const serviceUrl = async () => {
    const { sandbox, baseUrl, allowHttp } = await context.settings();
    if (sandbox !== undefined) return new URL((await context.service()).baseUrl);
    if (baseUrl === undefined) throw missingBaseUrlError();
    return parseBaseUrl(baseUrl, allowHttp);
  };
  const target = async () => {
    const { caCert, extraCaCerts, proxy, timeoutMs } = await context.settings();
    const url = await serviceUrl();
    const certificates = [caCert, extraCaCerts].filter((pem) => pem !== undefined);
    return { url, proxy: chooseProxy(url, proxy), extraCaCerts: certificates, deadlineMs: timeoutMs, clock };
  };
  const client = memoize(async () => observeClient(await context.service(), clock));
  const verification = memoize(async () => probeKey(await client(), (await context.settings()).wire.findings));
  return { context, secrets, serviceUrl, target, client, verification };
}
