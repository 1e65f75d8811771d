import { describeFsError, UsageError } from '../util/errors.ts';
import { MAX_PEM_BYTES, PEM_MARKER, readFileUpTo } from '../util/files.ts';

/**
 * Reads a PEM file of certificates to trust.
 *
 * @param where the flag or setting that names it
 * @throws UsageError if it cannot be read or contains no certificate
 */
export async function readCertificates(file: string, where: string): Promise<string> {
  let pem: string;
  try {
    pem = (await readFileUpTo(file, MAX_PEM_BYTES)).toString('utf8');
  } catch (error) {
    throw new UsageError(`${where}: cannot read ${file}: ${describeFsError(error)}`);
  }
  if (pem.includes(PEM_MARKER)) return pem;
  throw new UsageError(`${where}: ${file} contains no certificate`, `It must be a PEM file: ${PEM_MARKER}`);
}

/** Reads the file of NODE_EXTRA_CA_CERTS; like Node, ignores one that cannot be used. */
export async function readExtraCertificates(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  const pem = (await readFileUpTo(file, MAX_PEM_BYTES).catch(() => '')).toString('utf8');
  return pem.includes(PEM_MARKER) ? pem : undefined;
}
