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
  /** The authority's own certificate, as that of a server. */
  selfSigned: { key: string; cert: string };
  /** The same as `server`, expired since 2020-02-01. */
  expired: { key: string; cert: string };
  remove(): void;
}

const SERVER_NAMES = 'DNS:service.test,IP:127.0.0.1,IP:0.0.0.0';

/** Configuration of `openssl ca`, the only command that can create certificates for a time in the past. */
const CA_CONFIG = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
[policy]
commonName = supplied
`;

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
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test CA');
  const request = (name: string, altNames: string) => {
    writeFileSync(path(`${name}.ext`), `subjectAltName=${altNames}\n`);
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  };
  const read = (name: string) => ({
    key: readFileSync(path(`${name}.key`), 'utf8'),
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
  });
  const issue = (name: string, altNames: string) => {
    request(name, altNames);
    openssl(
      ...`x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out ${name}.pem -days 2`.split(' '),
      '-extfile',
      `${name}.ext`,
    );
    return read(name);
  };
  const issueExpired = (name: string, altNames: string) => {
    request(name, altNames);
    writeFileSync(path('ca.cnf'), CA_CONFIG);
    writeFileSync(path('index.txt'), '');
    writeFileSync(path('serial'), '01\n');
    openssl(
      ...`ca -batch -notext -config ca.cnf -keyfile ca.key -cert ca.pem -in ${name}.csr -out ${name}.pem`.split(' '),
      ...'-startdate 20200101000000Z -enddate 20200201000000Z -extfile'.split(' '),
      `${name}.ext`,
    );
    return read(name);
  };
  return {
    ca: readFileSync(path('ca.pem'), 'utf8'),
    caFile: path('ca.pem'),
    server: issue('service', SERVER_NAMES),
    other: issue('other', 'DNS:other.test'),
    selfSigned: read('ca'),
    expired: issueExpired('expired', SERVER_NAMES),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
