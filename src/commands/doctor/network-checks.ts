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
import { readCertificates } from '../../config/settings.ts';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf, DAY_MS } from '../../util/units.ts';
import { type Check, type CheckOutcome, failed, ok, warning } from './check.ts';
import type { Examination } from './examination.ts';

/** The checks of the network path to the service. Each ends after `--timeout`. */
export const NETWORK_CHECKS: readonly Check[] = [
  { name: 'proxy', needs: ['base-url'], run: checkProxy },
  { name: 'certificate-authorities', needs: ['settings'], run: checkAuthorities },
  { name: 'dns', needs: ['base-url', 'proxy'], run: async ({ target }) => checkDns(await target()) },
  { name: 'tcp', needs: ['dns'], run: async ({ target }) => checkTcp(await target()) },
  { name: 'tls', needs: ['tcp', 'certificate-authorities'], run: async ({ target }) => checkTls(await target()) },
];

async function checkProxy({ context, target }: Examination): Promise<CheckOutcome> {
  const { url, proxy } = await target();
  if (proxy !== undefined) return ok(`${proxy.url.origin}, from the environment`);
  const { http, https } = (await context.settings()).proxy;
  if (!(url.protocol === 'https:' ? https : http)) return ok('none');
  return ok(
    isLoopback(url.hostname)
      ? 'none: orgadm always connects directly to this machine'
      : 'none: NO_PROXY names the host',
  );
}

async function checkAuthorities({ context }: Examination): Promise<CheckOutcome> {
  const { flags, host } = context;
  const { caCert } = await context.settings();
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
  if (isIP(host) !== 0) return ok(`${host}${whose} is an IP address, so it needs no lookup`);
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
    return warning('not used: orgadm sends the API key over plain http', 'Use https if the service offers it.');
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

/** Certificates that are renewed automatically are renewed long before this. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

/** The fixes of problems that trusting another authority would not solve. */
const CERTIFICATE_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "Have the certificate of the service renewed. If it is in date, set this machine's clock.",
  CERT_NOT_YET_VALID: "Set this machine's clock: it is probably behind.",
  ERR_TLS_CERT_ALTNAME_INVALID: 'Check the host in the base URL.',
};

function describeCertificate({ subject, issuer, valid_to: validTo }: PeerCertificate): string {
  const expiry = Date.parse(validTo);
  const until = Number.isNaN(expiry) ? 'at an unknown date' : new Date(expiry).toISOString().slice(0, 10);
  return `certificate of ${partyName(subject)}, issued by ${partyName(issuer)}, expires ${until}`;
}

/** The organization and the common name; a certificate may have several of each, or none. */
function partyName(name: PeerCertificate['issuer'] | undefined): string {
  const { O: organization, CN: commonName } = name ?? {};
  const parts = [organization ?? [], commonName ?? []].flat().map(String);
  return parts.length === 0 ? 'an unnamed party' : `"${parts.join(' / ').slice(0, 200)}"`;
}
