import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../src/import/send/reconcile.ts';

const USERS = ['usr_a', 'usr_b', 'usr_c', 'usr_d'];
const UNMENTIONED = { kind: 'ambiguous', reason: 'the response does not mention it' };

function kinds(outcomes: readonly { kind: string; message?: string }[]): string[] {
  return outcomes.map(({ kind, message }) => (message === undefined ? kind : `${kind}: ${message}`));
}

describe('reconcile', () => {
  it('matches the documented response by userId, whatever its order', () => {
    const response = {
      created: [{ userId: 'usr_d' }, { userId: 'usr_a' }, { userId: 'usr_b' }],
      errors: [{ index: 2, userId: 'usr_c', error: 'User is already a member' }],
      summary: { total: 4, successful: 3, failed: 1 },
    };
    const { outcomes, inconsistencies } = reconcile(USERS, response, undefined);
    expect(kinds(outcomes)).toEqual(['created', 'created', 'error: User is already a member', 'created']);
    expect(inconsistencies).toEqual([]);
  });

  it('counts two rows in created for one entry once', () => {
    const response = {
      created: [
        { userId: 'usr_a', id: 'old' },
        { userId: 'usr_a', id: 'new' },
      ],
      summary: { total: 1, successful: 1, failed: 0 },
    };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response, undefined);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(inconsistencies).toEqual([]);
  });

  it('leaves rows ambiguous if neither list has them', () => {
    const { outcomes } = reconcile(USERS, { created: [{ userId: 'usr_a' }], errors: [] }, undefined);
    expect(outcomes.slice(1)).toEqual([UNMENTIONED, UNMENTIONED, UNMENTIONED]);
  });

  it('leaves a row ambiguous if both lists have it', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [{ index: 0, userId: 'usr_a', error: 'no' }] };
    expect(reconcile(['usr_a'], response, undefined).outcomes).toEqual([
      { kind: 'ambiguous', reason: 'the response lists it as created and as failed: no' },
    ]);
  });

  it.each([
    { name: 'zero-based', index: 2, base: 0 },
    { name: 'one-based', index: 3, base: 1 },
  ])('accepts a $name index without userId if no other base is possible', ({ index, base }) => {
    const response = {
      created: [{ userId: 'usr_a' }, { userId: 'usr_b' }, { userId: 'usr_d' }],
      errors: [{ index, error: 'rejected' }],
    };
    const reconciled = reconcile(USERS, response, undefined);
    expect(kinds(reconciled.outcomes)).toEqual(['created', 'created', 'error: rejected', 'created']);
    expect(reconciled.base).toBe(base);
  });

  it('leaves rows ambiguous if both index bases are possible', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    const reconciled = reconcile(USERS, response, undefined);
    expect(kinds(reconciled.outcomes)).toEqual(['created', 'ambiguous', 'ambiguous', 'created']);
    expect(reconciled.base).toBeUndefined();
    expect(reconciled.inconsistencies).toEqual(['1 of the errors in the response cannot be attributed to a row']);
  });

  it('uses the index base of an earlier response if both are possible', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    expect(kinds(reconcile(USERS, response, 1).outcomes)).toEqual([
      'created',
      'error: rejected',
      'ambiguous',
      'created',
    ]);
  });

  it('matches numbers as text, an index in quotes, and the embedded user where there is no userId', () => {
    const response = {
      created: [{ userId: 102 }, { user: { id: '103' } }],
      errors: [{ index: '0', error: 'rejected' }],
    };
    const reconciled = reconcile(['101', '102', '103'], response, undefined);
    expect(kinds(reconciled.outcomes)).toEqual(['error: rejected', 'created', 'created']);
    expect(reconciled).toMatchObject({ base: 0, inconsistencies: [] });
  });

  it('attributes the only error of a request with one entry to that entry', () => {
    expect(kinds(reconcile(['usr_a'], { errors: [{ error: 'not found' }] }, undefined).outcomes)).toEqual([
      'error: not found',
    ]);
  });

  it('accepts an id in another case if it matches only one entry', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_b' }] };
    expect(kinds(reconcile(['USR_A', 'Usr_B', 'uSR_b'], response, undefined).outcomes)).toEqual([
      'created',
      'ambiguous',
      'ambiguous',
    ]);
  });

  it('reads the message from `message` if there is no `error`', () => {
    const response = { errors: [{ userId: 'usr_a', message: 'no seats' }] };
    expect(kinds(reconcile(['usr_a'], response, undefined).outcomes)).toEqual(['error: no seats']);
  });

  it('reports created members without a userId', () => {
    const { outcomes, inconsistencies } = reconcile(['usr_a'], { created: [{ id: 'mem_1' }] }, undefined);
    expect(outcomes).toEqual([UNMENTIONED]);
    expect(inconsistencies).toEqual(['the response lists 1 created member that the request did not name']);
  });

  it('ignores errors if more members lack a userId than rows are left', () => {
    const response = { created: [{ id: 'mem_1' }], errors: [{ userId: 'usr_a', error: 'mail not sent' }] };
    expect(kinds(reconcile(['usr_a', 'usr_b'], response, undefined).outcomes)).toEqual([
      'error: mail not sent',
      'ambiguous',
    ]);
    expect(reconcile(['usr_a'], response, undefined).outcomes).toEqual([
      { kind: 'ambiguous', reason: 'it may be one of the created members without a userId: mail not sent' },
    ]);
  });

  it('learns the index base from an error with a user and an index', () => {
    const response = { created: [], errors: [{ index: 2, userId: 'usr_b', error: 'no' }] };
    expect(reconcile(USERS, response, undefined).base).toBe(1);
  });

  it('ignores an index of a created row, or outside the request', () => {
    const created = [{ userId: 'usr_a' }, { userId: 'usr_b' }, { userId: 'usr_c' }];
    for (const index of [1, 9, -1, null]) {
      const { outcomes } = reconcile(USERS, { created, errors: [{ index, error: 'no' }] }, 0);
      expect(outcomes[3]).toEqual(UNMENTIONED);
    }
  });

  it('reports a summary that contradicts the lists, but uses the lists', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [], summary: { total: 2, successful: 0, failed: 1 } };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response, undefined);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(inconsistencies).toEqual([
      'summary.total is 2, but the number of entries sent was 1',
      'summary.successful is 0, but the number of created entries is 1',
      'summary.failed is 1, but the number of errors is 0',
    ]);
  });

  it('reports members that were not in the request', () => {
    const { inconsistencies } = reconcile(
      ['usr_a'],
      { created: [{ userId: 'usr_a' }, { userId: 'usr_z' }] },
      undefined,
    );
    expect(inconsistencies).toEqual(['the response lists 1 created member that the request did not name']);
  });

  it.each([
    { name: 'an object', error: { reason: 'gone' }, message: '{"reason":"gone"}' },
    { name: 'nothing', error: undefined, message: 'rejected without a message' },
    { name: 'a blank', error: ' ', message: '" "' },
  ])('keeps $name as the message of an error', ({ error, message }) => {
    expect(reconcile(['usr_a'], { errors: [{ index: 0, userId: 'usr_a', error }] }, undefined).outcomes).toEqual([
      { kind: 'error', message },
    ]);
  });

  it('accepts userIds that are names of prototype members', () => {
    const response = { created: [{ userId: '__proto__' }], errors: [{ index: 1, userId: 'constructor', error: 'no' }] };
    expect(kinds(reconcile(['__proto__', 'constructor'], response, undefined).outcomes)).toEqual([
      'created',
      'error: no',
    ]);
  });
});
