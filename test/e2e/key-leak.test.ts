import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, prepareCommand } from '../helpers/command-lines.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { type CliOptions, type CliResult, runCli } from '../helpers/run-cli.ts';
import { type Handler, type Recorded, type Reply, startScriptedService } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

/** A key with characters that JSON and URLs escape. */
const KEY = 'canary+key/0123"45\\6789==';
const SPELLINGS = [KEY, JSON.stringify(KEY).slice(1, -1), KEY.replaceAll('"', '""')];
const leaks = (text: string) =>
  [...SPELLINGS, ...SPELLINGS.map((key) => key.replaceAll('/', '\\/'))].some((key) => text.includes(key));
const ECHO = `the key ${KEY} of ada`;

/** Writes a string as JSON with each `/` escaped. */
const writeSlashes = (text: string) => JSON.stringify(text).replaceAll('/', '\\/');

/** Writes a string as JSON that consists of escapes. */
const writeEscapes = (text: string) =>
  `"${Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

/** Writes every string and every key of JSON text in one of the ways. */
const rewriteStrings = (json: string, write: (text: string) => string) =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (token) => write(JSON.parse(token)));
const STREAMED_FLAGS = [
  ['-o', 'csv'],
  ['-o', 'ndjson'],
];
const OUTPUT_FLAGS = [['--debug', '--json'], ...STREAMED_FLAGS];
/** The flags of output that differs for a service that rejects requests: errors are text or one line of JSON. */
const ERROR_FLAGS = [['--debug', '--json']];
/** Commands that have printed some of their output when the service fails. */
const STREAMING = ['people bulk-add', 'findings list'];

const opened = closeAfterTests();
const folder = temporaryFolder();

const listFile = () => {
  writeFileSync(folder.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
  return folder.file('list.csv');
};

/** The commands that send requests to a service. */
const COMMANDS: [string, () => string[]][] = [
  ['role update', () => ['role', 'update', 'rol_1', '--name', 'Auditor']],
  [
    'people bulk-add',
    () => ['people', 'bulk-add', listFile(), '--errors-file', folder.file('errors.csv'), '--restart'],
  ],
  ['domain status', () => ['domain', 'status', 'trust.example.com', 'other.example.com']],
  ['findings list', () => ['findings', 'list', '--task', 'tsk_1']],
  ['auth status', () => ['auth', 'status']],
  ['api', () => ['api', 'GET', 'v1/findings']],
];

/** Returns the complete request with its headers, as a service in debug mode may echo it. */
const echo = ({ headers, path, body }: Recorded) => ({
  headers,
  path,
  body,
  note: ECHO,
  [ECHO]: { [KEY]: KEY },
});

function users(request: Recorded): string[] {
  const parsed = JSON.parse(request.body) as { members: { userId: string }[] };
  return parsed.members.map(({ userId }) => userId);
}

/** Accepts every request and echoes it in each text of the response. */
const generous: Handler = (request) => {
  const message = ECHO;
  const echoed = echo(request);
  // A header cannot hold control characters.
  const headers = { 'x-request-id': `id-${request.headers['x-api-key']}`, 'x-echo': message.replace(/[^ -~]/g, '') };
  if (request.path.startsWith('/v1/people')) {
    const [first, ...others] = users(request);
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
    return {
      headers,
      body: { id: 'rol_1', name: message, permissions: { [message]: [message] }, isBuiltIn: false, echoed },
    };
  }
  if (request.path.startsWith('/v1/trust-portal')) {
    const verification = [{ type: 'TXT', domain: message, value: message, reason: message }];
    return { headers, body: { domain: message, verified: false, cnameTarget: message, verification, echoed } };
  }
  return { headers, body: Array.from({ length: 2 }, (_, at) => ({ id: `fnd_${at}`, content: message, echoed })) };
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
/** The error quotes the key of the object, which is not valid because of the tab. */
const brokenMember: Handler = () => ({ body: `{${JSON.stringify(ECHO).slice(0, -1)}\t":1,"data":[]}` });

/** Writes the JSON of a service in another way. */
const written =
  (handler: Handler, write: (text: string) => string): Handler =>
  async (request, response) => {
    const reply = (await handler(request, response)) as Reply;
    const headers = { 'content-type': 'application/json', ...reply.headers };
    return { ...reply, headers, body: rewriteStrings(JSON.stringify(reply.body), write) };
  };

/** Services that make a command fail. */
const FAILING: [string, Handler][] = [
  ['rejects with 401', rejecting(401)],
  ['fails with 500', rejecting(500)],
  ['responds with a page', page],
  ['is cut off', cutOff('200 OK')],
  ['responds with something other than HTTP', () => ({ raw: `220 ${KEY}\r\n`, after: 'end' })],
  ['sends broken compression', () => ({ headers: { 'content-encoding': 'gzip' }, body: KEY })],
  ['names the key as an encoding', () => ({ headers: { 'content-encoding': KEY }, body: 'x' })],
  ['echoes in a broken key of JSON', brokenMember],
  ['rejects with 400 in JSON that consists of escapes', written(rejecting(400), writeEscapes)],
  ['is cut off in JSON that consists of escapes', cutOff('400 Bad Request', writeEscapes)],
  ['responds with another shape in JSON that consists of escapes', written(wrongShape, writeEscapes)],
  ['echoes next to a list in JSON that consists of escapes', written(besideList, writeEscapes)],
];

/** Returns every file below the folder except those that are to hold the key. */
function writtenFiles(root: string): [file: string, text: string][] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !['credentials.json', 'key'].includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, 'latin1')]);
}

function expectNoKey(result: CliResult): void {
  expectNoKeyIn([...printedBy(result), ...writtenFiles(folder.path)]);
}

function printedBy({ stdout, stderr }: CliResult): [string, string][] {
  return [
    ['stdout', stdout],
    ['stderr', stderr],
  ];
}

function expectNoKeyIn(positions: readonly [string, string][]): void {
  const hits = positions.filter(([, text]) => leaks(text));
  expect(hits.map(([index, text]) => [index, text.slice(0, 2_000)])).toEqual([]);
}

const FAST = { ORGADM_RETRIES: '1' };
const run = (argv: readonly string[], options: CliOptions = {}) =>
  runCli(folder.path, argv, {
    // The clock passes the time until an earlier command's requests are over.
    clock: createAutoClock(Date.now()),
    random: () => 0,
    ...options,
    env: { ...FAST, ...options.env },
  });

/** Stores the key for a service that accepts it. */
async function login(baseUrl: string): Promise<void> {
  const result = await run(['auth', 'login', '--base-url', baseUrl, '--key-file', '-', '--debug'], { stdin: KEY });
  expect(result.code).toBe(0);
  expectNoKey(result);
  expect(JSON.parse(readFileSync(folder.file('config/credentials.json'), 'utf8')).profiles.default.apiKey).toBe(KEY);
}

describe.each(COMMAND_NAMES)('the output of %s', (name) => {
  const cli = createCommandRunner(KEY);

  it.each<[string, Handler, readonly (readonly string[])[], CliOptions]>([
    ['the key of the environment, echoed in usual JSON', generous, ERROR_FLAGS, {}],
    [
      'the stored key, echoed in JSON with escaped slashes',
      written(generous, writeSlashes),
      OUTPUT_FLAGS,
      { env: { ORGADM_API_KEY: undefined } },
    ],
  ])('does not contain %s', async (_key, service, outputs, options) => {
    const { lines, run } = await prepareCommand(name, cli, service, 'text', KEY);
    const stored = await run(['auth', 'login', '--key-file', '-', '--debug'], { stdin: KEY });
    expect(stored.code).toBe(0);
    for (const line of lines) {
      for (const flags of outputs) expectNoKeyIn(printedBy(await run([...line, ...flags], options)));
      expectNoKeyIn(printedBy(await run(line, { ...options, columns: 100 })));
      expectNoKeyIn(writtenFiles(cli.file('.')));
    }
  });
});

const FAILURES = FAILING.flatMap(([name, fail]) =>
  COMMANDS.map(([command, argv]) => [name, command, fail, argv] as const),
);

describe('a stored key, where the service', () => {
  it.each(FAILURES)('%s, is in nothing that %s writes', async (_name, command, fail, argv) => {
    let isStored = false;
    const accept: Handler = () => ({ body: [] });
    const handler: Handler = (request, response) => (isStored ? fail : accept)(request, response);
    const isImport = command === 'people bulk-add';
    const service = opened(await startScriptedService(handler, { scriptsFirstRead: !isImport }));
    await login(service.url);
    isStored = true;
    const before = service.requests.length;
    const flags = STREAMING.includes(command) ? [...ERROR_FLAGS, ...STREAMED_FLAGS] : ERROR_FLAGS;
    for (const words of flags) expectNoKey(await run([...argv(), ...words]));
    expectNoKey(await run(argv(), { columns: 100 }));
    expect(service.requests.length).toBeGreaterThan(before);
    expect(service.requests.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true);
    expect(service.requests.filter(({ path, body }) => leaks(path + body))).toEqual([]);
  });
});

describe('a stored key', () => {
  it.each(COMMANDS)('is not sent to another base URL by %s', async (_command, argv) => {
    const service = opened(await startScriptedService(generous));
    const other = opened(await startScriptedService([]));
    await login(service.url);
    for (const [flags, env] of [
      [['--base-url', other.url], {}],
      [[], { ORGADM_BASE_URL: other.url }],
      [['--base-url', service.url.replace('127.0.0.1', 'localhost')], {}],
    ] as const) {
      const before = service.requests.length;
      const result = await run([...argv(), ...flags, '--debug'], { env });
      expect(result.code).toBe(4);
      expectNoKey(result);
      expect(service.requests.length).toBe(before);
    }
    expect(other.connections()).toBe(0);
    expect(other.requests).toEqual([]);
  });

  it.each(COMMANDS)('does not follow a redirect of %s', async (_command, argv) => {
    const other = opened(await startScriptedService([]));
    let moved = false;
    const service = opened(
      await startScriptedService((request, response): Reply | undefined => {
        if (!moved) return generous(request, response) as Reply;
        return { status: 307, headers: { location: `${other.url}/${encodeURIComponent(KEY)}${request.path}` } };
      }),
    );
    await login(service.url);
    moved = true;
    for (const flags of ERROR_FLAGS) expectNoKey(await run([...argv(), ...flags]));
    expect(other.connections()).toBe(0);
  });
});

describe('a proxy', () => {
  it('never receives the key, even if it rejects the tunnel', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const env = { ORGADM_API_KEY: KEY, ORGADM_BASE_URL: 'https://service.test', HTTPS_PROXY: proxy.url };
    for (const [, argv] of COMMANDS) expectNoKey(await run([...argv(), '--debug'], { env }));
    expect(proxy.requests.length).toBeGreaterThan(0);
    expect(proxy.requests.filter(({ headers }) => 'x-api-key' in headers)).toEqual([]);
  });
});

describe('the start of a key', () => {
  it('is in no cell, message, and journal that is cut within the key', async () => {
    const cut =
      (length: number): Handler =>
      (request) => ({
        status: 201,
        body: {
          created: [],
          errors: users(request).map((userId, index) => ({ index, userId, error: `${'x'.repeat(length)} ${KEY}` })),
        },
      });
    // A message of the journal has 300 characters at most.
    for (const length of [280, 285, 290, 295]) {
      const service = opened(await startScriptedService(cut(length)));
      const env = { ORGADM_API_KEY: KEY, ORGADM_BASE_URL: service.url };
      const argv = ['people', 'bulk-add', listFile(), '--errors-file', folder.file('errors.csv'), '--restart'];
      for (const columns of [320, 80]) {
        const result = await run(argv, { env, columns });
        const written = [...printedBy(result), ...writtenFiles(folder.path)];
        expect(written.map(([, text]) => text).join('\n')).not.toContain(KEY.slice(0, 5));
      }
    }
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
    const echo = { 'x-echo': `Basic ${TOKEN}`, 'x-request-id': TOKEN };
    const proxy = opened(await startScriptedService(() => ({ ...reply, headers: { ...echo, ...reply.headers } })));
    const env = {
      ORGADM_API_KEY: KEY,
      ORGADM_BASE_URL: 'http://service.test',
      HTTP_PROXY: `http://ada:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`,
    };
    const { stdout, stderr } = await run(['findings', 'list', '--all', '--allow-http', '--debug'], { env });
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${TOKEN}`);
    for (const secret of [PASSWORD, 'hush', TOKEN]) expect(stdout + stderr).not.toContain(secret);
  });
});

describe('a key that cannot be used', () => {
  it.each([
    ['it is not valid in a header', `${KEY}\u00e9`],
    ['it contains a space', `${KEY} x`],
  ])('is not printed if %s', async (_name, key) => {
    writeFileSync(folder.file('key.txt'), key);
    const file = await run([
      'findings',
      'list',
      '--all',
      '--debug',
      '--base-url',
      'http://127.0.0.1:9',
      '--key-file',
      folder.file('key.txt'),
    ]);
    const variable = await run(['findings', 'list', '--all', '--debug'], {
      env: { ORGADM_API_KEY: key, ORGADM_BASE_URL: 'http://127.0.0.1:9' },
    });
    for (const { code, stdout, stderr } of [file, variable]) {
      expect(code).toBe(2);
      expect(leaks(stdout + stderr)).toBe(false);
    }
  });

  it.each([
    ['--key-file', 2],
    ['--base-url', 2],
    ['--ca-cert', 2],
    ['--profile', 2],
    ['--task', 2],
    ['--status', 6],
  ])('is not printed if it is typed by mistake as the value of %s', async (option, code) => {
    const env = { ORGADM_API_KEY: KEY, ORGADM_BASE_URL: 'http://127.0.0.1:9' };
    const selector = option === '--task' ? [] : ['--all'];
    for (const flags of [[], ['--debug', '--json']]) {
      const result = await run(['findings', 'list', ...selector, `${option}=${KEY}`, ...flags], { env });
      expect(result.code).toBe(code);
      expectNoKey(result);
    }
  });

  it('is not printed if the service cannot be reached', async () => {
    const env = { ORGADM_API_KEY: KEY, ORGADM_BASE_URL: 'http://127.0.0.1:9' };
    for (const [, argv] of COMMANDS) expectNoKey(await run([...argv(), '--debug'], { env }));
  });
});

describe('the program', () => {
  it('starts no process, which could read the key', () => {
    const root = new URL('../../src/', import.meta.url);
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((name) => readFileSync(new URL(name, root), 'utf8').includes('child_process'))).toEqual([]);
  });
});
