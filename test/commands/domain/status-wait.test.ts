import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';

const cli = createCommandRunner();

const WAIT = ['domain', 'status', 'trust.acme.test', '--wait'];
const FAILURE = { status: 500, body: { statusCode: 500, message: 'Internal server error' } };

/** Resolves when the wait has made its first check. */
async function untilPaused(clock: TestClock): Promise<void> {
  while (clock.sleeps.length === 0) await clock.advance(0);
}

/** Lines before it may report the progress of the wait. */
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

describe('domain status --wait', () => {
  it('checks again until the domain is ready, and prints nothing else with --json', async () => {
    const clock = createAutoClock();
    const { service, run } = await cli.scripted([
      { body: PENDING_DOMAIN },
      { body: PENDING_DOMAIN },
      { body: READY_DOMAIN },
    ]);
    const result = await run([...WAIT, '--json'], { clock });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.json()).toEqual([{ ...READY_DOMAIN, state: 'ready', ready: true }]);
    expect(clock.sleeps).toEqual([10_000, 10_000]);
    expect(service.requests).toHaveLength(3);
  });

  it('ends at the deadline with exit 7 and the last known state', async () => {
    const clock = createAutoClock();
    const { run } = await cli.scripted(() => ({ body: PENDING_DOMAIN }));
    const result = await run([...WAIT, '--interval', '1m', '--deadline', '150s', '--json'], { clock });
    expect(result.code).toBe(7);
    expect(result.json()).toEqual([{ ...PENDING_DOMAIN, state: 'not-verified', ready: false }]);
    expect(lastLine(result.stderr)).toMatch(/^trust\.acme\.test .*\b2 m 30 s\b/);
    expect(clock.sleeps).toEqual([60_000, 60_000, 30_000]);
  });

  it('continues after failures that may pass, without retries between the checks', async () => {
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
    expect(clock.sleeps).toEqual([10_000, 10_000, 33_000, 10_000]);
  });

  it('prints the records to add before it waits', async () => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }, { body: PENDING_DOMAIN }, { body: READY_DOMAIN }]);
    expect(await run(WAIT)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('TXT'),
      stderr: `DNS records to add for trust.acme.test:
  TXT  _verify.trust.acme.test  domain-verify=trust.acme.test,7f3a9c1e5b
  CNAME  trust.acme.test  cname.hosting.test
`,
    });
  });

  it('does not check again before the pause that the service asked for, even if that is after the deadline', async () => {
    const limited = { status: 429, headers: { 'retry-after': '3600' }, body: {} };
    const { service, run } = await cli.scripted([{ body: PENDING_DOMAIN }, limited]);
    const { code, stderr } = await run([...WAIT, '-o', 'csv']);
    expect(code).toBe(7);
    expect(stderr).toContain('(429)');
    expect(service.requests).toHaveLength(2);
  });

  it('ends with exit 7 and the reason if the service never returns a status', async () => {
    const { run } = await cli.scripted(() => FAILURE);
    const result = await run([...WAIT, '--deadline', '30s', '--json']);
    expect(result).toMatchObject({ code: 7, stdout: '' });
    const { code, message } = errorOf(result);
    expect(code).toBe('not-ready');
    expect(message).toMatch(/ trust\.acme\.test .*\(500\): Internal server error$/);
  });

  it('reports if the state that it shows is an earlier one', async () => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }, FAILURE]);
    const result = await run([...WAIT, '--deadline', '15s', '--json']);
    expect(result.code).toBe(7);
    expect(result.json()).toMatchObject([{ verified: false, ready: false }]);
    expect(result.stderr).toMatch(/^warning: /m);
  });

  it.each([
    { status: 401, code: 4 },
    { status: 403, code: 4 },
    { status: 404, code: 5 },
  ])('ends at once with exit $code for a $status', async ({ status, code }) => {
    const { service, run } = await cli.scripted([{ body: PENDING_DOMAIN }, { status, body: { message: 'no' } }]);
    const result = await run([...WAIT, '--json']);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(errorOf(result)).toMatchObject({ status });
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

describe('the deadline of domain status --wait', () => {
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
    // It does not wait for name servers, either.
    const running = run([...WAIT, '--interval', '7m', '--check-dns', '--json'], { clock, signals });
    await untilPaused(clock);
    signals.emit('signal', signal);
    const result = await running;
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(signal) });
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

  it('prints the known states of several domains, and an error for one that is unknown', async () => {
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

it.each(['--interval=500ms', '--deadline=0'])(
  'domain status --wait rejects %s, which is less than a second',
  async (flag) => {
    const { service, run } = await cli.scripted([]);
    expect(await run([...WAIT, flag])).toMatchObject({ code: 2, stdout: '' });
    expect(service.requests).toEqual([]);
  },
);
