import { EventEmitter, once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import type { Handler, RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

/*
 * What is between orgadm and a service: gateways, firewalls, proxies, TLS, and addresses copied from elsewhere. Each situation
 * has the source of its class in general words, what a person types, and what orgadm does.
 */

const cli = createCommandRunner(CANARY_KEY, { scriptsFirstRead: true });
const opened = closeAfterTests();
const folder = temporaryFolder();
const certificates = certificatesForTests();

const FIND = ['findings', 'list', '--all'];
const ROLE = ['role', 'update', 'rol_1', '--name', 'QA'];
const DOMAIN = ['domain', 'status', 'trust.acme.test'];
const ADD = ['people', 'bulk-add', '-'];
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const HTML = { 'content-type': 'text/html; charset=utf-8' };

interface Situation {
  /** Where it comes from. */
  source: string;
  argv: readonly string[];
  /** The responses, one after the other; the last one to all further requests. */
  replies: readonly (Reply | RawReply | Handler)[];
  code: number;
  /** Parts of what orgadm prints on standard error. */
  says: readonly string[];
  /** How many requests orgadm sends. */
  requests?: number;
}

function expectResult({ code, stderr }: CliResult, expected: Pick<Situation, 'code' | 'says'>): void {
  for (const part of expected.says) expect(stderr).toContain(part);
  expect(code, stderr).toBe(expected.code);
}

async function expectSituation({ argv, replies, requests, ...expected }: Situation): Promise<void> {
  let next = 0;
  const { service, run } = await cli.scripted((request, response) => {
    const reply = replies[Math.min(next++, replies.length - 1)];
    return typeof reply === 'function' ? reply(request, response) : reply;
  });
  expectResult(await run(argv, { stdin: LIST }), expected);
  if (requests !== undefined) expect(service.requests).toHaveLength(requests);
}

const page = (status: number, title: string, headers: Record<string, string> = HTML): Reply => ({
  status,
  headers,
  body: `<!DOCTYPE html><html><head><title>${title}</title></head><body>…</body></html>`,
});
const GATEWAY = 'a gateway or another server responded in place of the service';
const NOT_THE_KEY = 'says nothing about the API key';
const READ: Reply = { body: [] };

describe('the page of a gateway is no response of the service', () => {
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a firewall that blocks a country', argv: FIND, replies: [page(403, 'Access denied')], code: 4, says: [GATEWAY, '(403): Access denied\n', NOT_THE_KEY], requests: 1 },
    { source: 'a firewall that inspects the body of a request', argv: ROLE, replies: [page(403, 'Blocked')], code: 4, says: ['(403): Blocked\n', NOT_THE_KEY], requests: 1 },
    { source: 'a firewall in front of the status of a domain', argv: DOMAIN, replies: [page(403, 'Blocked')], code: 4, says: [GATEWAY] },
    { source: 'single sign-on in front of the service', argv: FIND, replies: [page(401, 'Sign in')], code: 4, says: ['(401): Sign in\n', NOT_THE_KEY], requests: 1 },
    { source: 'a page without a Content-Type', argv: FIND, replies: [page(403, 'Forbidden', {})], code: 4, says: ['(403): Forbidden\n'] },
    { source: 'a page in XHTML', argv: FIND, replies: [page(403, 'Forbidden', { 'content-type': 'application/xhtml+xml' })], code: 4, says: [GATEWAY] },
    { source: 'a gateway that limits addresses', argv: FIND, replies: [page(429, 'Too many requests'), READ], code: 0, says: [], requests: 2 },
    { source: 'a gateway that limits addresses for an hour', argv: FIND, replies: [page(429, 'Too many requests', { ...HTML, 'retry-after': '3600' })], code: 6, says: ['(429)', 'try again in 3600 s.'], requests: 1 },
    { source: 'a service in maintenance', argv: FIND, replies: [page(503, 'Maintenance')], code: 6, says: ['(503): Maintenance\n', 'Try again later.'], requests: 5 },
    { source: 'a deployment that ends within seconds', argv: FIND, replies: [page(503, 'Maintenance'), page(503, 'Maintenance'), READ], code: 0, says: [], requests: 3 },
    { source: 'a firewall in front of the import: the read before it', argv: ADD, replies: [page(403, 'Access denied')], code: 4, says: [GATEWAY], requests: 1 },
    { source: 'a firewall that blocks lists of people', argv: ADD, replies: [READ, page(403, 'Blocked')], code: 4, says: ['(403): Blocked\n', NOT_THE_KEY], requests: 2 },
    { source: 'single sign-on whose session ends during an import', argv: ADD, replies: [READ, page(401, 'Sign in')], code: 4, says: ['(401): Sign in\n', NOT_THE_KEY], requests: 2 },
    { source: 'a gateway that gives up on the first request of an import', argv: ADD, replies: [READ, page(503, 'Maintenance'), addsAnyone()], code: 0, says: [] },
    { source: 'a key without permission', argv: FIND, replies: [{ status: 403, body: { message: 'Forbidden resource' } }], code: 4, says: ['(403): Forbidden resource\n'] },
    { source: 'a service that is overloaded', argv: FIND, replies: [{ status: 503, body: { message: 'Down' } }], code: 6, says: ['(503): Down'] },
    { source: 'a page of another server', argv: FIND, replies: [page(404, 'Not Found')], code: 5, says: [' (404): Not Found\n', 'Check the base URL: '] },
  ])('$source', expectSituation);

  it('does not show that the service accepts a key that it rejects afterwards', async () => {
    const blocked = new EventEmitter();
    const isBlocked = once(blocked, 'sent');
    const { service, run } = await cli.scripted(async (request, response) => {
      if (!request.path.includes('a.test')) return isBlocked.then(() => ({ status: 401, body: { message: 'No' } }));
      response.once('finish', () => blocked.emit('sent'));
      return page(403, 'Access denied');
    });
    const argv = ['domain', 'status', 'a.test', 'b.test', '--wait'];
    expectResult(await run(argv), { code: 4, says: ['b.test: the service rejected the API key (401): No'] });
    expect(service.requests).toHaveLength(2);
  });

  it('has a code of its own in JSON', async () => {
    const { run } = await cli.scripted(() => page(403, 'Access denied'));
    const { code, stderr } = await run([...FIND, '--json']);
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'gateway', status: 403 } });
  });
});

describe('times and texts of a gateway are understood', () => {
  const limited = (headers: Record<string, string>): Reply => ({
    status: 429,
    headers,
    body: { message: 'Slow down' },
  });
  const large = (size: number): Reply => ({ headers: { 'x-large': 'x'.repeat(size) }, body: [] });
  const CUT: RawReply = {
    raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[{"id":"fnd_1"},',
    after: 'end',
  };
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a limit for a fraction of a second', argv: FIND, replies: [limited({ 'retry-after': '0.5' }), READ], code: 0, says: [], requests: 2 },
    { source: 'a fraction that is longer than orgadm waits', argv: FIND, replies: [limited({ 'retry-after': '61.5' })], code: 6, says: ['try again in 62 s'], requests: 1 },
    { source: 'a gateway that ends long lists without an error', argv: FIND, replies: [CUT], code: 1, says: ['does not contain a list of findings'], requests: 1 },
    { source: 'a gateway that adds long headers', argv: FIND, replies: [large(60_000)], code: 0, says: [] },
    { source: 'a gateway that adds headers without end', argv: FIND, replies: [large(70_000)], code: 1, says: ['UND_ERR_HEADERS_OVERFLOW'] },
    { source: 'a framework that adds a slash to every path', argv: ADD, replies: [{ status: 308, headers: { location: '/v1/findings/?taskId=orgadm-key-check' } }], code: 1, says: ['(308)', 'which orgadm does not follow'], requests: 1 },
    { source: 'a service that moves during an import', argv: ADD, replies: [READ, { status: 308, headers: { location: 'https://new.example.com/v1/people/bulk' } }], code: 1, says: ['to https://new.example.com/v1/people/bulk, which orgadm does not follow'], requests: 2 },
    { source: 'a service that moved', argv: FIND, replies: [{ status: 301, headers: { location: 'https://new.example.com/v1/findings' } }], code: 1, says: ['to https://new.example.com/v1/findings, which orgadm does not follow'] },
  ])('$source', expectSituation);
});

describe('NO_PROXY names the services that need no proxy', () => {
  // biome-ignore format: a table
  it.each<{ source: string; no: (port: number) => string; code: number; says: string[] }>([
    { source: 'an address with a port', no: (port) => `localhost,0.0.0.0:${port}`, code: 0, says: [] },
    { source: 'another host', no: () => 'intranet.example.com', code: 6, says: ['ECONNREFUSED 127.0.0.1:9'] },
  ])('$source', async ({ no, ...expected }) => {
    const { service, run } = await cli.scripted(() => READ);
    const argv = [...FIND, '--allow-http', '--retries', '0'];
    const env = {
      ORGADM_BASE_URL: `http://0.0.0.0:${service.port}`,
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: no(service.port),
    };
    expectResult(await run(argv, { env }), expected);
  });
});

describe('a TLS connection that the service rejects is quoted', () => {
  const listen = async (server: Server) => {
    server.on('error', () => {}).on('tlsClientError', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    opened({ close: async () => void server.close() });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const own = () => certificates.server;
  const mutual = () => ({ ...own(), ca: certificates.ca, requestCert: true, rejectUnauthorized: true });
  const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  /** The settings with which a server of HTTP/2 begins. */
  const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  // biome-ignore format: a table
  it.each<{ source: string; server: () => Server; code: number; says: string[] }>([
    { source: 'a gateway that knows its clients by certificates', server: () => createTlsServer(mutual()), code: 6, says: ['CERTIFICATE_REQUIRED'] },
    { source: 'the same with TLS 1.2', server: () => createTlsServer({ ...mutual(), maxVersion: 'TLSv1.2' }), code: 6, says: ['HANDSHAKE_FAILURE'] },
    { source: 'a gateway for HTTP/2 only', server: () => createSecureServer({ ...own(), allowHTTP1: false }), code: 6, says: ['NO_APPLICATION_PROTOCOL'] },
    { source: 'an appliance with old TLS', server: () => createTlsServer({ ...own(), ...OLD }), code: 6, says: ['PROTOCOL'] },
    { source: 'a service without TLS', server: () => createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 \r\n\r\n'))), code: 6, says: ['no trusted TLS connection to'] },
  ])('$source', async ({ server, ...expected }) => {
    const baseUrl = await listen(server());
    const env = { ORGADM_API_KEY: CANARY_KEY, ORGADM_BASE_URL: baseUrl, ORGADM_RETRIES: '0' };
    const argv = ['--ca-cert', certificates.caFile];
    expectResult(await runCli(folder.path, [...FIND, ...argv], { env }), expected);
    expectResult(await runCli(folder.path, [...ADD, ...argv], { env, stdin: LIST }), expected);
  });

  it('a certificate that expires during an import, which no wait can repair', async () => {
    const server = createTlsServer(own(), (_request, response) => {
      server.setSecureContext(certificates.expired);
      response.writeHead(200, { connection: 'close', 'content-type': 'application/json' }).end('[]');
    });
    const env = { ORGADM_API_KEY: CANARY_KEY, ORGADM_BASE_URL: await listen(server) };
    const clock = createAutoClock();
    const argv = [...ADD, '--ca-cert', certificates.caFile];
    const result = await runCli(folder.path, argv, { env, stdin: LIST, clock });
    expectResult(result, { code: 6, says: ['CERT_HAS_EXPIRED'] });
    expect(clock.sleeps).toEqual([]);
  });

  it('a proxy that does not use TLS itself, written as https://', async () => {
    const proxy = createServer(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 \r\n\r\n')),
    );
    const HTTPS_PROXY = (await listen(proxy)).replace('127.0.0.1', 'localhost');
    const env = {
      ORGADM_API_KEY: CANARY_KEY,
      ORGADM_BASE_URL: 'https://api.acme.test',
      ORGADM_RETRIES: '0',
      HTTPS_PROXY,
    };
    expectResult(await runCli(folder.path, FIND, { env }), {
      code: 6,
      says: ['no trusted TLS connection to https://api.acme.test'],
    });
  });

  it('a service for HTTP/2 only, without TLS', async () => {
    const server = createServer((socket) => void socket.on('error', () => {}).write(SETTINGS));
    const baseUrl = (await listen(server)).replace('https', 'http');
    const env = { ORGADM_API_KEY: CANARY_KEY, ORGADM_BASE_URL: baseUrl };
    const says = [`the response from ${baseUrl} is not valid HTTP`];
    expectResult(await runCli(folder.path, FIND, { env }), { code: 1, says });
  });
});
