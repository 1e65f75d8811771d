import { describe, expect, it } from 'vitest';
import type { BulkResponse } from '../../../../src/client/responses.ts';
import type { Outcome } from '../../../../src/import/outcome.ts';
import { type Reconciled, reconcile as reconcileMembers } from '../../../../src/import/send/response/reconcile.ts';

const USERS = ['usr_a', 'usr_b', 'usr_c', 'usr_d'];
const UNMENTIONED = { state: 'unknown', message: 'the response does not mention it' };

function reconcile(userIds: readonly string[], response: BulkResponse): Reconciled {
  const members = userIds.map((userId) => ({ userId, role: 'member' }));
  return reconcileMembers(members, response, { existing: [] });
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
    const { outcomes } = reconcile(['usr_a'], response as BulkResponse);
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
    expect(reconcile(['usr_a'], { created, errors: [], ...response }).outcomes).toEqual([
      { state: 'unknown', message },
    ]);
  });

  it('is believed if its errors say what failed', () => {
    const errors = [{ index: 1, userId: 'usr_b', error: 'no seats' }];
    const { outcomes } = reconcile(['usr_a', 'usr_b'], { created, errors, success: false });
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
    const { outcomes, inconsistencies } = reconcile(USERS, response);
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
    expect(reconcile(['usr_a', 'usr_b'], { created })).toMatchObject({
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
    expect(reconcile(['usr_a', 'usr_b', 'usr_c'], { created }).outcomes).toEqual([
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
      const { outcomes } = reconcileMembers(sent, { created }, { existing: [] });
      expect(outcomes).toEqual([{ state: 'created', memberId: 'mem_2' }]);
    }
  });

  it('keeps each message on a row once', () => {
    const error = (message: string) => ({ index: 0, userId: 'usr_a', error: message });
    const errors = [error('already a member'), error('already a member'), error('no seats')];
    expect(reconcile(['usr_a'], { errors: errors.slice(0, 2) }).outcomes).toEqual([
      { state: 'existing', message: 'already a member' },
    ]);
    expect(reconcile(['usr_a'], { errors }).outcomes).toEqual([
      { state: 'failed', message: 'already a member; no seats' },
    ]);
  });

  it('leaves a row ambiguous if both lists have it', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [{ index: 0, userId: 'usr_a', error: 'no' }] };
    expect(reconcile(['usr_a'], response)).toMatchObject({
      outcomes: [{ state: 'unknown', message: 'the response lists it as created and as failed: no' }],
      listsMembers: true,
    });
  });

  it.each([
    { name: 'zero-based', index: 2 },
    { name: 'one-based', index: 3 },
  ])('matches a $name index without userId to the row that the response leaves out', ({ index }) => {
    const response = {
      created: [{ userId: 'usr_a' }, { userId: 'usr_b' }, { userId: 'usr_d' }],
      errors: [{ index, error: 'rejected' }],
    };
    expect(kinds(reconcile(USERS, response).outcomes)).toEqual(['created', 'created', 'failed: rejected', 'created']);
  });

  it('leaves all rows ambiguous if the response leaves out more rows than its errors point at', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'rejected' }] };
    const reconciled = reconcile(USERS, response);
    expect(kinds(reconciled.outcomes)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    expect(reconciled.inconsistencies).toEqual(['orgadm cannot match 1 of the errors in the response to a row']);
  });

  it.each([0, 1])(
    'matches several errors without userId if they point at exactly the rows left out, from %i',
    (base) => {
      const errors = [2, 0].map((at) => ({ index: at + base, error: `no ${at}` }));
      const { outcomes } = reconcile(USERS, { created: [{ userId: 'usr_b' }, { userId: 'usr_d' }], errors });
      expect(kinds(outcomes)).toEqual(['failed: no 0', 'created', 'failed: no 2', 'created']);
    },
  );

  it('matches numbers as text, an index in quotes, and the embedded user where there is no userId', () => {
    const response = {
      created: [{ userId: 102 }, { user: { id: '103' } }],
      errors: [{ index: '0', error: 'rejected' }],
    };
    const reconciled = reconcile(['101', '102', '103'], response);
    expect(kinds(reconciled.outcomes)).toEqual(['failed: rejected', 'created', 'created']);
    expect(reconciled.inconsistencies).toEqual([]);
  });

  it('attributes the only error of a request with one entry to that entry', () => {
    expect(kinds(reconcile(['usr_a'], { errors: [{ error: 'not found' }] }).outcomes)).toEqual(['failed: not found']);
  });

  it('attributes neither of two errors without a userId to the only entry', () => {
    const { outcomes, inconsistencies } = reconcile(['usr_a'], {
      errors: [{ error: 'not found' }, { error: 'no seats' }],
    });
    expect(outcomes).toEqual([UNMENTIONED]);
    expect(inconsistencies).toEqual(['orgadm cannot match 2 of the errors in the response to a row']);
  });

  it.each([
    ['a created row', 1],
    ['a row outside the request', 9],
    ['no row', null],
  ])('makes created rows ambiguous if an error points by its position at %s', (_, index) => {
    const created = ['usr_a', 'usr_b', 'usr_c'].map((userId) => ({ userId, role: 'admin' }));
    const errors = [{ index, error: 'rolled back' }];
    const { outcomes, listsMembers } = reconcile(USERS, { created, errors });
    expect(kinds(outcomes)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    expect(listsMembers).toBe(true);
    // Their values are compared all the same.
    const stored = outcomes.map(({ mismatches }) => mismatches?.map((value) => value.stored));
    expect(stored).toEqual([['admin'], ['admin'], ['admin'], undefined]);
  });

  it('makes every created row ambiguous if an error names a user who was not in the request', () => {
    const response = { created: [{ userId: 'usr_a' }, { userId: 'usr_b' }], errors: [{ userId: 'z', error: 'no' }] };
    const message = 'the response has an error that orgadm cannot match to a row';
    expect(reconcile(['usr_a', 'usr_b'], response).outcomes).toMatchObject([
      { state: 'unknown', message },
      { state: 'unknown', message },
    ]);
  });

  it('matches an error by its position if it names the user in another way', () => {
    const response = {
      created: [{ userId: 'usr_a' }],
      errors: [{ index: 1, userId: 'b@acme.test', error: 'no seats' }],
    };
    expect(kinds(reconcile(['usr_a', 'usr_b'], response).outcomes)).toEqual(['created', 'failed: no seats']);
  });

  it('makes the only entry ambiguous if it is created, and an error may be about it', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [{ error: 'rolled back' }] };
    expect(kinds(reconcile(['usr_a'], response).outcomes)).toEqual(['unknown']);
  });

  it('does not attribute an error without a userId to the only entry if that has failed', () => {
    const response = { errors: [{ error: 'not found' }, { userId: 'usr_a', error: 'no seats' }] };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response);
    expect(kinds(outcomes)).toEqual(['failed: no seats']);
    expect(inconsistencies).toEqual(['orgadm cannot match 1 of the errors in the response to a row']);
  });

  it('attributes errors without a userId only if all of them fit, and to no row that has failed', () => {
    const created = [{ userId: 'usr_a' }];
    const errors = [{ index: 1, error: 'no seats' }, { error: 'not found' }];
    expect(kinds(reconcile(['usr_a', 'usr_b'], { created, errors }).outcomes)).toEqual(['unknown', 'unknown']);
    const named = { userId: 'usr_b', error: 'no seats' };
    const { outcomes } = reconcile(USERS, { created, errors: [named, { index: 1, error: 'not found' }] });
    expect(kinds(outcomes)).toEqual(['unknown', 'failed: no seats', 'unknown', 'unknown']);
  });

  it('reports errors for users that were not in the request, and attributes them to no row', () => {
    const errors = [
      { index: 0, userId: 'usr_z', error: 'no' },
      { index: 9, error: 'no' },
    ];
    const created = [{ userId: 'usr_y' }];
    const { outcomes, listsMembers } = reconcile(['usr_a', 'usr_b'], { created, errors });
    expect({ kinds: kinds(outcomes), listsMembers }).toEqual({ kinds: ['unknown', 'unknown'], listsMembers: false });
    const { inconsistencies } = reconcile(['usr_a', 'usr_b'], { errors });
    expect(inconsistencies).toEqual(['orgadm cannot match 2 of the errors in the response to a row']);
  });

  it('joins the messages of several errors for one user', () => {
    const errors = [
      { userId: 'usr_a', error: 'no seats' },
      { userId: 'usr_a', error: 'not found' },
    ];
    expect(kinds(reconcile(['usr_a'], { errors }).outcomes)).toEqual(['failed: no seats; not found']);
  });

  it('does not take an ID in another case for the one that was sent', () => {
    const response = { created: [{ userId: 'usr_a' }] };
    expect(kinds(reconcile(['USR_A'], response).outcomes)).toEqual(['unknown']);
  });

  it('reads the message from `message` if there is no `error`', () => {
    const response = { errors: [{ userId: 'usr_a', message: 'no seats' }] };
    expect(kinds(reconcile(['usr_a'], response).outcomes)).toEqual(['failed: no seats']);
  });

  it('ignores errors if more members lack a userId than rows are left', () => {
    const response = { created: [{ id: 'mem_1' }], errors: [{ userId: 'usr_a', error: 'mail not sent' }] };
    expect(kinds(reconcile(['usr_a', 'usr_b'], response).outcomes)).toEqual(['failed: mail not sent', 'unknown']);
    const created = [{ userId: 'usr_b' }, ...response.created];
    expect(kinds(reconcile(['usr_a', 'usr_b'], { ...response, created }).outcomes)).toEqual(['unknown', 'created']);
    expect(reconcile(['usr_a'], response).outcomes).toEqual([
      { state: 'unknown', message: 'it may be one of the created members without a userId: mail not sent' },
    ]);
  });

  it('uses the lists, whatever the summary says', () => {
    const response = { created: [{ userId: 'usr_a' }], errors: [], summary: { total: 2, successful: 0, failed: 1 } };
    const { outcomes, inconsistencies } = reconcile(['usr_a'], response);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(inconsistencies).toEqual([]);
  });

  it('reports members that were not in the request', () => {
    const { inconsistencies } = reconcile(['usr_a'], { created: [{ userId: 'usr_a' }, { userId: 'usr_z' }] });
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
    expect(reconcile(['usr_a'], { errors: [{ index: 0, userId: 'usr_a', error }] }).outcomes).toEqual([
      { state: 'failed', message },
    ]);
  });
});
