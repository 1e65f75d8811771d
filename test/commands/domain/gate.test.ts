import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe.each(['--exit-status', '--wait'])('domain status %s', (option) => {
  it.each<[string, object, number]>([
    ['is verified', { domain: 'trust.acme.test', verified: true }, 0],
    ['is not misconfigured', { domain: 'trust.acme.test', verified: true, misconfigured: { misconfigured: false } }, 0],
    ['is not verified', { domain: 'trust.acme.test', verified: false }, 7],
    ['is misconfigured', { domain: 'trust.acme.test', verified: true, misconfigured: true }, 7],
    ['has an unknown configuration', { domain: 'trust.acme.test', verified: true, misconfigured: null }, 7],
    [
      'has a configuration whose check failed',
      { domain: 'trust.acme.test', verified: true, misconfigured: { misconfigured: false, error: 'timeout' } },
      7,
    ],
    ['has a configuration of another shape', { domain: 'trust.acme.test', verified: true, misconfigured: {} }, 7],
    ['is another one', { domain: 'other.acme.test', verified: true }, 1],
    ['is verified in words', { domain: 'trust.acme.test', verified: 'true' }, 1],
    ['is verified and says that it failed', { domain: 'trust.acme.test', verified: true, success: false }, 1],
    ['is verified next to an error', { domain: 'trust.acme.test', verified: true, error: 'lookup failed' }, 1],
    ['is verified and succeeded', { domain: 'trust.acme.test', verified: true, success: true, error: null }, 0],
    ['is an error', { success: false, message: 'not allowed' }, 1],
    ['is a list', [{ domain: 'trust.acme.test', verified: true }], 1],
  ])('exits with the right code if the response %s', async (_name, body, code) => {
    const { run } = await cli.scripted(() => ({ body }));
    const deadline = option === '--wait' ? ['--deadline', '2s'] : [];
    const result = await run(['domain', 'status', 'trust.acme.test', option, ...deadline]);
    expect(result.code).toBe(code);
  });

  it.each([202, 206])('exits 1 if a ready domain comes with the status %i', async (status) => {
    const { run } = await cli.scripted([{ status, body: { domain: 'trust.acme.test', verified: true } }]);
    const { code, stderr } = await run(['domain', 'status', 'trust.acme.test', option]);
    expect(code).toBe(1);
    expect(stderr).toContain(`has the status ${status}`);
  });
});
