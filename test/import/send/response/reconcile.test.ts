import { describe, expect, it } from 'vitest';
import type { BulkResponse } from '../../../../src/client/responses.ts';
import type { Outcome } from '../../../../src/import/outcome.ts';
import {
  type Reconciled,
  type ResponseFacts,
  reconcile as reconcileMembers,
} from '../../../../src/import/send/response/reconcile.ts';

const USERS = ['usr_a', 'usr_b', 'usr_c', 'usr_d'];
const UNMENTIONED = { state: 'unknown', message: 'the response does not mention it' };

function reconcile(
  userIds: readonly string[],
  response: BulkResponse,
  indexBase: ResponseFacts['indexBase'],
  errorIndexBase?: 0 | 1,
): Reconciled & { base: ResponseFacts['indexBase'] } {
  const members = userIds.map((userId) => ({ userId, role: 'member' }));
  const reconciled = reconcileMembers(members, response, { indexBase }, { existing: [], errorIndexBase });
  return { ...reconciled, base: reconciled.facts.indexBase };
}

/** Returns the states, and the messages of rejected rows. */
function kinds(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) =>
    outcome.state === 'failed' || outcome.state === 'existing' ? `${outcome.state}: ${outcome.message}` : outcome.state,
  );
}

describe('a successful response that reports a failure', () => {
  it.each([
    [{ error: 'quota exceeded' }, ': quota exceeded'],
    [{ success: false, message: 'License expired', created: [] }, ': License expired'],
    [{ statusCode: 503, error: { code: 7, message: 'try later' } }, ': try later'],
    [{ success: false }, ': {"success":false}'],
    [{ success: true, message: 'Accepted' }, ''],
  ])('is quoted for the rows that it does not mention: %j', (response, quoted) => {
    const { outcomes } = reconcile(['usr_a'], response as BulkResponse, undefined);
    expect(outcomes).toEqual([{ ...UNMENTIONED, message: `${UNMENTIONED.message}${quoted}` }]);
  });
});

describe('a response that says that it failed next to the members it lists', () => {
  const created = [{ userId: 'usr_a' }];
  it.each([
    [{ error: 'rolled back' }, ': rolled back'],
    [{ success: false }, ': {"success":false}'],
    [{ errors: null, statusCode: 500, message: 'rolled back' }, ': rolled back'],
  ])('is not believed: %j', (response, quoted) => {
    const message = `the response lists it as created, but says that the request failed${quoted}`;
    expect(reconcile(['usr_a'], { created, errors: [], ...response }, undefined).outcomes).toEqual([
      { state: 'unknown', message },
    ]);
  });

  it('is believed if its errors say what failed', () => {
    const errors = [{ index: 1, userId: 'usr_b', error: 'no seats' }];
    const { outcomes } = reconcile(['usr_a', 'usr_b'], { created, errors, success: false }, undefined);
    expect(kinds(outcomes)).toEqual(['created', 'failed: no seats']);
  });
});

describe('reconcile', () => {
  it('matches the documented response by userId, whatever its order', () => {
    const response = {
      created: [{ userId: 'usr_d' }, { userId: 'usr_a' }, { userId: 'usr_b' }],
      errors: [{ index: 2, userId: 'usr_c', error: 'User is already a member' }],
      summary: { total: 4, successful: 3, failed: 1 },
    };
    const { outcomes, inconsistencies } = reconcile(USERS, response, undefined);
    expect(kinds(outcomes)).toEqual(['created', 'created', 'existing: User is already a member', 'created']);
    expect(inconsistencies).toEqual([]);
  });

  it('reports the ids of the members if one entry has several active ones', () => {
    const created = [
      { userId: 'usr_a', id: 'mem_1' },
      { userId: 'usr_b', id: 'mem_2', isActive: true },
      { userId: 'usr_b', id: 3 },
      { userId: 'usr_b', id: 'mem_2' },
      { userId: 'usr_b' },
    ];
    expect(reconcile(['usr_a', 'usr_b'], { created }, undefined)).toMatchObject({
      outcomes: [
        { state: 'created', memberId: 'mem_1' },
        { state: 'created', memberId: 'mem_2', memberships: ['mem_2', '3'] },
      ],
    });
  });

  it('accepts a member that is listed twice, and prefers the active one to one that is deactivated', () => {
    const created = [
      { userId: 'usr_a', id: 'mem_1' },
      { userId: 'usr_a', id: 'mem_1' },
      { userId: 'usr_b', id: 'mem_2', isActive: false },
      { userId: 'usr_b', id: 'mem_3', isActive: true },
      { userId: 'usr_c', id: 'mem_4', isActive: false },
      { userId: 'usr_c', id: 'mem_4', isActive: false },
    ];
    expect(reconcile(['usr_a', 'usr_b', 'usr_c'], { created }, undefined).outcomes).toEqual([
      { state: 'created', memberId: 'mem_1' },
      { state: 'created', memberId: 'mem_3' },
      { state: 'created', memberId: 'mem_4' },
    ]);
  });

  it('reports the membership that was created last if a person was sent as inactive, and an old one is deactivated', () => {
    const sent = [{ userId: 'usr_a', role: 'member', isActive: false }];
    const [old, added] = [
      { userId: 'usr_a', id: 'mem_1', role: 'owner', isActive: false, createdAt: '2025-01-02T00:00:00Z' },
      { userId: 'usr_a', id: 'mem_2', role: 'member', isActive: false, createdAt: '2026-01-02T00:00:00Z' },
    ];
    for (const created of [
      [old, added],
      [added, old],
      [added, { ...old, createdAt: undefined }],
    ]) {
      const { outcomes } = reconcileMembers(sent, { created }, {}, { existing: [], errorIndexBase: undefined });
      expect(outcomes).toEqual([{ state: 'created', memberId: 'mem_2' }]);
    }
  });

  it('keeps each message on a row once', () => {
    const error = (message: string) => ({ index: 0, userId: 'usr_a', error: message });
    const errors = [error('already a member'), error('already a member'), error('no seats')];
    expect(reconcile(['usr_a'], { errors: errors.slice(0, 2) }, undefined).outcomes).toEqual([
      { state: 'existing', message: 'already a member' },
    ]);
    expect(reconcile(['usr_a'], { errors }, undefined).outcomes).toEqual([
      { state: 'failed', message: 'already a member; no seats' },
    ]);
  });

  it('leaves a row ambiguous if both lists have it', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [{ index: 0, userId: 'usr_a', error: 'no' }] };
    expect(reconcile(['usr_a'], response, undefined)).toMatchObject({
      outcomes: [{ state: 'unknown', message: 'the response lists it as created and as failed: no' }],
      listsMembers: true,
    });
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
    expect(kinds(reconciled.outcomes)).toEqual(['created', 'created', 'failed: rejected', 'created']);
    expect(reconciled.base).toBe(base);
  });

  it('leaves rows ambiguous if both index bases are possible', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    const reconciled = reconcile(USERS, response, undefined);
    expect(kinds(reconciled.outcomes)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    expect(reconciled.base).toBeUndefined();
    expect(reconciled.inconsistencies).toEqual(['orgadm cannot match 1 of the errors in the response to a row']);
  });

  it('uses the index base of an earlier response if both are possible', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    expect(kinds(reconcile(USERS, response, 1).outcomes)).toEqual([
      'created',
      'failed: rejected',
      'unknown',
      'created',
    ]);
  });

  it('matches numbers as text, an index in quotes, and the embedded user where there is no userId', () => {
    const response = {
      created: [{ userId: 102 }, { user: { id: '103' } }],
      errors: [{ index: '0', error: 'rejected' }],
    };
    const reconciled = reconcile(['101', '102', '103'], response, undefined);
    expect(kinds(reconciled.outcomes)).toEqual(['failed: rejected', 'created', 'created']);
    expect(reconciled).toMatchObject({ base: 0, inconsistencies: [] });
  });

  it('attributes the only error of a request with one entry to that entry', () => {
    expect(kinds(reconcile(['usr_a'], { errors: [{ error: 'not found' }] }, undefined).outcomes)).toEqual([
      'failed: not found',
    ]);
  });

  it('attributes neither of two errors without a userId to the only entry', () => {
    const { outcomes, inconsistencies } = reconcile(
      ['usr_a'],
      { errors: [{ error: 'not found' }, { error: 'no seats' }] },
      undefined,
    );
    expect(outcomes).toEqual([UNMENTIONED]);
    expect(inconsistencies).toEqual(['orgadm cannot match 2 of the errors in the response to a row']);
  });

  it.each([
    ['usr_b', ['created', 'unknown', 'created', 'unknown'], 0, 1],
    ['usr_b', ['created', 'unknown', 'created', 'unknown'], 1, 2],
    ['one of two rows', ['unknown', 'unknown', 'unknown', 'unknown'], undefined, 1],
    ['a row outside the request', ['unknown', 'unknown', 'unknown', 'unknown'], 0, 4],
    ['no row', ['unknown', 'unknown', 'unknown', 'unknown'], 0, null],
  ])('makes a created row ambiguous at which an error may point by its position: %s', (_, expected, base, index) => {
    const created = ['usr_a', 'usr_b', 'usr_c'].map((userId) => ({ userId, role: 'admin' }));
    const errors = [{ index, error: 'rolled back' }];
    const { outcomes, listsMembers } = reconcile(USERS, { created, errors }, base as 0);
    expect(kinds(outcomes)).toEqual(expected);
    expect(listsMembers).toBe(true);
    // Their values are compared all the same.
    const stored = outcomes.map(({ mismatches }) => mismatches?.map((value) => value.stored));
    expect(stored).toEqual([['admin'], ['admin'], ['admin'], undefined]);
  });

  it('makes every created row ambiguous if an error names a user who was not in the request', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_b' }], errors: [{ userId: 'z', error: 'no' }] };
    const message = 'the response has an error that orgadm cannot match to a row';
    expect(reconcile(['usr_a', 'usr_b'], response, 0).outcomes).toMatchObject([
      { state: 'unknown', message },
      { state: 'unknown', message },
    ]);
  });

  it('matches an error by its position if it names the user in another way', () => {
    const response = {
      created: [{ userId: 'usr_a' }],
      errors: [{ index: 1, userId: 'b@acme.test', error: 'no seats' }],
    };
    expect(kinds(reconcile(['usr_a', 'usr_b'], response, undefined).outcomes)).toEqual(['created', 'failed: no seats']);
  });

  it('makes a created row ambiguous by an error that follows errors that prove the base', () => {
    const response = {
      created: [{ userId: 'usr_b' }, { userId: 'usr_c' }],
      errors: [
        { index: 0, userId: 'usr_a', error: 'no seats' },
        { index: 1, error: 'rolled back' },
        { index: 3, error: 'no' },
      ],
    };
    expect(kinds(reconcile(USERS, response, undefined).outcomes)).toEqual([
      'failed: no seats',
      'unknown',
      'created',
      'failed: no',
    ]);
  });

  it('makes the only entry ambiguous if it is created and failed, whether the error says so or not', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [{ error: 'rolled back' }] };
    expect(reconcile(['usr_a'], response, undefined).outcomes).toMatchObject([
      { state: 'unknown', message: 'the response lists it as created and as failed: rolled back' },
    ]);
  });

  it('does not attribute an error without a userId to the only entry if that has failed', () => {
    const response = { errors: [{ error: 'not found' }, { userId: 'usr_a', error: 'no seats' }] };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response, undefined);
    expect(kinds(outcomes)).toEqual(['failed: no seats']);
    expect(inconsistencies).toEqual(['orgadm cannot match 1 of the errors in the response to a row']);
  });

  it('attributes errors without a userId only if the base fits all of them, and to no row that has failed', () => {
    const created = [{ userId: 'usr_a' }];
    const errors = [{ index: 1, error: 'no seats' }, { error: 'not found' }];
    expect(kinds(reconcile(['usr_a', 'usr_b'], { created, errors }, undefined).outcomes)).toEqual([
      'unknown',
      'unknown',
    ]);
    const named = { userId: 'usr_b', error: 'no seats' };
    const { outcomes } = reconcile(USERS, { created, errors: [named, { index: 1, error: 'not found' }] }, 0);
    expect(kinds(outcomes)).toEqual(['unknown', 'failed: no seats', 'unknown', 'unknown']);
  });

  it('reports errors for users that were not in the request, and attributes them to no row', () => {
    const errors = [
      { index: 0, userId: 'usr_z', error: 'no' },
      { index: 9, error: 'no' },
    ];
    const created = [{ userId: 'usr_y' }];
    const { outcomes, listsMembers } = reconcile(['usr_a', 'usr_b'], { created, errors }, undefined);
    expect({ kinds: kinds(outcomes), listsMembers }).toEqual({ kinds: ['unknown', 'unknown'], listsMembers: false });
    const { inconsistencies } = reconcile(['usr_a', 'usr_b'], { errors }, undefined);
    expect(inconsistencies).toEqual(['orgadm cannot match 2 of the errors in the response to a row']);
  });

  it('joins the messages of several errors for one user', () => {
    const errors = [
      { userId: 'usr_a', error: 'no seats' },
      { userId: 'usr_a', error: 'not found' },
    ];
    expect(kinds(reconcile(['usr_a'], { errors }, undefined).outcomes)).toEqual(['failed: no seats; not found']);
  });

  it('does not take an ID in another case for the one that was sent', () => {
    const response = { created: [{ userId: 'usr_a' }] };
    expect(kinds(reconcile(['USR_A'], response, undefined).outcomes)).toEqual(['unknown']);
  });

  it('reads the message from `message` if there is no `error`', () => {
    const response = { errors: [{ userId: 'usr_a', message: 'no seats' }] };
    expect(kinds(reconcile(['usr_a'], response, undefined).outcomes)).toEqual(['failed: no seats']);
  });

  it('ignores errors if more members lack a userId than rows are left', () => {
    const response = { created: [{ id: 'mem_1' }], errors: [{ userId: 'usr_a', error: 'mail not sent' }] };
    expect(kinds(reconcile(['usr_a', 'usr_b'], response, undefined).outcomes)).toEqual([
      'failed: mail not sent',
      'unknown',
    ]);
    const created = [{ userId: 'usr_b' }, ...response.created];
    expect(kinds(reconcile(['usr_a', 'usr_b'], { ...response, created }, undefined).outcomes)).toEqual([
      'unknown',
      'created',
    ]);
    expect(reconcile(['usr_a'], response, undefined).outcomes).toEqual([
      { state: 'unknown', message: 'it may be one of the created members without a userId: mail not sent' },
    ]);
  });

  it.each([
    [1, 0],
    [2, 1],
    [3, undefined],
    [0, undefined],
  ])('learns from index %s of an error about the second user that the index counts from %s', (index, base) => {
    const response = { created: [], errors: [{ index, userId: 'usr_b', error: 'no' }] };
    expect(reconcile(USERS, response, undefined).base).toBe(base);
  });

  it('reports mixed index bases if an error contradicts an earlier response', () => {
    const response = { errors: [{ index: 2, userId: 'usr_b', error: 'no' }] };
    expect(reconcile(USERS, response, 0).base).toBe('mixed');
  });

  it('uses the index base of the settings, and does not report it as proved', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    const { outcomes, base, inconsistencies } = reconcile(USERS, response, undefined, 1);
    expect(kinds(outcomes)).toEqual(['created', 'failed: rejected', 'unknown', 'created']);
    expect(base).toBeUndefined();
    expect(inconsistencies).toEqual([]);
  });

  it('reports that an error contradicts the index base of the settings, and uses the one it proves', () => {
    const errors = [
      { index: 1, userId: 'usr_b', error: 'no' },
      { index: 2, error: 'rejected' },
    ];
    expect(reconcile(USERS, { errors }, undefined, 1)).toMatchObject({
      outcomes: [{}, { message: 'no' }, { message: 'rejected' }, {}],
      base: 0,
      inconsistencies: ['errors[].index counts from 0, although the setting wire.member.errorIndexBase is 1'],
    });
    expect(reconcile(USERS, { errors }, undefined, 0)).toMatchObject({ base: 0, inconsistencies: [] });
  });

  it('uses the lists, whatever the summary says', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [], summary: { total: 2, successful: 0, failed: 1 } };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response, undefined);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(inconsistencies).toEqual([]);
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
    { name: 'the message of an object', error: { code: 'NO_SEATS', message: 'no seats' }, message: 'no seats' },
    { name: 'the code of an object', error: { code: 'NO_SEATS' }, message: 'NO_SEATS' },
    { name: 'an object', error: { reason: 'gone' }, message: '{"reason":"gone"}' },
    { name: 'nothing', error: undefined, message: 'rejected without a message' },
    { name: 'an empty text', error: '', message: 'rejected without a message' },
    { name: 'a blank', error: ' ', message: '" "' },
  ])('keeps $name as the message of an error', ({ error, message }) => {
    expect(reconcile(['usr_a'], { errors: [{ index: 0, userId: 'usr_a', error }] }, undefined).outcomes).toEqual([
      { state: 'failed', message },
    ]);
  });
});
