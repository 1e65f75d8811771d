import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/util/host.ts';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import type { Handler, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const WAIT = ['domain', 'status', 'trust.acme.test', '--wait'];
const REJECTED_KEY = { status: 401, body: { message: 'Invalid or expired API key', statusCode: 401 } };
const FAILURE = { status: 500, body: { statusCode: 500, message: 'Internal server error' } };

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n';

/** Returns a service that sends a response once, and then another one again and again. */
function respondOnce(first: Reply, others: Reply): Handler {
  let sent = 0;
  return () => (sent++ === 0 ? first : others);
}

/** Sends a space of its response at a time, for as long as the connection lasts. */
function drip(_request: unknown, response: ServerResponse): undefined {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
}

/** Resolves when the wait has made its first check. */
async function untilPaused(clock: TestClock): Promise<void> {
  while (clock.sleeps.length === 0) await clock.advance(0);
}

/** Lines before it may report the progress of the wait. */
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

describe('domain status --wait', () => {
  it('checks again until the domain is ready', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([
      { body: PENDING_DOMAIN },
      { body: PENDING_DOMAIN },
      { body: READY_DOMAIN },
    ]);
    const result = await run([...WAIT, '--json'], { clock });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.json()).toEqual([{ ...READY_DOMAIN, state: 'ready', ready: true }]);
    expect(clock.sleeps).toEqual([10_000, 12_500]);
    expect(service.requests).toHaveLength(3);
  });

  it('continues after an old response from a cache, which may be wrong', async () => {
    const old = { body: READY_DOMAIN, headers: { age: '30' } };
    const { service, run } = await cli.scripted(respondOnce(old, { body: READY_DOMAIN }));
    expect(await run(WAIT)).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests).toHaveLength(2);
  });

  it('ends at the deadline with exit 1 if every response was an old one from a cache', async () => {
    const { run } = await cli.scripted(() => ({ body: READY_DOMAIN, headers: { age: '30' } }));
    const { code, stderr } = await run([...WAIT, '--interval', '1m', '--deadline', '2m']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: cannot tell whether trust\.acme\.test is ready: a cache returned an old response/m);
  });

  it('checks domains again that were ready more than a minute before the last one, and waits on if one no longer is', async () => {
    const clock = createAutoClock();
    const requests: string[] = [];
    const { run } = await cli.scripted(({ path }) => {
      const domain = path.split('=')[1] ?? '';
      requests.push(domain);
      const count = requests.filter((one) => one === domain).length;
      const isReady = domain === 'trust.acme.test' ? count !== 2 : count > 6;
      return { body: { ...(isReady ? READY_DOMAIN : PENDING_DOMAIN), domain } };
    });
    const result = await run([...WAIT, 'late.acme.test', '--json'], { clock });
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject([{ ready: true }, { ready: true }]);
    expect(requests.filter((domain) => domain === 'trust.acme.test')).toHaveLength(3);
    expect(requests.filter((domain) => domain === 'late.acme.test')).toHaveLength(7);
  });

  it('ends at the deadline with exit 7 and the last known state', async () => {
    const { run } = await cli.scripted(() => ({ body: PENDING_DOMAIN }));
    const result = await run([...WAIT, '--interval', '1m', '--deadline', '2m', '--json']);
    expect(result.code).toBe(7);
    expect(result.json()).toEqual([{ ...PENDING_DOMAIN, state: 'not-verified', ready: false }]);
    expect(lastLine(result.stderr)).toBe('trust.acme.test is not ready after 2 m 0 s: not verified, misconfigured');
  });

  it('continues after transient failures, without retries between the checks', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([
      FAILURE,
      { status: 502, body: 'bad gateway' },
      { status: 429, headers: { 'retry-after': '33' }, body: {} },
      { raw: '', after: 'reset' },
      { body: READY_DOMAIN },
    ]);
    expect((await run(WAIT, { clock })).code).toBe(0);
    expect(service.requests).toHaveLength(5);
    expect(clock.sleeps).toEqual([10_000, 12_500, 33_000, 19_531]);
  });

  it('prints the records to add before it waits, but not in JSON formats', async () => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }, { body: PENDING_DOMAIN }, { body: READY_DOMAIN }]);
    expect(await run(WAIT)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('TXT'),
      stderr: `DNS records to add for trust.acme.test:
  TXT  _verify.trust.acme.test  domain-verify=trust.acme.test,7f3a9c1e5b
  CNAME  trust.acme.test  cname.hosting.test
`,
    });
    const json = await cli.scripted([{ body: PENDING_DOMAIN }, { body: READY_DOMAIN }]);
    expect(await json.run([...WAIT, '--json'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('does not check again before the pause that the service asked for, even if that is after the deadline', async () => {
    const limited = { status: 429, headers: { 'retry-after': '3600' }, body: {} };
    const { service, run } = await cli.scripted([{ body: PENDING_DOMAIN }, limited]);
    expect(await run([...WAIT, '-o', 'csv'])).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        textLike(`DNS … trust.acme.test:
  TXT  _verify.trust.acme.test  domain-verify=trust.acme.test,7f3a9c1e5b
  CNAME  trust.acme.test  cname.hosting.test
trust.acme.test … after 15 m 0 s: …
warning: trust.acme.test: the latest check failed, so this is an earlier state: the request was rate limited (429)
`),
      ),
    });
    expect(service.requests).toHaveLength(2);
  });

  it('names the pause that the service asked for if it never returned a status', async () => {
    const limited = { status: 429, headers: { 'retry-after': '60' }, body: {} };
    const { run } = await cli.scripted([limited]);
    expect(await run([...WAIT, '--deadline', '30s'])).toMatchObject({
      code: 7,
      stdout: '',
      stderr: `error: no status of trust.acme.test after 30 s: the request was rate limited (429)
hint: The service asks you to try again in 60 s.
`,
    });
  });

  it('keeps checking the other domains while one of them must wait', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([
      ({ path }) => respond(path),
      ({ path }) => respond(path),
      { body: PENDING_DOMAIN },
      { body: READY_DOMAIN },
    ]);
    const respond = (path: string) =>
      path.endsWith('trust.acme.test')
        ? { body: PENDING_DOMAIN }
        : { status: 503, headers: { 'retry-after': '3600' }, body: 'maintenance' };
    const { code, stdout, stderr } = await run([...WAIT, 'limited.acme.test', '--json'], { clock });
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject([
      { domain: 'trust.acme.test', ready: true },
      {
        domain: 'limited.acme.test',
        error: {
          code: 'not-ready',
          message: expect.stringMatching(/^no status of limited\.acme\.test after 15 m 0 s: .* \(503\): maintenance$/),
        },
      },
    ]);
    expect(stderr).toContain('warning: limited.acme.test: no status of limited.acme.test after 15 m 0 s');
    expect(clock.sleeps).toEqual([10_000, 12_500, 876_500]);
    expect(service.requests).toHaveLength(4);
  });

  it('checks a domain again once the pause that the service asked for is over', async () => {
    const clock = createAutoClock();
    let others = 0;
    const { service, run } = await cli.scripted(({ path }) => {
      if (path.endsWith('trust.acme.test')) return { body: PENDING_DOMAIN };
      if (others++ === 0) return { status: 429, headers: { 'retry-after': '20' }, body: {} };
      return { body: { ...READY_DOMAIN, domain: 'other.acme.test' } };
    });
    const result = await run([...WAIT, 'other.acme.test', '--deadline', '30s', '--json'], { clock });
    expect(result.json()).toMatchObject([{ ready: false }, { domain: 'other.acme.test', ready: true }]);
    expect(lastLine(result.stderr)).toMatch(/^trust\.acme\.test .* after 30 s: /);
    expect(clock.sleeps).toEqual([10_000, 12_500, 6_500]);
    const checked = service.requests.filter(({ path }) => path.endsWith('other.acme.test'));
    expect(checked).toHaveLength(2);
  });

  it('continues while the service is unreachable', async () => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const { code, stdout, stderr } = await run([...WAIT, '--deadline', '20s', '--json']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'not-ready',
        message: expect.stringMatching(/^no status of trust\.acme\.test after 20 s: .*http:/),
        hint: expect.stringContaining('HTTPS_PROXY'),
      },
    });
  });

  it('names both reasons for a service that kept failing', async () => {
    const { run } = await cli.scripted(() => FAILURE);
    const { code, stdout, stderr } = await run([...WAIT, '--deadline', '10s']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(
      textLike(`error: no status of trust.acme.test after 10 s: … (500): Internal server error
hint: Check that the service has trust.acme.test, or try again later: the service or its hosting provider may be unreachable.
`),
    );
  });

  it('reports if the state that it shows is an earlier one', async () => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }, FAILURE]);
    const result = await run([...WAIT, '--deadline', '10s', '--json']);
    expect(result.json()).toMatchObject([{ verified: false, ready: false }]);
    expect(result).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        textLike(`trust.acme.test … after 10 s: …
warning: trust.acme.test: the latest check failed, so this is an earlier state: … (500): Internal server error
`),
      ),
    });
  });

  it('continues through a 401 that passes within a minute, for the key was accepted before', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([
      { body: PENDING_DOMAIN },
      REJECTED_KEY,
      REJECTED_KEY,
      { body: READY_DOMAIN },
    ]);
    expect(await run([...WAIT, '--interval', '5m', '--json', '--quiet'], { clock })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(service.requests).toHaveLength(4);
    // The interval is too long for an outage that may be over in seconds.
    expect(clock.sleeps).toEqual([300_000, 500, 1_000]);
  });

  it('ends with exit 4 after a minute of 401, and says that the key was accepted until then', async () => {
    const clock = createAutoClock();
    const { run } = await cli.scripted(respondOnce({ body: PENDING_DOMAIN }, REJECTED_KEY));
    const { code, stdout, stderr } = await run([...WAIT, '--json'], { clock });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(JSON.parse(lastLine(stderr))).toEqual({
      error: {
        code: 'unauthorized',
        message:
          'the service accepted the API key until 1 m 10 s ago and has rejected it since (401 Invalid or expired API key)',
        hint: 'The service may be failing, or someone revoked the key.',
        status: 401,
      },
    });
    expect(clock.sleeps.slice(1).reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  });

  it('restarts the minute of a rejected key after each status', async () => {
    const rejected = Array(13).fill(REJECTED_KEY);
    const { run } = await cli.scripted([
      ...[{ body: PENDING_DOMAIN }, ...rejected, { body: PENDING_DOMAIN }, ...rejected, { body: READY_DOMAIN }],
    ]);
    expect((await run(WAIT)).code).toBe(0);
  });

  it('ends at once with exit 4 for a 401 when the key was never accepted', async () => {
    const { service, run } = await cli.scripted([REJECTED_KEY]);
    expect(await run([...WAIT, '--json'])).toMatchObject({ code: 4, stdout: '' });
    expect(service.requests).toHaveLength(1);
  });

  it('continues with a domain whose first response is a 401 if the key was accepted for another domain', async () => {
    let others = 0;
    const { run } = await cli.scripted(({ path }) => {
      if (path.endsWith('trust.acme.test')) return { body: READY_DOMAIN };
      return ++others < 3 ? REJECTED_KEY : { body: { ...READY_DOMAIN, domain: 'other.acme.test' } };
    });
    expect((await run([...WAIT, 'other.acme.test', '--json'])).json()).toMatchObject([
      { ready: true },
      { ready: true },
    ]);
  });

  it('keeps trying for a minute to reach a service that has not responded yet, then ends with exit 6', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([]);
    await service.close();
    const { code, stdout, stderr } = await run([...WAIT, '--json'], { clock });
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(lastLine(stderr))).toMatchObject({
      error: {
        code: 'unreachable',
        hint: expect.stringMatching(/^Tried for 60 s\. Check that the base URL is correct/),
      },
    });
    expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  });

  it.each([
    { status: 403, code: 4 },
    { status: 404, code: 5 },
  ])('ends at once with exit $code for a $status', async ({ status, code }) => {
    const { service, run } = await cli.scripted([{ body: PENDING_DOMAIN }, { status, body: { message: 'no' } }]);
    const result = await run([...WAIT, '--json']);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { status } });
    expect(service.requests).toHaveLength(2);
  });

  it('prints one array for several domains, and exits with the code of the one that failed for good', async () => {
    const { run } = await cli.scripted(({ path }) =>
      path.endsWith('trust.acme.test')
        ? { body: PENDING_DOMAIN }
        : { status: 404, body: { message: 'unknown domain' } },
    );
    const result = await run([...WAIT, 'gone.acme.test', '--deadline', '10s', '--json']);
    expect(result.code).toBe(5);
    expect(result.json()).toMatchObject([
      { domain: 'trust.acme.test', verified: false, ready: false },
      { domain: 'gone.acme.test', error: { code: 'not-found', status: 404 } },
    ]);
  });
});

describe('the pauses of domain status --wait', () => {
  it.each([
    { argv: ['--deadline', '25s'], sleeps: [10_000, 12_500, 1_500] },
    { argv: ['--deadline', '1s'], sleeps: [] },
    { argv: ['--interval', '5m', '--deadline', '11m'], sleeps: [300_000, 300_000, 59_000] },
    { argv: ['--interval', '50s', '--deadline', '3m'], sleeps: [50_000, 60_000, 60_000, 9_000] },
  ])(
    'grow to a minute or the interval, and the last check begins a second before the deadline: $argv',
    async ({ argv, sleeps }) => {
      const clock = createAutoClock();
      const { service, run } = await cli.scripted(() => ({ body: PENDING_DOMAIN }));
      expect((await run([...WAIT, ...argv], { clock })).code).toBe(7);
      expect(clock.sleeps).toEqual(sleeps);
      expect(service.requests).toHaveLength(sleeps.length + 1);
    },
  );
});

describe('the deadline of domain status --wait', () => {
  it.each<[string, Handler]>([
    ['never responds', () => ({ raw: '', after: 'hang' })],
    ['stops in the middle of its response', () => ({ raw: `${HEAD}{"verified":`, after: 'hang' })],
    ['never ends a response that it has begun', drip],
    ['never ends the error that it responds with', () => ({ raw: HEAD.replace('200 OK', '500 Error'), after: 'hang' })],
  ])('ends a check of a service that %s', async (_name, respond) => {
    const { run } = await cli.scripted(respond);
    const { code, stdout, stderr } = await run([...WAIT, '--deadline', '1s'], { clock: systemClock });
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(/^error: .* trust\.acme\.test after 1 s\n/m);
  });

  it('ends the check in progress and prints the last known state', async () => {
    const clock = createTestClock();
    let hasArrived = () => {};
    const arrived = new Promise<void>((resolve) => {
      hasArrived = resolve;
    });
    const { run } = await cli.scripted([
      { body: PENDING_DOMAIN },
      () => {
        hasArrived();
        return { raw: '', after: 'hang' };
      },
    ]);
    const running = run([...WAIT, '--interval', '2s', '--deadline', '5s', '--json'], { clock });
    await untilPaused(clock);
    await clock.advance(2_000);
    await arrived;
    await clock.advance(3_000);
    const result = await running;
    expect(result).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/^trust\.acme\.test .* after 5 s: .*\n$/),
    });
    expect(result.json()).toEqual([{ ...PENDING_DOMAIN, state: 'not-verified', ready: false }]);
  });
});

describe('a signal while waiting', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('prints the last known state after %s and exits with %i', async (signal, code) => {
    const clock = createTestClock();
    const signals = new EventEmitter();
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }]);
    const running = run([...WAIT, '--interval', '7m', '--json'], { clock, signals });
    await untilPaused(clock);
    signals.emit('signal', signal);
    const result = await running;
    expect(result).toMatchObject({ code, stderr: `interrupted by ${signal}: this is the last known state\n` });
    expect(result.json()).toEqual([{ ...PENDING_DOMAIN, state: 'not-verified', ready: false }]);
    expect(clock.waiting()).toEqual([]);
  });

  it('stops at once when it comes a second time', async () => {
    const clock = createTestClock();
    const signals = new EventEmitter();
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }]);
    const running = run([...WAIT, '--interval', '7m'], { clock, signals });
    await untilPaused(clock);
    signals.emit('signal', 'SIGINT');
    expect(() => signals.emit('signal', 'SIGINT')).toThrow('the run ended its process with 130');
    expect((await running).code).toBe(130);
  });

  it('prints no state if it comes during the first check', async () => {
    const signals = new EventEmitter();
    const { run } = await cli.scripted([
      () => {
        signals.emit('signal', 'SIGINT');
        return { raw: '', after: 'hang' };
      },
    ]);
    const { code, stdout, stderr } = await run([...WAIT, '--json'], { signals });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toEqual({
      error: { code: 'interrupted', message: 'interrupted by SIGINT, no status of trust.acme.test yet' },
    });
  });

  it('prints the known states of several domains', async () => {
    const signals = new EventEmitter();
    const { run } = await cli.scripted(({ path }) => {
      if (path.endsWith('trust.acme.test')) return { body: READY_DOMAIN };
      setImmediate(() => signals.emit('signal', 'SIGTERM'));
      return { raw: '', after: 'hang' };
    });
    const result = await run([...WAIT, 'slow.acme.test', '--json'], { signals });
    expect(result.code).toBe(143);
    expect(result.json()).toMatchObject([{}, { domain: 'slow.acme.test', error: { code: 'interrupted' } }]);
  });
});

describe('invalid options of domain status --wait', () => {
  const argv = ['domain', 'status', 'trust.acme.test'];
  it.each<[flags: string[], message: string, hint?: string]>([
    [['--wait', '--interval', '500ms'], '--interval must be at least 1s (got 500ms)'],
    [['--wait', '--deadline', '0'], '--deadline must be at least 1s (got 0)'],
    [['--wait', '--interval', '10abc'], '--interval: "10abc" …', '…10s…'],
    [['--wait', '--deadline', '15'], '--deadline: "15" …', '…10s…'],
    [
      ['--deadline', '5m'],
      '--deadline requires --wait',
      'Try: orgadm domain status trust.acme.test --deadline 5m --wait',
    ],
  ])('are rejected: %j', async (flags, message, hint?: string) => {
    expectUsageError(await cli.plain([...argv, ...flags]), message, hint);
  });
});
