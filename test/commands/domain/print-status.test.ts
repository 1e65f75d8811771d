import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

/** A service that has trust.acme.test, and fails for all other domains. */
const known = (body: object) => (request: { path: string }) =>
  request.path.endsWith('=trust.acme.test')
    ? { body }
    : { status: 500, body: { statusCode: 500, message: 'Internal server error' } };

describe('what domain status prints of a pending domain', () => {
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
      argv: ['-o', 'ndjson'],
      stdout:
        '{"domain":"trust.acme.test","verified":false,"verification":[{"type":"TXT","domain":"_verify.trust.acme.test",' +
        '"value":"domain-verify=trust.acme.test,7f3a9c1e5b","reason":"pending_domain_verification"},{"type":"CNAME",' +
        '"domain":"trust.acme.test","value":"cname.hosting.test","reason":"missing_cname"}],' +
        '"cnameTarget":"cname.hosting.test","misconfigured":{"misconfigured":true},"state":"not-verified","ready":false}\n',
    },
    {
      argv: ['-o', 'csv'],
      stdout: `domain,state,ready,verified,misconfigured,cnameTarget,error
trust.acme.test,not-verified,false,false,true,cname.hosting.test,
`,
    },
  ])('is the documented text with $argv', async ({ argv, stdout }) => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }]);
    expect(await run(['domain', 'status', 'trust.acme.test', ...argv])).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it('has the complete value of a record if the terminal is narrow', async () => {
    const { run } = await cli.scripted([{ body: PENDING_DOMAIN }]);
    const { stdout } = await run(['domain', 'status', 'trust.acme.test'], { columns: 40, env: { NO_COLOR: '1' } });
    expect(stdout).toContain(
      '\nreason: pending_domain_verification\nvalue: domain-verify=trust.acme.test,7f3a9c1e5b\n',
    );
  });

  it('is an array with --json, of the response with its undocumented fields, state and ready', async () => {
    const { run } = await cli.scripted([{ body: { ...PENDING_DOMAIN, provider: { region: 'eu' } } }]);
    expect((await run(['domain', 'status', 'trust.acme.test', '--json'])).json()).toEqual([
      { ...PENDING_DOMAIN, provider: { region: 'eu' }, state: 'not-verified', ready: false },
    ]);
  });
});

describe('the DNS records to add', () => {
  const TARGET = { domain: 'trust.acme.test', cnameTarget: 'cname.hosting.test.' };
  const TXT = { type: 'txt', domain: ' _verify.trust.acme.test', value: 'token=1', reason: 'pending' };
  const table = async (body: object) => {
    const { run } = await cli.scripted([{ body }]);
    const { stdout } = await run(['domain', 'status', 'trust.acme.test']);
    return stdout.slice(stdout.indexOf('\n', stdout.indexOf('\n') + 1) + 1);
  };

  it('include the recommended CNAME, which the records of the response do not list', async () => {
    expect(await table({ ...TARGET, verified: false, verification: [TXT] })).toBe(`
DNS records to add:

type   name                     reason   value
TXT    _verify.trust.acme.test  pending  token=1
CNAME  trust.acme.test          -        cname.hosting.test.
`);
  });

  it.each([true, null])('are the CNAME of a verified domain with misconfigured %s', async (misconfigured) => {
    expect(await table({ ...TARGET, verified: true, misconfigured })).toBe(`
DNS records to add:

type   name             reason  value
CNAME  trust.acme.test  -       cname.hosting.test.
`);
  });

  it('do not repeat a CNAME that is listed, and have none where the domain is to have addresses', async () => {
    const cname = { type: 'CNAME', domain: 'trust.acme.test', value: 'other.hosting.test', reason: 'missing' };
    expect(await table({ ...TARGET, verified: false, verification: [cname] })).toBe(`
DNS records to add:

type   name             reason   value
CNAME  trust.acme.test  missing  other.hosting.test
`);
    const address = { type: 'A', domain: 'trust.acme.test', value: '192.0.2.1' };
    expect(await table({ ...TARGET, verified: false, verification: [address] })).not.toContain('CNAME');
  });

  it('are none for a domain that is ready, whatever its recommended target', async () => {
    expect(await table({ ...TARGET, verified: true, misconfigured: false })).toBe('');
    expect(await table({ ...TARGET, verified: true })).toBe('');
  });
});

describe('several domains', () => {
  const argv = ['domain', 'status', 'trust.acme.test', 'gone.acme.test'];

  it('are printed as an array, with an error for those that failed, and the exit code is that of the first failure', async () => {
    const { run } = await cli.scripted(known(READY_DOMAIN));
    const { code, stdout, stderr } = await run([...argv, '--json']);
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toEqual([
      { ...READY_DOMAIN, state: 'ready', ready: true },
      {
        domain: 'gone.acme.test',
        state: 'error',
        ready: false,
        error: {
          code: 'service-failed',
          message: expect.stringContaining('(500): Internal server error'),
          hint: expect.stringContaining('gone.acme.test'),
          status: 500,
        },
      },
    ]);
    expect(stderr).toMatch(
      partLike('warning: gone.acme.test: … (500): Internal server error\nhint: … gone.acme.test.\n'),
    );
  });

  it('are printed in one row each, in the order of the command line', async () => {
    const { run } = await cli.scripted(known(READY_DOMAIN));
    const { stdout } = await run(['domain', 'status', 'gone.acme.test', 'trust.acme.test']);
    expect(stdout).toBe(`domain           ready   verified  misconfigured  CNAME target
gone.acme.test   failed  -         -              -
trust.acme.test  yes     yes       no             -
`);
  });
});
