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
import { ServiceError } from '../../client/service-error.ts';
import { readCertificates } from '../../config/settings.ts';
import { isLoopback, repeatedVersionHint } from '../../util/base-url.ts';
import { type OrgadmError, UsageError } from '../../util/errors.ts';
import { renderDuration } from '../../util/units.ts';
import { type KeyVerification, probeKey } from '../auth/verify-key.ts';
import {
  type CheckDefinition,
  type CheckOutcome,
  type Diagnosis,
  failed,
  type ObservedClient,
  type ObservedResponse,
  observeClient,
  ok,
  skipped,
  warning,
} from './check.ts';
import { resolved } from './machine-checks.ts';

/** The longest that any single network check takes, in milliseconds; `--timeout` if that is shorter. */
const MAX_CHECK_MS = 15_000;

/** How long one network check may take, in milliseconds. */
function checkDeadline(diagnosis: Diagnosis): number {
  return Math.min(resolved(diagnosis).timeoutMs, MAX_CHECK_MS);
}

/** The checks of the network path to the service, each with a deadline of its own. */
export const NETWORK_CHECKS: readonly CheckDefinition[] = [
  { name: 'proxy', needs: ['base-url'], run: checkProxy },
  { name: 'certificate-authorities', needs: ['settings'], run: checkAuthorities },
  { name: 'dns', needs: ['base-url', 'proxy'], run: checkDns },
  { name: 'tcp', needs: ['dns'], run: checkTcp },
  { name: 'tls', needs: ['tcp', 'certificate-authorities'], run: checkTls },
];

/** Base URL of the service, which the check `base-url` has found. */
function targetOf({ target }: Diagnosis): URL {
  if (target === undefined) throw new Error('the base URL is not known yet');
  return target;
}

function probeTargetOf(diagnosis: Diagnosis): ProbeTarget {
  const { caCert, extraCaCerts } = resolved(diagnosis);
  return {
    url: targetOf(diagnosis),
    proxy: diagnosis.proxy,
    extraCaCerts: caCert === undefined ? [] : [caCert, ...(extraCaCerts ? [extraCaCerts] : [])],
    deadlineMs: checkDeadline(diagnosis),
    clock: diagnosis.context.host.clock,
  };
}

function checkProxy(diagnosis: Diagnosis): CheckOutcome {
  const { proxy } = resolved(diagnosis);
  const url = targetOf(diagnosis);
  diagnosis.proxy = chooseProxy(url, proxy);
  if (diagnosis.proxy !== undefined) return ok(`${diagnosis.proxy.url.origin}, from the environment`);
  const isSet = url.protocol === 'https:' ? proxy.https : proxy.http;
  if (!isSet) return ok('none');
  return ok(
    isLoopback(url.hostname) ? 'none: this machine is always reached directly' : 'none: NO_PROXY names the host',
  );
}

async function checkAuthorities(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const { caCert } = resolved(diagnosis);
  const { env } = diagnosis.context.host;
  const names = ["Node's own"];
  if (caCert !== undefined) names.push(diagnosis.context.flags.caCert ?? "the profile's ca-cert");
  const extra = env.NODE_EXTRA_CA_CERTS;
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

async function checkDns(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const target = probeTargetOf(diagnosis);
  const { host } = firstHop(target);
  const whose = target.proxy === undefined ? '' : ' (the proxy)';
  if (isIP(host) !== 0) return ok(`${host}${whose} is an address, no lookup needed`);
  const addresses = await probeDns(target);
  return ok(`${host}${whose}: ${addresses.join(', ')}`);
}

async function checkTcp(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const { clock } = diagnosis.context.host;
  const began = clock.now();
  const address = await probeTcp(probeTargetOf(diagnosis));
  return ok(`connected to ${address} in ${clock.now() - began} ms`);
}

async function checkTls(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const target = probeTargetOf(diagnosis);
  const { url, clock } = target;
  if (url.protocol === 'http:') {
    if (isLoopback(url.hostname)) return ok('not used: the service is on this machine');
    return warning('not used: the API key is sent over plain http', 'Use https if the service offers it.');
  }
  const { protocol, untrusted, certificate } = await probeTls(target);
  const detail = `${protocol}, ${describeCertificate(certificate)}`;
  if (untrusted !== undefined) {
    const { message, hint } = untrustedError(untrusted, target);
    return failed(`${message} ${detail}`, fixOf(untrusted) ?? hint);
  }
  return checkExpiry(detail, Date.parse(certificate.valid_to) - clock.now());
}

const DAY_MS = 24 * 3_600_000;
/** Certificates that are renewed automatically are renewed long before this. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

function checkExpiry(detail: string, leftMs: number): CheckOutcome {
  if (!(leftMs < EXPIRES_SOON_MS)) return ok(detail);
  const days = Math.max(0, Math.floor(leftMs / DAY_MS));
  return warning(
    `${detail}, ${days === 1 ? 'in 1 day' : `in ${days} days`}`,
    'Have the certificate of the service renewed before it expires.',
  );
}

/** What to do if a certificate authority would not help. */
function fixOf(code: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') {
    return "Have the certificate of the service renewed. If it is in date, set this machine's clock.";
  }
  if (code === 'CERT_NOT_YET_VALID') return "Set this machine's clock: it is probably behind.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Check the host in the base URL.';
  return undefined;
}

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

/** One of the scopes that the interface names (4.4). */
const KNOWN_SCOPE = 'people';

/**
 * The checks of the service and the key: two or three harmless reads, and what their responses show.
 *
 * @returns definitions that share the outcome of the first read
 */
export function serviceChecks(): readonly CheckDefinition[] {
  let verification: KeyVerification | undefined;
  const verified = (): KeyVerification => {
    if (verification === undefined) throw new Error('the service has not been called yet');
    return verification;
  };
  return [
    {
      name: 'service',
      needs: ['base-url', 'api-key', 'proxy', 'tcp', 'tls'],
      async run(diagnosis) {
        const { client } = await openClient(diagnosis);
        const { task, scope } = resolved(diagnosis).wire.findings;
        verification = await probeKey(client, task);
        // A 404 may be about the task or about the path; findings of a scope exist everywhere.
        if (verification.error?.status === 404) {
          const second = await probeKey(client, scope, KNOWN_SCOPE);
          if (second.result !== 'unverified') verification = second;
        }
        return describeService(verification, client.baseUrl);
      },
    },
    { name: 'key-accepted', needs: ['service'], run: () => describeKey(verified()) },
    { name: 'findings-list', needs: ['key-accepted'], run: () => describeFindings(verified()) },
    { name: 'domain-status', needs: ['key-accepted'], run: checkDomainStatus },
    {
      name: 'role-update',
      needs: [],
      run: () => skipped('not checked: only a change would show whether the key may update roles'),
    },
    {
      name: 'people-bulk-add',
      needs: [],
      run: () => skipped('not checked: only a request to add people would show it; see orgadm doctor --calibrate'),
    },
    { name: 'clock', needs: ['service'], run: checkClock },
    { name: 'rate-limit', needs: ['service'], run: checkRateLimit },
    { name: 'latency', needs: ['service'], run: checkLatency },
  ];
}

async function openClient(diagnosis: Diagnosis): Promise<ObservedClient> {
  const { context } = diagnosis;
  diagnosis.client ??= observeClient(await context.service(), checkDeadline(diagnosis), context.host.clock);
  return diagnosis.client;
}

function describeService({ result, error }: KeyVerification, baseUrl: string): CheckOutcome {
  if (result === 'verified' || result === 'no-permission') return ok(`${baseUrl} responds`);
  if (result === 'rejected') {
    if (!isPage(error)) return ok(`${baseUrl} responds`);
    return failed(
      `${error.message}; the response is a web page, so it may come from a gateway in front of the service`,
      repeatedVersionHint(baseUrl) ?? 'Check that the base URL names the service itself.',
    );
  }
  // Rate limits are not connection failures, and show nothing about the key.
  if (error.status === 429) return warning(error.message, error.hint);
  return failed(error.message, error.hint);
}

function isPage(error: OrgadmError): boolean {
  return error instanceof ServiceError && /html/i.test(headerOf(error.response?.headers ?? {}, 'content-type') ?? '');
}

function describeKey({ result, error }: KeyVerification): CheckOutcome {
  if (result === 'rejected') return failed(error.message, error.hint);
  if (result === 'unverified') return skipped(`not checked, because the service did not process the request`);
  return ok('the service accepts the key');
}

function describeFindings({ result, error }: KeyVerification): CheckOutcome {
  if (result === 'verified') return ok('the key may list findings');
  if (result === 'no-permission') return forbidden('list findings', error);
  return skipped('not checked, because the service did not process the request');
}

function forbidden(operation: string, { message, hint }: OrgadmError): CheckOutcome {
  return warning(`the key may not ${operation}: ${message}`, hint);
}

async function checkDomainStatus(diagnosis: Diagnosis): Promise<CheckOutcome> {
  const { client } = await openClient(diagnosis);
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

function checkClock(diagnosis: Diagnosis): CheckOutcome {
  const response = responsesOf(diagnosis).at(-1);
  const date = response && headerOf(response.headers, 'date');
  if (response === undefined || date === undefined) return skipped('the service sends no Date header');
  const serviceTime = DATE_HEADER.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(serviceTime)) return skipped(`the Date header of the service is not a date: ${date.slice(0, 100)}`);
  // The header has whole seconds, rounded down.
  const skew = serviceTime + 500 - (response.sentAt + response.receivedAt) / 2;
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok("this machine's clock agrees with that of the service");
  return warning(
    `this machine's clock is ${renderDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} that of the service`,
    "Set this machine's clock, or have it set by NTP.",
  );
}

const RATE_LIMIT_HEADER = /^(?:retry-after|(?:x-)?rate-?limit(?:-[\w-]+)?)$/i;
const MAX_HEADER_CHARACTERS = 100;

function checkRateLimit(diagnosis: Diagnosis): CheckOutcome {
  const responses = responsesOf(diagnosis);
  const seen = new Map(responses.flatMap(({ headers }) => rateLimitHeaders(headers)));
  const shown = [...seen].map(([name, value]) => `${name}: ${value.slice(0, MAX_HEADER_CHARACTERS)}`).join(', ');
  if (responses.some(({ status }) => status === 429)) {
    return warning(`the service limits requests${shown && ` (${shown})`}`, 'Wait, then run orgadm doctor again.');
  }
  return ok(shown === '' ? 'no rate-limit headers seen' : shown);
}

function rateLimitHeaders(headers: IncomingHeaders): [name: string, value: string][] {
  return Object.keys(headers).flatMap((name) => {
    const value = RATE_LIMIT_HEADER.test(name) ? headerOf(headers, name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
}

/** Slower responses make imports long, and near timeouts. */
const SLOW_MS = 5_000;

function checkLatency(diagnosis: Diagnosis): CheckOutcome {
  const times = responsesOf(diagnosis).map(({ sentAt, receivedAt }) => receivedAt - sentAt);
  if (times.length === 0) return skipped('no response was measured');
  const detail = `${times.map((ms) => `${ms} ms`).join(', ')} to a response`;
  if (Math.min(...times) < SLOW_MS) return ok(detail);
  return warning(detail, 'Allow more time with --timeout, and use a smaller --batch-size for imports.');
}

function responsesOf({ client }: Diagnosis): readonly ObservedResponse[] {
  return client?.responses ?? [];
}
