import { describeFsError, UsageError } from '../util/errors.ts';
import { MAX_PEM_BYTES, PEM_MARKER, readFileUpTo } from '../util/files.ts';

/**
 * Reads a PEM file of certificates to trust.
 *
 * @param where the option or setting that names it
 * @throws UsageError if it cannot be read or contains no certificate
 */
export async function readCertificates(file: string, where: string): Promise<string> {
  const pem = await readFileUpTo(file, MAX_PEM_BYTES).catch((error: unknown) => {
    throw new UsageError(`${where}: cannot read ${file}: ${describeFsError(error)}`);
  });
  const text = pem.toString('utf8');
  if (text.includes(PEM_MARKER)) return text;
  throw new UsageError(`${where}: ${file} contains no certificate`, `Use a PEM file, which contains ${PEM_MARKER}`);
}

/** Reads the file of NODE_EXTRA_CA_CERTS; like Node, ignores one that cannot be read. */
export async function readExtraCertificates(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  return (await readFileUpTo(file, MAX_PEM_BYTES).catch(() => '')).toString('utf8');
}
