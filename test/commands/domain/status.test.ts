import { describe, expect, it } from 'vitest';
import { READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const cli = createCommandRunner();

describe('domain status', () => {
  it('sends the domain in the query, without a body', async () => {
    const { service, run } = await cli.scripted([{ body: READY_DOMAIN }]);
    expect((await run(['domain', 'status', 'trust.acme.test'])).code).toBe(0);
    const [request] = service.requests;
    expect(request).toMatchObject({
      method: 'GET',
      path: '/v1/trust-portal/domain/status?domain=trust.acme.test',
      body: '',
    });
    expect(request?.headers).toMatchObject({ 'x-api-key': CANARY_KEY, accept: 'application/json' });
    expect(request?.headers).not.toHaveProperty('content-type');
  });

  it('sends one request for a domain that is written in several ways', async () => {
    const { service, run } = await cli.scripted([{ body: READY_DOMAIN }]);
    const written = ['trust.acme.test', 'Trust.ACME.test.', 'https://trust.acme.test/'];
    expect((await run(['domain', 'status', ...written, '--json'])).json()).toMatchObject([
      { domain: 'trust.acme.test' },
    ]);
    expect(service.requests).toHaveLength(1);
  });

  it('says after a 500 that the service may not have the domain', async () => {
    const { run } = await cli.scripted(() => ({ status: 500, body: { message: 'Internal server error' } }));
    const { code, stderr } = await run(['domain', 'status', 'trust.acme.test', '--retries', '0']);
    expect(code).toBe(6);
    expect(stderr).toBe(
      `error: the service failed (500): Internal server error
hint: Try again later. If the error remains, the service may be unable to reach its hosting provider, or may not have trust.acme.test.
`,
    );
  });
});

describe('a domain that the service does not have', () => {
  it.each([
    { status: 404, code: 5, error: 'not-found' },
    { status: 500, code: 6, error: 'service-failed' },
  ])('exits $code after a $status, and still prints the other domains', async ({ status, code, error }) => {
    const { run } = await cli.scripted(({ path }) =>
      path.endsWith('nowhere.acme.test')
        ? { status, body: { message: 'no such thing' } }
        : { body: { domain: 'trust.acme.test', verified: true } },
    );
    const argv = ['domain', 'status', 'nowhere.acme.test', '--json', '--retries', '0'];
    const single = await run(argv);
    expect(single.code).toBe(code);
    expect(JSON.parse(single.stderr)).toMatchObject({ error: { code: error } });
    const both = await run([...argv, 'trust.acme.test']);
    expect(both.code).toBe(code);
    expect(both.json()).toMatchObject([{ state: 'error', error: { code: error } }, { state: 'ready' }]);
  });

  it('shares one hint with the other domains that failed for the same reason', async () => {
    const { run } = await cli.scripted(() => ({ status: 404, body: { message: 'no such thing' } }));
    expect((await run(['domain', 'status', 'a.acme.test', 'b.acme.test'])).stderr).toBe(
      `warning: a.acme.test: not found (404): no such thing
warning: b.acme.test: not found (404): no such thing
hint: Check the ID or name, and make sure that the base URL and the key belong to the right organization.
`,
    );
  });
});

describe('the state of a domain', () => {
  it.each([
    { misconfigured: false, shown: 'false', state: 'ready' },
    { misconfigured: true, shown: 'true', state: 'misconfigured' },
    { misconfigured: null, shown: 'unknown', state: 'unknown' },
    { misconfigured: { misconfigured: false }, shown: 'false', state: 'ready' },
    { misconfigured: { misconfigured: true }, shown: 'true', state: 'misconfigured' },
    { misconfigured: undefined, shown: '', state: 'ready' },
  ])('is $state for a verified domain with misconfigured $misconfigured', async ({ misconfigured, shown, state }) => {
    const ready = state === 'ready';
    const { run } = await cli.scripted(() => ({ body: { domain: 'trust.acme.test', verified: true, misconfigured } }));
    const json = await run(['domain', 'status', 'trust.acme.test', '--json', '--exit-status']);
    expect(json.code).toBe(ready ? 0 : 7);
    expect(json.json()).toMatchObject([{ state, ready }]);
    const csv = await run(['domain', 'status', 'trust.acme.test', '-o', 'csv']);
    expect(csv).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`\ntrust.acme.test,${state},${ready},true,${shown},`),
    });
  });
});

describe('an invalid response', () => {
  it('warns about a response for another domain', async () => {
    const { run } = await cli.scripted([{ body: { ...READY_DOMAIN, domain: 'other.acme.test' } }]);
    const { code, stderr } = await run(['domain', 'status', 'trust.acme.test']);
    expect(code).toBe(0);
    expect(stderr).toBe('warning: orgadm asked for trust.acme.test, but the service returned other.acme.test\n');
  });
});

describe('an invalid command line of domain status', () => {
  it('is rejected if it has a malformed domain, even next to valid ones', async () => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(
      await run(['domain', 'status', 'trust.acme.test', 'no_dot']),
      '"no_dot" is not a domain name',
      'Use a name such as trust.example.com, without a port or a path.',
    );
    expect(service.requests).toEqual([]);
  });

  it('is rejected if it has no domain', async () => {
    expectUsageError(
      await cli.plain(['domain', 'status']),
      "missing required argument 'domain'",
      'See orgadm domain status --help.',
    );
  });
});
