import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

export interface Certificates {
  /** PEM of the certificate authority. */
  ca: string;
  caFile: string;
  /** Key and certificate of a server named `service.test`, 127.0.0.1 and 0.0.0.0. */
  server: { key: string; cert: string };
  /** The same, for `other.test` only. */
  other: { key: string; cert: string };
  remove(): void;
}

/** Creates certificates before the tests of a file, and removes them afterwards. Its properties exist within tests. */
export function certificatesForTests(): Certificates {
  const certificates = {} as Certificates;
  beforeAll(() => void Object.assign(certificates, makeCertificates()));
  afterAll(() => certificates.remove());
  return certificates;
}

/** Creates a certificate authority and two servers with the openssl command. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-tls-'));
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test CA');
  const issue = (name: string, altNames: string) => {
    writeFileSync(path(`${name}.ext`), `subjectAltName=${altNames}\n`);
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl(
      ...`x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out ${name}.pem -days 2`.split(' '),
      '-extfile',
      `${name}.ext`,
    );
    return { key: readFileSync(path(`${name}.key`), 'utf8'), cert: readFileSync(path(`${name}.pem`), 'utf8') };
  };
  return {
    ca: readFileSync(path('ca.pem'), 'utf8'),
    caFile: path('ca.pem'),
    server: issue('service', 'DNS:service.test,IP:127.0.0.1,IP:0.0.0.0'),
    other: issue('other', 'DNS:other.test'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
