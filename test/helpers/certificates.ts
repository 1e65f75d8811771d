import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

interface ServerCertificate {
  key: string;
  cert: string;
}

export interface Certificates {
  /** PEM of the certificate authority. */
  ca: string;
  caFile: string;
  /** Key and certificate of a server named `service.test`, 127.0.0.1 and 0.0.0.0. */
  server: ServerCertificate;
  /** The same, for `other.test` only. */
  other: ServerCertificate;
  /** The authority's own certificate, as that of a server. */
  selfSigned: ServerCertificate;
  /** The same as `server`, expired since yesterday. */
  expired: ServerCertificate;
  remove(): void;
}

const SERVER_NAMES = 'DNS:service.test,IP:127.0.0.1,IP:0.0.0.0';

/** Creates certificates before the tests of a file, and removes them afterwards. Its properties exist within tests. */
export function certificatesForTests(): Certificates {
  const certificates = {} as Certificates;
  beforeAll(() => void Object.assign(certificates, makeCertificates()));
  afterAll(() => certificates.remove());
  return certificates;
}

/** Creates a certificate authority and its servers with the openssl command, valid for two days. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-tls-'));
  const path = (name: string) => join(folder, name);
  const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  const read = (name: string): ServerCertificate => ({
    key: readFileSync(path(`${name}.key`), 'utf8'),
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
  });
  const issue = (name: string, altNames: string, days = 2) => {
    writeFileSync(path(`${name}.ext`), `subjectAltName=${altNames}\n`);
    openssl(`req ${newKey} -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`);
    const signed = `-CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile ${name}.ext`;
    openssl(`x509 -req -in ${name}.csr -out ${name}.pem ${signed}`);
    return read(name);
  };
  openssl(`req -x509 ${newKey} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority`);
  return {
    ca: readFileSync(path('ca.pem'), 'utf8'),
    caFile: path('ca.pem'),
    server: issue('service', SERVER_NAMES),
    other: issue('other', 'DNS:other.test'),
    selfSigned: read('ca'),
    expired: issue('expired', SERVER_NAMES, -1),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
