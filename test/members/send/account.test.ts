import { describe, expect, it } from 'vitest';
import { account } from '../../../src/members/send/account.ts';

const USERS = ['usr_a', 'usr_b', 'usr_c', 'usr_d'];
const UNMENTIONED = { kind: 'unclear', why: 'the answer does not mention it' };

function kinds(outcomes: readonly { kind: string; words?: string }[]): string[] {
  return outcomes.map(({ kind, words }) => (words === undefined ? kind : `${kind}: ${words}`));
}

describe('account', () => {
  it('matches the documented answer by userId, whatever its order', () => {
    const answer = {
      created: [{ userId: 'usr_d' }, { userId: 'usr_a' }, { userId: 'usr_b' }],
      errors: [{ index: 2, userId: 'usr_c', error: 'User is already a member' }],
      summary: { total: 4, successful: 3, failed: 1 },
    };
    const { outcomes, contradictions } = account(USERS, answer, undefined);
    expect(kinds(outcomes)).toEqual(['created', 'created', 'error: User is already a member', 'created']);
    expect(contradictions).toEqual([]);
  });

  it('counts two rows in created for one entry once', () => {
    const answer = {
      created: [
        { userId: 'usr_a', id: 'old' },
        { userId: 'usr_a', id: 'new' },
      ],
      summary: { total: 1, successful: 1, failed: 0 },
    };
    const { outcomes, contradictions } = account(['usr_a'], answer, undefined);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(contradictions).toEqual([]);
  });

  it('leaves rows unclear that are in neither list', () => {
    const { outcomes } = account(USERS, { created: [{ userId: 'usr_a' }], errors: [] }, undefined);
    expect(outcomes.slice(1)).toEqual([UNMENTIONED, UNMENTIONED, UNMENTIONED]);
  });

  it('leaves a row unclear that is in both lists', () => {
    const answer = { created: [{ userId: 'usr_a' }], errors: [{ index: 0, userId: 'usr_a', error: 'no' }] };
    expect(account(['usr_a'], answer, undefined).outcomes).toEqual([
      { kind: 'unclear', why: 'the answer lists it as created and as failed: no' },
    ]);
  });

  it.each([
    { name: 'zero-based', index: 2, base: 0 },
    { name: 'one-based', index: 3, base: 1 },
  ])('accepts a $name index without userId when it alone fits', ({ index, base }) => {
    const answer = {
      created: [{ userId: 'usr_a' }, { userId: 'usr_b' }, { userId: 'usr_d' }],
      errors: [{ index, error: 'refused' }],
    };
    const told = account(USERS, answer, undefined);
    expect(kinds(told.outcomes)).toEqual(['created', 'created', 'error: refused', 'created']);
    expect(told.base).toBe(base);
  });

  it('leaves rows unclear when either base would fit', () => {
    const answer = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'refused' }] };
    const told = account(USERS, answer, undefined);
    expect(kinds(told.outcomes)).toEqual(['created', 'unclear', 'unclear', 'created']);
    expect(told.base).toBeUndefined();
    expect(told.contradictions).toEqual(["1 of the answer's errors cannot be attributed to a row"]);
  });

  it('uses a base that an earlier answer proved, where both would fit', () => {
    const answer = { created: [{ userId: 'usr_a' }, { userId: 'usr_d' }], errors: [{ index: 2, error: 'refused' }] };
    expect(kinds(account(USERS, answer, 1).outcomes)).toEqual(['created', 'error: refused', 'unclear', 'created']);
  });

  it('matches numbers as text, an index in quotes, and the embedded user where there is no userId', () => {
    const answer = {
      created: [{ userId: 102 }, { user: { id: '103' } }],
      errors: [{ index: '0', error: 'refused' }],
    };
    const told = account(['101', '102', '103'], answer, undefined);
    expect(kinds(told.outcomes)).toEqual(['error: refused', 'created', 'created']);
    expect(told).toMatchObject({ base: 0, contradictions: [] });
  });

  it('reads the words from message where there is no error', () => {
    const answer = { errors: [{ userId: 'usr_a', message: 'no seats' }] };
    expect(kinds(account(['usr_a'], answer, undefined).outcomes)).toEqual(['error: no seats']);
  });

  it('tells of created members that name nobody', () => {
    const { outcomes, contradictions } = account(['usr_a'], { created: [{ id: 'mem_1' }] }, undefined);
    expect(outcomes).toEqual([UNMENTIONED]);
    expect(contradictions).toEqual(['the answer lists 1 created member that this request did not name']);
  });

  it('does not believe errors where more members name nobody than rows are left', () => {
    const answer = { created: [{ id: 'mem_1' }], errors: [{ userId: 'usr_a', error: 'mail not sent' }] };
    expect(kinds(account(['usr_a', 'usr_b'], answer, undefined).outcomes)).toEqual(['error: mail not sent', 'unclear']);
    expect(account(['usr_a'], answer, undefined).outcomes).toEqual([
      { kind: 'unclear', why: 'it may be among the created members that name nobody: mail not sent' },
    ]);
  });

  it('learns the base from an error that names its user and its index', () => {
    const answer = { created: [], errors: [{ index: 2, userId: 'usr_b', error: 'no' }] };
    expect(account(USERS, answer, undefined).base).toBe(1);
  });

  it('does not attribute an index that points at a created row, or out of the request', () => {
    const created = [{ userId: 'usr_a' }, { userId: 'usr_b' }, { userId: 'usr_c' }];
    for (const index of [1, 9, -1, null]) {
      const { outcomes } = account(USERS, { created, errors: [{ index, error: 'no' }] }, 0);
      expect(outcomes[3]).toEqual(UNMENTIONED);
    }
  });

  it('tells a summary that contradicts the lists, and trusts the lists', () => {
    const answer = { created: [{ userId: 'usr_a' }], errors: [], summary: { total: 2, successful: 0, failed: 1 } };
    const { outcomes, contradictions } = account(['usr_a'], answer, undefined);
    expect(kinds(outcomes)).toEqual(['created']);
    expect(contradictions).toEqual([
      'summary.total is 2, but the entries sent were 1',
      'summary.successful is 0, but the created entries are 1',
      'summary.failed is 1, but the errors are 0',
    ]);
  });

  it('tells of members that the request did not name', () => {
    const { contradictions } = account(['usr_a'], { created: [{ userId: 'usr_a' }, { userId: 'usr_z' }] }, undefined);
    expect(contradictions).toEqual(['the answer lists 1 created member that this request did not name']);
  });

  it.each([
    { name: 'an object', error: { reason: 'gone' }, words: '{"reason":"gone"}' },
    { name: 'nothing', error: undefined, words: 'refused without words' },
    { name: 'a blank', error: ' ', words: '" "' },
  ])('keeps $name as the words of an error', ({ error, words }) => {
    expect(account(['usr_a'], { errors: [{ index: 0, userId: 'usr_a', error }] }, undefined).outcomes).toEqual([
      { kind: 'error', words },
    ]);
  });

  it('treats userIds as text: a name of the prototype is a name', () => {
    const answer = { created: [{ userId: '__proto__' }], errors: [{ index: 1, userId: 'constructor', error: 'no' }] };
    expect(kinds(account(['__proto__', 'constructor'], answer, undefined).outcomes)).toEqual(['created', 'error: no']);
  });
});
