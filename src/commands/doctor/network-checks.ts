import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import {
  firstHop,
  type ProbeTarget,
  probeDns,
  probeTcp,
  probeTls,
  untrustedError,
} from '../../client/http/connection-probe.ts';
import { chooseProxy } from '../../client/http/proxy.ts';
import { readCertificates } from '../../config/connection.ts';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';
import { type CheckDefinition, type CheckOutcome, type Diagnosis, failed, ok, warning } from './check.ts';
import { resolved } from './config-checks.ts';

/** The longest that any single network check takes, in milliseconds; `--timeout` if that is shorter. */
const MAX_CHECK_MS = 15_000;

/** How long one network check may take, in milliseconds. */
export function checkDeadline(diagnosis: Diagnosis): number {
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
