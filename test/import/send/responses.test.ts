import { describe, expect, it } from 'vitest';
import { FORBIDDEN } from '../../helpers/people-service.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { importPeople } from './import-people.ts';

const home = temporaryFolder();

/** Imports people with one response, after which the service rejects the key. Returns the state of each, and who may be there twice. */
async function outcomesOf(userIds: readonly string[], body: object) {
  const { report } = await importPeople(home.path, userIds, {
    step: ({ number }) => (number === 1 ? { status: 201, body } : FORBIDDEN),
    more: ['--all-rows', '--retries', '0'],
  });
  const states = report.rows.map(({ state }) => state).join(' ');
  return { states, named: report.possibleDuplicates.map(({ userId }) => userId), report };
}

const member = (userId: string, more: object = {}) => ({ id: `mem_${userId}`, userId, ...more });
const all = ['a', 'b', 'c', 'd'].map((userId) => member(userId));
const [a = {}, b = {}, , d = {}] = all;
const ALL_UNKNOWN = 'unknown unknown unknown unknown';

describe('a response', () => {
  // biome-ignore format: a table, a response a line
  it.each<[promise: string, users: string, response: object, states: string]>([
    ['leaves all rows unknown if it leaves out more rows than its errors point at', 'abcd', { created: [a, d], errors: [{ index: 2, error: 'no' }] }, ALL_UNKNOWN],
    ['leaves all rows unknown if an error points at a row that it lists as created', 'abcd', { created: [a, b, d], errors: [{ index: 0, error: 'rolled back' }] }, ALL_UNKNOWN],
    ['leaves all rows unknown if an error points at a row outside the request', 'abcd', { created: all, errors: [{ index: 9, error: 'rolled back' }] }, ALL_UNKNOWN],
    ['leaves all rows unknown if an error points at no row', 'abcd', { created: all, errors: [{ error: 'rolled back' }] }, ALL_UNKNOWN],
    ['leaves all rows unknown if an error names a user who was not in the request', 'abcd', { created: all, errors: [{ userId: 'z', error: 'rolled back' }] }, ALL_UNKNOWN],
    ['matches no error by its position to a row that has an error', 'ab', { created: [a], errors: [{ userId: 'b', error: 'no' }, { index: 1, error: 'no' }] }, 'unknown failed'],
    ['matches the only error to the only row', 'a', { errors: [{ error: 'no' }] }, 'failed'],
    ['matches no error without a user to the only row if that has an error', 'a', { errors: [{ error: 'no' }, { userId: 'a', error: 'already a member' }] }, 'existing'],
    ['matches none of two errors without a user to the only row', 'a', { errors: [{ error: 'no' }, { error: 'nor that' }] }, 'unknown'],
    ['leaves the only row unknown if it is created, and an error may be about it', 'a', { created: [a], errors: [{ error: 'rolled back' }] }, 'unknown'],
    ['does not take an ID in another case for the one that was sent', 'Ab', { created: all }, 'unknown created'],
    ['is not believed about errors if more members have no user than rows are left out', 'ab', { created: [b, { id: 'mem_1' }], errors: [{ userId: 'a', error: 'no' }] }, 'unknown created'],
    ['is not believed if it has an error of its own', 'ab', { created: [a, b], errors: [], error: 'rolled back' }, 'unknown unknown'],
    ['is not believed if it says that it was no success', 'ab', { created: [a, b], errors: [], success: false }, 'unknown unknown'],
    ['is believed if its errors say what was no success', 'ab', { created: [a], errors: [{ userId: 'b', error: 'no' }], success: false }, 'created failed'],
    ['that calls a user a member has another message, too: the row has failed', 'a', { errors: [{ userId: 'a', error: 'already a member' }, { userId: 'a', error: 'no' }] }, 'failed'],
    ['that calls a user a member twice says so', 'a', { errors: Array(2).fill({ userId: 'a', error: 'already a member' }) }, 'existing'],
  ])('%s', async (_, users, response, states) => {
    expect((await outcomesOf([...users], response)).states).toBe(states);
  });

  it('names a user with two active memberships, and nobody with one that is listed twice, or was deactivated', async () => {
    const old = { id: 'old', role: 'owner', isActive: false, createdAt: '2025-01-02T00:00:00Z' };
    const created = [
      ...[member('a'), member('a')],
      ...[member('b', old), member('b', { isActive: true })],
      ...[member('c'), member('c', { id: 'new' })],
      ...[member('d', old), member('d', { isActive: false, createdAt: '2026-01-02T00:00:00Z' })],
    ];
    const { states, named, report } = await outcomesOf(['a', 'b', 'c', 'd'], { created });
    expect({ states, named }).toEqual({ states: 'created created created created', named: ['c'] });
    // The values are those of the membership that is active, or was created last.
    expect(report.mismatches).toEqual([]);
  });

  const EXISTING = [
    'already a member',
    'This user is already a member of this organization.',
    'User a@b.c is already a member of your organisation',
    'User "jdoe" already exists in this organization',
    ' The user already\n belongs to this organization ',
    'Membership of a@b.c already exists',
    'ALREADY_MEMBER',
    'UserAlreadyMember',
    'member-already-exists',
    'Error 17: Person is ENROLLED (already)',
    'On board: usr_1.',
  ];
  const OTHERS = [
    'User is not already a member of this organization',
    'User a@b.c is already a member of another organization',
    'User group is already a member of this organization',
    'User is already a member of this organization, but deactivated',
    'If the user is already a member, use PATCH',
    'Invitation already exists',
    'Membership of group already exists',
    'User already exists',
    'TEAM_ALREADY_MEMBER',
    'ALREADY_MEMBER_ELSEWHERE',
    'duplicate key value violates unique constraint',
    'Not so: on board: usr_1.',
  ];

  it('says with one of five complete messages, or with a phrase of the setting, that a user is a member already', async () => {
    const messages = [...EXISTING, ...OTHERS];
    const users = messages.map((_, at) => `usr_${at}`);
    const errors = messages.map((error, index) => ({ index, userId: users[index], error }));
    const env = { ORGADM_BASE_URL: 'https://api.example.com' };
    await runCli(home.path, ['config', 'set', 'wire.member.existing', 'is enrolled (already)', 'on board: *'], { env });
    const { report } = await outcomesOf(users, { created: [], errors });
    const existing = report.rows.flatMap(({ state, userId }) =>
      state === 'existing' ? messages[users.indexOf(userId)] : [],
    );
    expect(existing).toEqual(EXISTING);
  });
});
