import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, prepareCommand } from '../helpers/command-lines.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { membersOf } from '../helpers/people-service.ts';
import type { CliOptions } from '../helpers/run-cli.ts';
import { type Handler, type Recorded, type Reply, startScriptedService } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/** A key with characters that JSON and URLs escape. */
const KEY = 'canary+key/0123"45\\6789==';
const SPELLINGS = [KEY, JSON.stringify(KEY).slice(1, -1), KEY.replaceAll('"', '""')];
const leaks = (text: string) =>
  [...SPELLINGS, ...SPELLINGS.map((key) => key.replaceAll('/', '\\/'))].some((key) => text.includes(key));
const ECHO = `the key ${KEY} of ada`;

const opened = closeAfterTests();
const cli = createCommandRunner(KEY);

/** Returns the complete request with its headers, as a service in debug mode may echo it. */
const echo = ({ headers, path, body }: Recorded) => ({ headers, path, body, note: ECHO, [ECHO]: { [KEY]: KEY } });

/** Accepts every request and echoes it in each text of the response. */
const generous: Handler = (request) => {
  const message = ECHO;
  const echoed = echo(request);
  const headers = { 'x-request-id': `id-${request.headers['x-api-key']}`, 'x-echo': message };
  if (request.path.startsWith('/v1/people')) {
    const [first, ...others] = membersOf(request).map(({ userId }) => userId);
    return {
      status: 201,
      headers,
      body: {
        created: others.map((userId) => ({ id: 'mem_1', organizationId: 'org_1', userId, role: 'member', echoed })),
        errors: [{ index: 0, userId: first, error: message, echoed }],
        summary: { total: 1 + others.length, successful: others.length, failed: 1 },
        authType: 'api-key',
        authenticatedUser: { id: message, email: message },
      },
    };
  }
  if (request.path.startsWith('/v1/roles')) {
    const permissions = { [message]: [message] };
    return { headers, body: { id: 'rol_1', name: message, permissions, isBuiltIn: false, echoed } };
  }
  if (request.path.startsWith('/v1/trust-portal')) {
    const verification = [{ type: 'TXT', domain: message, value: message, reason: message }];
    return { headers, body: { domain: message, verified: false, cnameTarget: message, verification, echoed } };
  }
  return { headers, body: Array.from({ length: 2 }, (_, at) => ({ id: `fnd_${at}`, content: message, echoed })) };
};

/** Writes a string as JSON with each `/` escaped. */
const writeSlashes = (text: string) => JSON.stringify(text).replaceAll('/', '\\/');

/** Writes a string as JSON that consists of escapes. */
const writeEscapes = (text: string) =>
  `"${Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

/** Writes every string and every key in the JSON of a service in another way. */
const written =
  (handler: Handler, write: (text: string) => string): Handler =>
  async (request, response) => {
    const reply = (await handler(request, response)) as Reply;
    const body = JSON.stringify(reply.body).replace(/"(?:[^"\\]|\\.)*"/g, (token) => write(JSON.parse(token)));
    return { ...reply, headers: { 'content-type': 'application/json', ...reply.headers }, body };
  };

const rejecting =
  (status: number): Handler =>
  (request) => ({ status, body: { message: [`members.0.role ${ECHO}`, ECHO], code: KEY, echo: echo(request) } });
const page: Handler = ({ headers }) => ({
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: `<title>${ECHO}</title><pre>${JSON.stringify(headers)}</pre>`,
});
const cutOff =
  (status: string, write: (text: string) => string = JSON.stringify): Handler =>
  (request) => {
    const json = `{"message":${write(`${request.headers['x-api-key']} ${ECHO}`)}`;
    return { raw: `HTTP/1.1 ${status}\r\nContent-Length: 9999\r\n\r\n${json}`, after: 'end' };
  };
const wrongShape: Handler = (request) => ({ body: { surprise: echo(request) } });
const besideList: Handler = () => ({ body: { [KEY]: KEY, error: KEY, message: KEY, success: false, data: [] } });

/** The formats of output, and those of errors. */
const ERRORS: readonly (readonly [string[], CliOptions])[] = [
  [['--debug', '--json'], {}],
  [[], { columns: 100 }],
];
const OUTPUTS: typeof ERRORS = [...ERRORS, [['-o', 'csv'], {}], [['-o', 'ndjson'], {}]];

/** Services that echo the key, each in another place of what a command prints. */
const SERVICES: [what: string, handler: Handler, outputs?: typeof ERRORS][] = [
  ['accepts and echoes every request', generous, OUTPUTS],
  ['does so in JSON with escaped slashes', written(generous, writeSlashes), OUTPUTS],
  ['rejects with 401', rejecting(401)],
  ['responds with a page', page],
  ['is cut off', cutOff('200 OK')],
  ['responds with something other than HTTP', () => ({ raw: `220 ${KEY}\r\n`, after: 'end' })],
  ['sends broken compression', () => ({ headers: { 'content-encoding': 'gzip' }, body: KEY })],
  ['names the key as an encoding', () => ({ headers: { 'content-encoding': KEY }, body: 'x' })],
  // The error quotes the name in the object, which is not valid because of the tab.
  ['echoes in a broken name of JSON', () => ({ body: `{${JSON.stringify(ECHO).slice(0, -1)}\t":1,"data":[]}` })],
  ['rejects with 400 in JSON that consists of escapes', written(rejecting(400), writeEscapes)],
  ['is cut off in JSON that consists of escapes', cutOff('400 Bad Request', writeEscapes)],
  ['responds with another shape in JSON that consists of escapes', written(wrongShape, writeEscapes)],
  ['echoes next to a list in JSON that consists of escapes', written(besideList, writeEscapes)],
];

/** Returns the texts of every file of the test except those that are to hold the key. */
function writtenFiles(): string[] {
  const root = cli.file('.');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !['credentials.json', 'key'].includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

describe('the output of', () => {
  it.each(COMMAND_NAMES)(
    '%s does not contain the key, nor does a file, whatever the service does',
    async (name) => {
      const found: [service: string, text: string][] = [];
      /** By line, whether its command sends requests: only these lines meet all services. */
      const isSending: boolean[] = [];
      for (const [what, handler, outputs = ERRORS] of SERVICES) {
        const { lines, run, service } = await prepareCommand(name, cli, handler, 'text', KEY);
        for (const [at, line] of lines.entries()) {
          if (isSending[at] === false) continue;
          const before = service.requests.length;
          for (const [flags, options] of outputs) {
            const { stdout, stderr } = await run([...line, ...flags], { ...options, env: { ORGADM_RETRIES: '1' } });
            found.push([what, stdout], [what, stderr]);
          }
          isSending[at] ??= service.requests.length > before;
        }
        found.push(...writtenFiles().map((text) => [what, text] as [string, string]));
        if (!isSending.includes(true)) break;
      }
      expect(found.map(([, text]) => text).join('').length).toBeGreaterThan(0);
      expect(found.filter(([, text]) => leaks(text))).toEqual([]);
    },
    60_000,
  );
});

describe('a stored key', () => {
  it('is as secret as that of the environment', async () => {
    const { service, run } = await cli.scripted(generous);
    const login = await run(['auth', 'login', '--key-file', '-', '--debug'], { stdin: KEY });
    const found = await run(['findings', 'list', '--all', '--debug'], { env: { ORGADM_API_KEY: undefined } });
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY]);
    expect(found.stdout).toContain('the key *** of ada');
    expect([login.stderr, found.stdout, found.stderr, ...writtenFiles()].filter(leaks)).toEqual([]);
  });
});

describe('the start of a key', () => {
  const start = KEY.slice(0, 5);

  it('is in no cell of a table that is cut within the key', async () => {
    const body = Array.from({ length: 80 }, (_, at) => ({ id: `fnd_${at}`, content: `${'x'.repeat(at)} ${KEY} x` }));
    const { run } = await cli.scripted([{ body }]);
    const { stdout } = await run(['findings', 'list', '--all'], { columns: 80 });
    expect(stdout).toContain('…');
    expect(stdout).not.toContain(start);
  });

  it('is in no ID of a request that is cut within the key', async () => {
    // An ID has 200 characters at most.
    const { run } = await cli.scripted([{ status: 404, headers: { 'x-request-id': `${'x'.repeat(195)}${KEY}` } }]);
    const { stderr } = await run(['findings', 'list', '--all', '--json']);
    expect(stderr).toContain('"requestId":"xxx');
    expect(stderr).not.toContain(start);
  });

  it('is in no message of a report, a journal, and an errors file that is cut within the key', async () => {
    // A message of the journal has 300 characters at most.
    const users = Array.from({ length: 30 }, (_, at) => ({ userId: `usr_${at}`, role: 'member' }));
    const errors = users.map(({ userId }, index) => ({ index, userId, error: `${'x'.repeat(270 + index)} ${KEY}` }));
    const { run } = await cli.scripted(() => ({ status: 201, body: { created: [], errors } }));
    const argv = ['people', 'bulk-add', '-', '--errors-file', cli.file('errors.csv')];
    const { stdout, stderr } = await run(argv, { stdin: JSON.stringify(users), columns: 320 });
    expect(stdout).toContain('xxxx');
    expect([stdout, stderr, ...writtenFiles()].join('\n')).not.toContain(start);
  });
});

describe('the password of a proxy', () => {
  const PASSWORD = 'hush/é+9';
  const TOKEN = Buffer.from(`ada:${PASSWORD}`).toString('base64');

  it.each<[string, Reply]>([
    ['an error', { status: 407, body: { message: `ada:${PASSWORD} is wrong: ${TOKEN}` } }],
    ['a page', { status: 502, headers: { 'content-type': 'text/html' }, body: `<title>${PASSWORD}</title>` }],
    ['a page instead of JSON', { body: `<pre>proxy-authorization: Basic ${TOKEN}, ${PASSWORD}</pre>` }],
  ])('is not printed if the proxy echoes it in %s', async (_name, reply) => {
    const echoed = { 'x-echo': `Basic ${TOKEN}`, 'x-request-id': TOKEN };
    const proxy = opened(await startScriptedService(() => ({ ...reply, headers: { ...echoed, ...reply.headers } })));
    const env = {
      ORGADM_API_KEY: KEY,
      ORGADM_RETRIES: '0',
      ORGADM_BASE_URL: 'http://service.test',
      HTTP_PROXY: `http://ada:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`,
    };
    const { stdout, stderr } = await cli.plain(['findings', 'list', '--all', '--allow-http', '--debug'], { env });
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${TOKEN}`);
    for (const secret of [PASSWORD, 'hush', TOKEN]) expect(stdout + stderr).not.toContain(secret);
  });
});

describe('a key that cannot be used', () => {
  it.each([`${KEY}\u00e9`, `${KEY} x`])('is not printed: %j', async (key) => {
    const argv = ['findings', 'list', '--all', '--debug', '--base-url', 'http://127.0.0.1:9'];
    for (const { code, stdout, stderr } of [
      await cli.plain([...argv, '--key-file', '-'], { stdin: key }),
      await cli.plain(argv, { env: { ORGADM_API_KEY: key } }),
    ]) {
      expect(code).toBe(2);
      expect(leaks(stdout + stderr)).toBe(false);
    }
  });

  it.each(['--key-file', '--base-url', '--ca-cert', '--profile', '--task', '--status'])(
    'is not printed if it is typed by mistake as the value of %s',
    async (option) => {
      const env = { ORGADM_API_KEY: KEY, ORGADM_BASE_URL: 'http://127.0.0.1:9', ORGADM_RETRIES: '0' };
      const selector = option === '--task' ? [] : ['--all'];
      for (const flags of [[], ['--debug', '--json']]) {
        const result = await cli.plain(['findings', 'list', ...selector, `${option}=${KEY}`, ...flags], { env });
        expect(result.code).toBe(option === '--status' ? 6 : 2);
        expect(leaks(result.stdout + result.stderr)).toBe(false);
      }
    },
  );
});

describe('the program', () => {
  it('starts no process, which could read the key', () => {
    const root = new URL('../../src/', import.meta.url);
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((name) => readFileSync(new URL(name, root), 'utf8').includes('child_process'))).toEqual([]);
  });
});
