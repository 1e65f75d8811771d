import type { ProbeTarget } from '../../client/http/connection-probe.ts';
import { chooseProxy } from '../../client/http/transport.ts';
import { createRedactor } from '../../client/redactor.ts';
import { missingBaseUrlError } from '../../config/settings.ts';
import { parseBaseUrl } from '../../util/base-url.ts';
import { memoize } from '../../util/memoize.ts';
import { probeKey } from '../auth/verify-key.ts';
import type { Context } from '../command-context.ts';
import { observeClient } from './observed-client.ts';

/** State shared by the checks of one run. */
export type Examination = ReturnType<typeof startExamination>;

/** Creates the state of the checks. It connects to nothing until a check asks for it. */
export function startExamination(context: Context) {
  const { env, clock } = context.host;
  /** API keys that must not appear in a result. Checks add those that they read. */
  const secrets = new Set<string>();
  const variable = env.ORGADM_API_KEY?.trim();
  if (variable) secrets.add(variable);

  /** Removes the API keys from a text. */
  const clean = (text: string) => (secrets.size === 0 ? text : createRedactor([...secrets])(text));

  /** Returns the base URL of the service or the sandbox. Throws UsageError if it is missing or cannot be used. */
  const serviceUrl = async () => {
    const { sandbox, baseUrl, allowHttp } = await context.settings();
    if (sandbox !== undefined) return new URL((await context.service()).baseUrl);
    if (baseUrl === undefined) throw missingBaseUrlError();
    return parseBaseUrl(baseUrl, allowHttp);
  };

  /** Returns where the client would connect to. Throws UsageError for a proxy that cannot be used. */
  const target = async (): Promise<ProbeTarget> => {
    const { caCert, extraCaCerts, proxy, timeoutMs } = await context.settings();
    const url = await serviceUrl();
    const certificates = [caCert, extraCaCerts].filter((pem) => pem !== undefined);
    return { url, proxy: chooseProxy(url, proxy), extraCaCerts: certificates, deadlineMs: timeoutMs, clock };
  };

  /** Returns the client of all checks. */
  const client = memoize(async () => observeClient(await context.service(), clock));

  /** Reads findings once, to see whether the service accepts the key. */
  const verification = memoize(async () => probeKey(await client(), (await context.settings()).wire.findings));

  return { context, secrets, clean, serviceUrl, target, client, verification };
}
