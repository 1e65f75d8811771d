import { UsageError } from '../../util/errors.ts';

/*
 * Node's TLS takes a sixth of its start to load: it is asked for where certificates are given, and undici loads it for
 * https.
 */

/**
 * TLS options that trust the given PEM certificates beside those that Node trusts anyway; empty when there are none, so
 * that Node's own choice (NODE_EXTRA_CA_CERTS, --use-system-ca) stays untouched. Throws UsageError for a text without
 * a readable certificate.
 */
export function trustedCertificates(extraCaCerts: readonly string[]): { ca?: string[] } {
  if (extraCaCerts.length === 0) return {};
  for (const pem of extraCaCerts) checkPem(pem);
  return { ca: [...defaultCertificates(), ...extraCaCerts] };
}

/** `ca` replaces the default list, so it has to be given in full; Node before 22.15 only tells its bundled one. */
function defaultCertificates(): readonly string[] {
  const tls = process.getBuiltinModule('node:tls');
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** Node would ignore a broken certificate, and the connection fail for a reason that nobody finds. */
function checkPem(pem: string): void {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    new X509Certificate(pem);
  } catch {
    throw new UsageError(
      'The CA certificate cannot be read.',
      'Give a PEM file, which starts with "-----BEGIN CERTIFICATE-----".',
    );
  }
}
