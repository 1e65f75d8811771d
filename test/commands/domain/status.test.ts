import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const STATUS = ['domain', 'status'];
const ONE = [...STATUS, 'trust.acme.test'];

/** Runs `domain status` against a service that responds to each request with this. */
async function status(body: object, argv: readonly string[] = [], columns?: number) {
  const { run } = await cli.scripted(() => ({ body }));
  return run([...ONE, ...argv], columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } });
}

describe('domain status', () => {
  it.each([
    ['Trust.ACME.Test.', 'trust.acme.test'],
    ['https://trust.acme.test/', 'trust.acme.test'],
    ['_verify.trust.acme.test', '_verify.trust.acme.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('asks for %s as %s', async (written, name) => {
    const { service, run } = await cli.scripted([{ body: { domain: name, verified: true } }]);
    // A domain that is named twice is asked for once.
    expect((await run([...STATUS, written, name, '--exit-status'])).code).toBe(0);
    expect(service.requests).toMatchObject([
      { method: 'GET', path: `/v1/trust-portal/domain/status?domain=${name}`, headers: { 'x-api-key': API_KEY } },
    ]);
  });

  it.each([
    ...['localhost', 'trust.acme.test/path', 'trust.acme.test?x', 'trust.acme.test:8443', '192.0.2.7', '[2001:db8::1]'],
    ...['trust..test', '*.acme.test', '-trust.acme.test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(127)}test`],
  ])('sends nothing for %s, even next to a domain', async (written) => {
    const { service, run } = await cli.scripted([]);
    expect((await run([...ONE, `${written}`, '--json'])).code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  it('warns about a response for another domain', async () => {
    const { code, stderr } = await status({ ...READY_DOMAIN, domain: 'other.acme.test' });
    expect(code).toBe(0);
    expect(stderr).toBe('warning: orgadm asked for trust.acme.test, but the service returned other.acme.test\n');
  });
});

describe('several domains', () => {
  /** A service that has trust.acme.test, and fails like this for all other domains. */
  const failing = (status: number) => (request: { path: string }) =>
    request.path.endsWith('=trust.acme.test') ? { body: READY_DOMAIN } : { status, body: { message: 'No such thing' } };

  it.each([
    [404, 5, 'not-found'],
    [500, 6, 'service-failed'],
  ])(
    'are all printed if the service fails for one of them with %i, whose exit code is %i',
    async (status, code, error) => {
      const { run } = await cli.scripted(failing(status));
      const alone = await run([...STATUS, 'gone.acme.test', '--json']);
      expect({ code: alone.code, stdout: alone.stdout }).toEqual({ code, stdout: '' });
      const result = await run([...STATUS, 'gone.acme.test', 'trust.acme.test', '--json']);
      expect(result.code).toBe(code);
      expect(result.json()).toEqual([
        {
          domain: 'gone.acme.test',
          state: 'error',
          ready: false,
          error: expect.objectContaining({ code: error, status }),
        },
        { ...READY_DOMAIN, state: 'ready', ready: true },
      ]);
      expect(result.stderr).toMatch(partLike('warning: gone.acme.test: … No such thing\nhint: '));
      expect((await run([...STATUS, 'gone.acme.test', 'trust.acme.test'])).stdout).toBe(
        'domain           ready   verified  misconfigured  CNAME target\n' +
          'gone.acme.test   failed  -         -              -\n' +
          'trust.acme.test  yes     yes       no             -\n',
      );
    },
  );

  it('share the hint if they failed for the same reason; after a 500, each may be unknown to the service', async () => {
    const argv = [...STATUS, 'a.acme.test', 'b.acme.test'];
    const { run } = await cli.scripted(failing(404));
    expect((await run(argv)).stderr.match(/^hint/gm)).toHaveLength(1);
    const broken = await cli.scripted(failing(500));
    expect((await broken.run(argv)).stderr).toMatch(partLike(' may not have a.acme.test.\nhint: … b.acme.test.\n'));
  });
});

describe('what domain status prints', () => {
  it.each([
    {
      argv: ['-o', 'table'],
      stdout: `domain           ready  verified  misconfigured  CNAME target
trust.acme.test  no     no        yes            cname.hosting.test

DNS records to add:

type   name                     reason                       value
TXT    _verify.trust.acme.test  pending_domain_verification  domain-verify=trust.acme.test,7f3a9c1e5b
CNAME  trust.acme.test          missing_cname                cname.hosting.test
`,
    },
    {
      argv: ['-o', 'csv'],
      stdout: `domain,state,ready,verified,misconfigured,cnameTarget,error
trust.acme.test,not-verified,false,false,true,cname.hosting.test,
`,
    },
  ])('is the documented text with $argv', async ({ argv, stdout }) => {
    expect(await status(PENDING_DOMAIN, argv)).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it('has the complete value of a record if the terminal is narrow', async () => {
    const { stdout } = await status(PENDING_DOMAIN, [], 40);
    expect(stdout).toContain('\nvalue: domain-verify=trust.acme.test,7f3a9c1e5b\n');
  });

  it.each<[state: string, misconfigured: unknown, shown: string]>([
    ['ready', undefined, ''],
    ['ready', { misconfigured: false }, 'false'],
    ['misconfigured', true, 'true'],
    ['unknown', null, 'unknown'],
  ])('has the state %s of a verified domain with misconfigured %j', async (state, misconfigured, shown) => {
    const body = { domain: 'trust.acme.test', verified: true, misconfigured, provider: { region: 'eu' } };
    const ready = state === 'ready';
    expect((await status(body, ['--json'])).json()).toEqual([{ ...body, state, ready }]);
    const csv = await status(body, ['-o', 'csv']);
    expect(csv.stdout).toContain(`\ntrust.acme.test,${state},${ready},true,${shown},`);
  });
});

describe('the DNS records to add', () => {
  const TARGET = { domain: 'trust.acme.test', verified: false, cnameTarget: 'cname.hosting.test.' };
  const TXT = { type: 'txt', domain: ' _verify.trust.acme.test', value: 'token=1', reason: 'pending' };
  const CNAME = { type: 'CNAME', domain: 'trust.acme.test', value: 'other.hosting.test', reason: 'missing' };

  it.each<[string, fields: object, records: string[]]>([
    [
      'have the recommended CNAME, which is not listed',
      { verification: [TXT] },
      ['TXT _verify.trust.acme.test pending token=1', 'CNAME trust.acme.test - cname.hosting.test.'],
    ],
    ['have the listed CNAME alone', { verification: [CNAME] }, ['CNAME trust.acme.test missing other.hosting.test']],
    [
      'have no CNAME where the domain is to have addresses',
      { verification: [{ type: 'A', domain: 'trust.acme.test', value: '192.0.2.1' }] },
      ['A trust.acme.test - 192.0.2.1'],
    ],
    [
      'are the CNAME of a verified domain whose configuration is unknown',
      { verified: true, misconfigured: null },
      ['CNAME trust.acme.test - cname.hosting.test.'],
    ],
    ['are none for a domain that is ready', { verified: true, misconfigured: false }, []],
  ])('%s', async (_, fields, records) => {
    const { stdout } = await status({ ...TARGET, ...fields });
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    // The domain, the title, and the header come first.
    expect(lines.slice(6, -1)).toEqual(records);
  });
});
