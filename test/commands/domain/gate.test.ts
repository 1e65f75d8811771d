import { describe, expect, it } from 'vitest';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

/* The contract tests state which domain is ready, and that another one is not. */

const READY = { domain: 'trust.acme.test', verified: true };
const RECORD = { type: 'TXT', domain: '_verify', value: 'verify=1', reason: 'pending' };

describe.each(['--exit-status', '--wait'])('domain status %s', (option) => {
  it.each<[string, object, number]>([
    ['is verified', READY, 0],
    ['is not verified', { ...READY, verified: false }, 7],
    [
      'has a configuration whose check failed',
      { ...READY, misconfigured: { misconfigured: false, error: 'timeout' } },
      7,
    ],
    ['has a configuration of another shape', { ...READY, misconfigured: {} }, 7],
    ['is verified and says that it failed', { ...READY, success: false }, 1],
    ['is verified next to an error', { ...READY, error: 'lookup failed' }, 1],
    ['is verified next to errors', { ...READY, errors: [{ code: 'timeout' }] }, 1],
    ['is verified with the status of an error', { ...READY, statusCode: 500 }, 1],
    ['is verified and succeeded', { ...READY, success: true, error: null }, 0],
    ['has a field that may mean anything', { ...READY, sslState: 'pending' }, 1],
    ['has such a field in an object', { ...READY, ssl: { state: 'pending' } }, 1],
    ['has such a field in a record', { ...READY, verification: [{ ...RECORD, status: 'failed' }] }, 1],
    ['has documented records', { ...READY, verification: [RECORD] }, 0],
    ['has fields that are empty', { ...READY, ssl: null, note: '', tags: [], meta: {} }, 0],
    ['has such a field, but is not verified', { ...READY, verified: false, sslState: 'pending' }, 7],
    ['is an error', { success: false, message: 'not allowed' }, 1],
    ['is a list', [READY], 1],
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

  it.each<[string, reply: Reply]>([
    ['the status 202', { status: 202, body: READY }],
    ['the status 206', { status: 206, body: READY }],
    ['an age of hours', { headers: { age: '86000' }, body: READY }],
  ])('exits 1 if a ready domain comes with %s', async (_, reply) => {
    const { run } = await cli.scripted([reply]);
    expect((await run(['domain', 'status', 'trust.acme.test', option])).code).toBe(1);
  });
});
