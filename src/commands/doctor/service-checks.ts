import { getDomainStatus } from '../../client/domain-status.ts';
import { headerOf } from '../../client/http/headers.ts';
import type { IncomingHeaders } from '../../client/http/transport.ts';
import { ServiceError } from '../../client/service-error.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import type { OrgadmError } from '../../util/errors.ts';
import { renderDuration } from '../../util/units.ts';
import type { KeyVerification } from '../auth/verify-key.ts';
import { type Check, type CheckOutcome, failed, ok, skipped, warning } from './check.ts';
import type { ObservedClient, ObservedResponse } from './observed-client.ts';

/** The checks of the service and the key: two or three harmless reads, and what their responses show. */
export const SERVICE_CHECKS: readonly Check[] = [
  {
    name: 'service',
    needs: ['base-url', 'api-key', 'proxy', 'tcp', 'tls'],
    run: async ({ client, verification }) => describeService(await verification(), (await client()).baseUrl),
  },
  {
    name: 'key-accepted',
    needs: ['service'],
    run: async ({ verification }) => describeKey(await verification()),
  },
  {
    name: 'findings-list',
    needs: ['key-accepted'],
    run: async ({ verification }) => describeFindings(await verification()),
  },
  { name: 'domain-status', needs: ['key-accepted'], run: async ({ client }) => checkDomainStatus(await client()) },
  {
    name: 'role-update',
    needs: [],
    run: () => skipped('not checked: only a change would show whether the key may update roles'),
  },
  {
    name: 'people-bulk-add',
    needs: [],
    run: () => skipped('not checked: only an import would show whether the key may add people'),
  },
  { name: 'clock', needs: ['service'], run: async ({ client }) => checkClock((await client()).responses) },
  { name: 'rate-limit', needs: ['service'], run: async ({ client }) => checkRateLimit((await client()).responses) },
  { name: 'latency', needs: ['service'], run: async ({ client }) => checkLatency((await client()).responses) },
];

/** Reserved by RFC 2606: no service has registered it. */
const NONEXISTENT_DOMAIN = 'orgadm-doctor.invalid';

function describeService({ result, error }: KeyVerification, baseUrl: string): CheckOutcome {
  if (result === 'unverified' && !isOfService(error)) {
    // Rate limits are not connection failures, and show nothing about the key.
    return error.status === 429 ? warning(error.message, error.hint) : failed(error.message, error.hint);
  }
  const headers = error instanceof ServiceError ? error.response?.headers : undefined;
  if (result === 'rejected' && /html/i.test(headerOf(headers ?? {}, 'content-type') ?? '')) {
    return failed(
      `${error.message}; the response is a web page, so it may come from a gateway in front of the service`,
      repeatedVersionHint(baseUrl) ?? 'Check that the base URL names the service itself.',
    );
  }
  return ok(`${baseUrl} responds`);
}

/** Whether an unverified key got a response that only the service sends: JSON other than findings, or a 400. */
function isOfService({ code, status }: OrgadmError): boolean {
  return code === 'unverified' || status === 400;
}

const NOT_PROCESSED = 'not checked, because the service did not process the request';

function describeKey({ result, error }: KeyVerification): CheckOutcome {
  if (result === 'rejected') return failed(error.message, error.hint);
  if (result === 'unverified') return isOfService(error) ? warning(error.message, error.hint) : skipped(NOT_PROCESSED);
  return ok('the service accepts the key');
}

function describeFindings({ result, error }: KeyVerification): CheckOutcome {
  if (result === 'verified') return ok('the key may list findings');
  if (result === 'no-permission') return forbidden('list findings', error);
  return skipped(NOT_PROCESSED);
}

function forbidden(operation: string, { message, hint }: OrgadmError): CheckOutcome {
  return warning(`the key may not ${operation}: ${message}`, hint);
}

async function checkDomainStatus(client: ObservedClient): Promise<CheckOutcome> {
  try {
    await getDomainStatus(client, NONEXISTENT_DOMAIN, { singleAttempt: true });
    return ok('the key may read domains');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, message, messages, hint } = error;
    if (status === 403) return forbidden('read domains', error);
    if (status === 404 && messages.some((text) => ABOUT_A_ROUTE.test(text))) {
      return warning(message, 'The service may not have this operation. You can still use the others.');
    }
    if (status === 400 || status === 404) return ok('the key may read domains');
    if (status === 500) return ok('not rejected: services return 500 for an unknown domain');
    return warning(message, hint);
  }
}

const ABOUT_A_ROUTE = /\bcannot get\b|trust-portal|\b(?:routes?|endpoints?)\b/i;

/** Larger differences make logs hard to compare, and certificates invalid. */
const MAX_SKEW_MS = 60_000;

function checkClock(responses: readonly ObservedResponse[]): CheckOutcome {
  const response = responses.at(-1);
  const serviceTime = Date.parse((response && headerOf(response.headers, 'date')) ?? '');
  if (response === undefined || Number.isNaN(serviceTime)) return skipped('the service sends no valid Date header');
  // The header is in seconds, rounded down.
  const skew = serviceTime + 500 - (response.sentAt + response.receivedAt) / 2;
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok("this machine's clock agrees with that of the service");
  return warning(
    `this machine's clock is ${renderDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} that of the service`,
    "Set this machine's clock, or synchronize it with NTP.",
  );
}

const RATE_LIMIT_HEADER = /^(?:retry-after|(?:x-)?rate-?limit(?:-[\w-]+)?)$/i;
const MAX_HEADER_CHARACTERS = 100;

function checkRateLimit(responses: readonly ObservedResponse[]): CheckOutcome {
  const headers: IncomingHeaders = Object.assign({}, ...responses.map((response) => response.headers));
  const names = Object.keys(headers).filter((name) => RATE_LIMIT_HEADER.test(name));
  const shown = names.map((name) => `${name}: ${headerOf(headers, name)?.slice(0, MAX_HEADER_CHARACTERS)}`).join(', ');
  if (responses.some(({ status }) => status === 429)) {
    return warning(`the service limits requests${shown && ` (${shown})`}`, 'Wait, then run orgadm doctor again.');
  }
  return ok(shown === '' ? 'no rate-limit headers seen' : shown);
}

/** Slower responses make imports long, and near timeouts. */
const SLOW_MS = 5_000;

function checkLatency(responses: readonly ObservedResponse[]): CheckOutcome {
  const times = responses.map(({ sentAt, receivedAt }) => receivedAt - sentAt);
  if (times.length === 0) return skipped('no response was measured');
  const detail = `${times.map((ms) => `${ms} ms`).join(', ')} to a response`;
  if (Math.min(...times) < SLOW_MS) return ok(detail);
  return warning(detail, 'Allow more time with --timeout, and use a smaller --batch-size for imports.');
}
