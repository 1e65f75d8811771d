import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { getDomainStatus } from '../../client/domain-status.ts';
import {
  firstHop,
  type ProbeTarget,
  probeDns,
  probeTcp,
  probeTls,
  untrustedError,
} from '../../client/http/connection-probe.ts';
import { headerOf } from '../../client/http/headers.ts';
import { chooseProxy, type IncomingHeaders } from '../../client/http/transport.ts';
import type { RequestSpec, ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { readCertificates } from '../../config/settings.ts';
import { isLoopback, repeatedVersionHint } from '../../util/base-url.ts';
import { EXIT, type OrgadmError, UsageError } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import { countOf, renderDuration } from '../../util/units.ts';
import { type KeyVerification, probeKey } from '../auth/verify-key.ts';
import type { Context } from '../command-context.ts';
import { type CheckDefinition, type CheckOutcome, failed, ok, serviceUrl, skipped, warning } from './machine-checks.ts';

/** The longest that any single network check takes, in milliseconds; `--timeout` if that is shorter. */
const MAX_CHECK_MS = 15_000;

/** The checks of the network path to the service, each with a deadline of its own. */
export const NETWORK_CHECKS: readonly CheckDefinition[] = [
  { name: 'proxy', needs: ['base-url'], run: checkProxy },
  { name: 'certificate-authorities', needs: ['settings'], run: checkAuthorities },
  { name: 'dns', needs: ['base-url', 'proxy'], run: withTarget(checkDns) },
  { name: 'tcp', needs: ['dns'], run: withTarget(checkTcp) },
  { name: 'tls', needs: ['tcp', 'certificate-authorities'], run: withTarget(checkTls) },
];

function withTarget(check: (target: ProbeTarget) => Promise<CheckOutcome>): CheckDefinition['run'] {
  return async (context) => check(await probeTarget(context));
}

async function probeTarget(context: Context): Promise<ProbeTarget> {
  const { caCert, extraCaCerts, proxy, timeoutMs } = await context.settings();
  const url = await serviceUrl(context);
  return {
    url,
    proxy: chooseProxy(url, proxy),
    extraCaCerts: [caCert, extraCaCerts].filter((pem) => pem !== undefined),
    deadlineMs: Math.min(timeoutMs, MAX_CHECK_MS),
    clock: context.host.clock,
  };
}

async function checkProxy(context: Context): Promise<CheckOutcome> {
  const { url, proxy } = await probeTarget(context);
  if (proxy !== undefined) return ok(`${proxy.url.origin}, from the environment`);
  const { http, https } = (await context.settings()).proxy;
  if (!(url.protocol === 'https:' ? https : http)) return ok('none');
  return ok(
    isLoopback(url.hostname) ? 'none: this machine is always reached directly' : 'none: NO_PROXY names the host',
  );
}

async function checkAuthorities({ settings, flags, host }: Context): Promise<CheckOutcome> {
  const { caCert } = await settings();
  const names = ["Node's own"];
  if (caCert !== undefined) names.push(flags.caCert ?? "the profile's ca-cert");
  const extra = host.env.NODE_EXTRA_CA_CERTS;
  if (!extra) return ok(names.join(', '));
  try {
    await readCertificates(extra, 'NODE_EXTRA_CA_CERTS');
    return ok([...names, extra].join(', '));
  } catch (error) {
    // Node ignores such a file.
    const reason = error instanceof UsageError ? error.message : String(error);
    return warning(`${names.join(', ')}; ${reason}`, 'Correct NODE_EXTRA_CA_CERTS, or unset it.');
  }
}

async function checkDns(target: ProbeTarget): Promise<CheckOutcome> {
  const { host } = firstHop(target);
  const whose = target.proxy === undefined ? '' : ' (the proxy)';
  if (isIP(host) !== 0) return ok(`${host}${whose} is an address, no lookup needed`);
  return ok(`${host}${whose}: ${(await probeDns(target)).join(', ')}`);
}

async function checkTcp(target: ProbeTarget): Promise<CheckOutcome> {
  const began = target.clock.now();
  const address = await probeTcp(target);
  return ok(`connected to ${address} in ${target.clock.now() - began} ms`);
}

async function checkTls(target: ProbeTarget): Promise<CheckOutcome> {
  const { url, clock } = target;
  if (url.protocol === 'http:') {
    if (isLoopback(url.hostname)) return ok('not used: the service is on this machine');
    return warning('not used: the API key is sent over plain http', 'Use https if the service offers it.');
  }
  const { protocol, untrusted, certificate } = await probeTls(target);
  const detail = `${protocol}, ${describeCertificate(certificate)}`;
  if (untrusted !== undefined) {
    const { message, hint } = untrustedError(untrusted, target);
    return failed(`${message} ${detail}`, CERTIFICATE_FIXES[untrusted] ?? hint);
  }
  const leftMs = Date.parse(certificate.valid_to) - clock.now();
  if (!(leftMs < EXPIRES_SOON_MS)) return ok(detail);
  const days = Math.max(0, Math.floor(leftMs / DAY_MS));
  return warning(
    `${detail}, in ${countOf(days, 'day')}`,
    'Have the certificate of the service renewed before it expires.',
  );
}

const DAY_MS = 24 * 3_600_000;
/** Certificates that are renewed automatically are renewed long before this. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

/** What to do if a certificate authority would not help. */
const CERTIFICATE_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "Have the certificate of the service renewed. If it is in date, set this machine's clock.",
  CERT_NOT_YET_VALID: "Set this machine's clock: it is probably behind.",
  ERR_TLS_CERT_ALTNAME_INVALID: 'Check the host in the base URL.',
};

function describeCertificate({ subject, issuer, valid_to: validTo }: PeerCertificate): string {
  const expiry = Date.parse(validTo);
  const until = Number.isNaN(expiry) ? 'at an unknown date' : new Date(expiry).toISOString().slice(0, 10);
  return `certificate of ${nameOf(subject)}, issued by ${nameOf(issuer)}, expires ${until}`;
}

/** The organization and the common name; a certificate may have several of each, or none. */
function nameOf(name: PeerCertificate['issuer'] | undefined): string {
  const { O: organization, CN: commonName } = name ?? {};
  const parts = [organization ?? [], commonName ?? []].flat().map(String);
  return parts.length === 0 ? 'an unnamed party' : `"${parts.join(' / ').slice(0, 200)}"`;
}

/** Reserved by RFC 2606: no service has registered it. */
const NONEXISTENT_DOMAIN = 'orgadm-doctor.invalid';

/**
 * Returns the checks of the service and the key: two or three harmless reads, and what their responses show. They share
 * the responses, and the outcome of the first read.
 */
export function serviceChecks(context: Context): readonly CheckDefinition[] {
  const responses: ObservedResponse[] = [];
  let verification: Promise<KeyVerification> | undefined;

  async function openClient(): Promise<ServiceClient> {
    const { deadlineMs, clock } = await probeTarget(context);
    return observeClient(await context.service(), responses, deadlineMs, clock);
  }

  function verify(): Promise<KeyVerification> {
    verification ??= openClient().then(async (client) => probeKey(client, (await context.settings()).wire.findings));
    return verification;
  }

  const unprovable = (name: CheckDefinition['name'], reason: string): CheckDefinition => ({
    name,
    needs: [],
    run: () => skipped(`not checked: only ${reason}`),
  });

  return [
    {
      name: 'service',
      needs: ['base-url', 'api-key', 'proxy', 'tcp', 'tls'],
      run: async () => describeService(await verify(), (await context.service()).baseUrl),
    },
    { name: 'key-accepted', needs: ['service'], run: async () => describeKey(await verify()) },
    { name: 'findings-list', needs: ['key-accepted'], run: async () => describeFindings(await verify()) },
    { name: 'domain-status', needs: ['key-accepted'], run: async () => checkDomainStatus(await openClient()) },
    unprovable('role-update', 'a change would show whether the key may update roles'),
    unprovable('people-bulk-add', 'a request to add people would show it'),
    { name: 'clock', needs: ['service'], run: () => checkClock(responses) },
    { name: 'rate-limit', needs: ['service'], run: () => checkRateLimit(responses) },
    { name: 'latency', needs: ['service'], run: () => checkLatency(responses) },
  ];
}

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

async function checkDomainStatus(client: ServiceClient): Promise<CheckOutcome> {
  try {
    await getDomainStatus(client, NONEXISTENT_DOMAIN, { singleAttempt: true });
    return ok('the key may read domains');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, message, messages, hint } = error;
    if (status === 403) return forbidden('read domains', error);
    if (status === 404 && messages.some((text) => ABOUT_A_ROUTE.test(text))) {
      return warning(message, 'The service may not have this operation; the others can be used.');
    }
    if (status === 400 || status === 404) return ok('the key may read domains');
    if (status === 500) return ok('not rejected: services return 500 for an unknown domain');
    return warning(message, hint);
  }
}

const ABOUT_A_ROUTE = /\bcannot get\b|trust-portal|\b(?:routes?|endpoints?)\b/i;

const DATE_HEADER = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** Larger differences make logs hard to compare, and certificates invalid. */
const MAX_SKEW_MS = 60_000;

function checkClock(responses: readonly ObservedResponse[]): CheckOutcome {
  const response = responses.at(-1);
  const date = response && headerOf(response.headers, 'date');
  if (response === undefined || date === undefined) return skipped('the service sends no Date header');
  const serviceTime = DATE_HEADER.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(serviceTime)) return skipped(`the Date header of the service is not a date: ${date.slice(0, 100)}`);
  // The header is in seconds, rounded down.
  const skew = serviceTime + 500 - (response.sentAt + response.receivedAt) / 2;
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok("this machine's clock agrees with that of the service");
  return warning(
    `this machine's clock is ${renderDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} that of the service`,
    "Set this machine's clock, or have it set by NTP.",
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

/** The head of a response, and when it came; milliseconds since the epoch. */
interface ObservedResponse {
  status: number;
  headers: IncomingHeaders;
  sentAt: number;
  receivedAt: number;
}

/** Wraps a client: records the responses that have headers, and ends each request after `deadlineMs` with a timeout. */
function observeClient(
  client: ServiceClient,
  responses: ObservedResponse[],
  deadlineMs: number,
  clock: Clock,
): ServiceClient {
  const observed =
    <T extends { status: number; headers: IncomingHeaders }>(send: (spec: RequestSpec) => Promise<T>) =>
    async (spec: RequestSpec): Promise<T> => {
      const deadline = new AbortController();
      const disarm = clock.after(deadlineMs, () => deadline.abort());
      const sentAt = clock.now();
      const record = (status: number, headers: IncomingHeaders) =>
        responses.push({ status, headers, sentAt, receivedAt: clock.now() });
      try {
        const response = await send({ ...spec, signal: deadline.signal });
        record(response.status, response.headers);
        return response;
      } catch (error) {
        if (deadline.signal.aborted) {
          const message = `no response from ${client.baseUrl} within ${deadlineMs / 1_000} s`;
          const hint = 'Try again later.';
          throw new ServiceError('timeout', EXIT.unreachable, message, { kind: 'timeout', processed: 'maybe', hint });
        }
        if (error instanceof ServiceError && error.response) record(error.status ?? 0, error.response.headers);
        throw error;
      } finally {
        disarm();
      }
    };
  return { ...client, request: observed(client.request), stream: observed(client.stream) };
}
