import { describeFsError, UsageError } from '../util/errors.ts';
import { MAX_PEM_BYTES, PEM_MARKER, readFileUpTo } from '../util/files.ts';

/**
 * Reads a PEM file of certificates to trust.
 *
 * @param where the flag or setting that names it
 * @returns its certificates as one PEM text
 * @throws UsageError if it cannot be read, contains no certificate, or has a damaged one
 */
export async function readCertificates(file: string, where: string): Promise<string> {
  let pem: string;
  try {
    pem = (await readFileUpTo(file, MAX_PEM_BYTES)).toString('utf8');
  } catch (error) {
    throw new UsageError(`${where}: cannot read ${file}: ${describeFsError(error)}`);
  }
  const blocks = blocksOf(pem);
  if (blocks.length === 0) {
    throw new UsageError(`${where}: ${file} contains no certificate`, `It must be a PEM file: ${PEM_MARKER}`);
  }
  const certificates = blocks.map(readCertificate);
  const damaged = certificates.indexOf(undefined);
  // Node would ignore all certificates after a damaged one.
  if (damaged < 0) return certificates.join('');
  const which = blocks.length === 1 ? 'the certificate' : `certificate ${damaged + 1} of ${blocks.length}`;
  throw new UsageError(`${where}: cannot read ${which} in ${file}`, 'Export it again as a PEM file.');
}

/** Reads the file of NODE_EXTRA_CA_CERTS; like Node, ignores one that cannot be used. */
export async function readExtraCertificates(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  const pem = (await readFileUpTo(file, MAX_PEM_BYTES).catch(() => '')).toString('utf8');
  const certificates = blocksOf(pem).map(readCertificate);
  return certificates.length === 0 || certificates.includes(undefined) ? undefined : certificates.join('');
}

/** Returns the certificates of a PEM text. Files that were joined without a line break have two markers on a line. */
function blocksOf(pem: string): string[] {
  return pem.split(new RegExp(`(?=${PEM_MARKER})`)).filter((block) => block.startsWith(PEM_MARKER));
}

/** Returns a certificate as PEM; undefined if it is damaged. */
function readCertificate(block: string): string | undefined {
  // Loaded only when needed, as it takes long to load.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    return new X509Certificate(block).toString();
  } catch {
    return undefined;
  }
}
