import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const READY = { domain: 'trust.acme.test', verified: true };
const RECORD = { type: 'TXT', domain: '_verify', value: 'verify=1', reason: 'pending' };

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
    ['has a field that may mean anything', { domain: 'trust.acme.test', verified: true, sslState: 'pending' }, 1],
    ['has such a field in an object', { domain: 'trust.acme.test', verified: true, ssl: { state: 'pending' } }, 1],
    ['has such a field in a record', { ...READY, verification: [{ ...RECORD, status: 'failed' }] }, 1],
    ['has documented records', { ...READY, verification: [RECORD] }, 0],
    ['has fields that are empty', { ...READY, ssl: null, note: '', tags: [], meta: {} }, 0],
    ['has such a field, but is not verified', { ...READY, verified: false, sslState: 'pending' }, 7],
    ['names no domain', { verified: true }, 1],
    ['is an error', { success: false, message: 'not allowed' }, 1],
    ['is a list', [{ domain: 'trust.acme.test', verified: true }], 1],
  ])('exits with the right code if the response %s', async (_name, body, code) => {
    const { run } = await cli.scripted(() => ({ body }));
    const deadline = option === '--wait' ? ['--deadline', '2s'] : [];
    const result = await run(['domain', 'status', 'trust.acme.test', option, ...deadline]);
    expect(result.code).toBe(code);
  });

  it.each<[string, words: string[], fields: object, code: number]>([
    ['a path with this value', ['sslState=issued'], { sslState: 'issued' }, 0],
    ['no other value of it', ['sslState=issued'], { sslState: 'pending' }, 1],
    ['with *, any text', ['checkedAt=*'], { checkedAt: '2026-02-01' }, 0],
    ['with *, no object', ['ssl=*'], { ssl: { state: 'pending' } }, 1],
  ])('accepts by wire.domain.ignore %s', async (_name, words, fields, code) => {
    await cli.plain(['config', 'set', 'wire.domain.ignore', ...words]);
    const { run } = await cli.scripted(() => ({ body: { ...READY, ...fields } }));
    expect((await run(['domain', 'status', 'trust.acme.test', option])).code).toBe(code);
  });

  it.each([202, 206])('exits 1 if a ready domain comes with the status %i', async (status) => {
    const { run } = await cli.scripted([{ status, body: { domain: 'trust.acme.test', verified: true } }]);
    const { code, stderr } = await run(['domain', 'status', 'trust.acme.test', option]);
    expect(code).toBe(1);
    expect(stderr).toContain(String(status));
  });
});
