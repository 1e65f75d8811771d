import { UsageError } from '../util/errors.ts';
import { describeFsError } from '../util/fs-error.ts';
import { MAX_PEM_BYTES, readSmallFile } from '../util/small-file.ts';

const PEM_MARKER = '-----BEGIN CERTIFICATE-----';

/**
 * Reads a PEM file of certificates to trust.
 *
 * @param where the flag or setting that names it
 * @throws UsageError where it cannot be read or holds no certificate
 */
export async function readCertificates(file: string, where: string): Promise<string> {
  let pem: string;
  try {
    pem = await readSmallFile(file, MAX_PEM_BYTES);
  } catch (error) {
    throw new UsageError(`${where}: cannot read ${file}: ${describeFsError(error)}`);
  }
  if (pem.includes(PEM_MARKER)) return pem;
  throw new UsageError(`${where}: ${file} holds no certificate`, `It must be a PEM file: ${PEM_MARKER}`);
}

/** Reads the file of NODE_EXTRA_CA_CERTS; one that is of no use is left out, as Node does itself. */
export async function readExtraCertificates(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  const pem = await readSmallFile(file, MAX_PEM_BYTES).catch(() => '');
  return pem.includes(PEM_MARKER) ? pem : undefined;
}
