import { describe, expect, it } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

const PATH = '/v1/trust-portal/domain/status?domain=';

describe('GET /v1/trust-portal/domain/status', () => {
  it.each([
    [
      'trust.example.com',
      { verified: true, cnameTarget: 'cname.hosting.example.net.', misconfigured: { misconfigured: false } },
    ],
    [
      'pending.example.com',
      {
        verified: false,
        verification: [
          {
            type: 'TXT',
            domain: '_verify.pending.example.com',
            value: 'domain-verify=pending.example.com,7f3a9c1e5b',
            reason: 'pending_domain_verification',
          },
          {
            type: 'CNAME',
            domain: 'pending.example.com',
            value: 'cname.hosting.example.net.',
            reason: 'missing_cname',
          },
        ],
        cnameTarget: 'cname.hosting.example.net.',
        misconfigured: { misconfigured: true },
      },
    ],
    [
      'misconfigured.example.com',
      {
        verified: true,
        verification: [
          {
            type: 'CNAME',
            domain: 'misconfigured.example.com',
            value: 'cname.hosting.example.net.',
            reason: 'missing_cname',
          },
        ],
        cnameTarget: 'cname.hosting.example.net.',
        misconfigured: { misconfigured: true },
      },
    ],
    ['unreachable.example.com', { verified: true, misconfigured: null }],
  ])('returns the status of %s', async (domain, expected) => {
    const { send } = await openSandbox();
    const { status, body } = await send('GET', PATH + domain);
    expect(status).toBe(200);
    expect(body).toEqual({ domain, ...expected });
  });

  it('reports soon.example.com as ready at the third request', async () => {
    const { send } = await openSandbox();
    const verified: unknown[] = [];
    for (let time = 1; time <= 4; time += 1) {
      const { body } = await send('GET', `${PATH}soon.example.com`);
      verified.push(body);
    }
    expect(verified).toMatchObject([
      { verified: false, misconfigured: { misconfigured: true } },
      { verified: false, misconfigured: { misconfigured: true } },
      { verified: true, misconfigured: { misconfigured: false } },
      { verified: true, misconfigured: { misconfigured: false } },
    ]);
  });

  it('names a domain that it does not have', async () => {
    const { send } = await openSandbox();
    const { status, body } = await send('GET', `${PATH}elsewhere.example.org`);
    expect(status).toBe(404);
    expect(body).toEqual({ message: 'Domain elsewhere.example.org not found', error: 'Not Found', statusCode: 404 });
  });

  it('rejects a request without a domain', async () => {
    const { send } = await openSandbox();
    const { body } = await send('GET', PATH);
    expect(body).toEqual({ message: ['domain should not be empty'], error: 'Bad Request', statusCode: 400 });
  });
});
