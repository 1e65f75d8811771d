import { describe, expect, it } from 'vitest';
import { isAlreadyMember, mayBeAlreadyMember } from '../../../../src/import/send/response/already-member.ts';

describe('isAlreadyMember', () => {
  it.each([
    'already a member',
    'Already a member.',
    'User is already a member',
    'This user is already a member of this organization',
    'User a@b.c is already a member of this organization',
    'User usr_0003 is already a member of the organisation.',
    'User "jdoe" is already a member of your organization',
    'a@b.c is already a member of this organization',
    'User a@b.c is already a member of this organization.',
    ' User is  already a member\nof this organization ',
    'User already exists in this organization',
    'The user already belongs to this organization',
    'Membership already exists',
    'Membership of a@b.c already exists',
    'Membership for "jdoe" already exists',
    'Member already exists',
    'ALREADY_MEMBER',
    'already-a-member',
    'UserAlreadyMember',
    'MEMBER_ALREADY_EXISTS',
    'ERR_ALREADY_MEMBER',
  ])('recognizes "%s"', (message) => {
    expect(isAlreadyMember(message, [])).toBe(true);
  });

  it.each([
    'User is not already a member of this organization',
    'User a@b.c is already a member of another organization',
    'User a@b.c is already a member of organization org_2',
    'User a@b.c is already a member of the team',
    'User group is already a member of this organization',
    'User is already a member of this organization, but deactivated',
    'User was already a member of this organization',
    'If the user is already a member, use PATCH',
    'Invitation already exists',
    'Membership of group already exists',
    'Membership already exists in another organization',
    'Team membership already exists',
    'Invited user already exists in this organization',
    'User already exists in this organization as a guest',
    'TEAM_ALREADY_MEMBER',
    'ALREADY_MEMBER_ELSEWHERE',
    'TEAM_MEMBERSHIP_ALREADY_EXISTS',
    'MEMBERSHIP_ALREADY_EXISTS_ELSEWHERE',
    'USER_EXISTS',
    'duplicate key value violates unique constraint',
    'User already exists',
    'Conflict',
    '',
  ])('does not recognize "%s"', (message) => {
    expect(isAlreadyMember(message, [])).toBe(false);
  });

  it('accepts a message that contains a phrase of the setting, ignoring case', () => {
    expect(isAlreadyMember('Error 17: Person is ENROLLED (already)', ['is enrolled (already)'])).toBe(true);
    expect(isAlreadyMember('Person is enrolling', ['is enrolled'])).toBe(false);
    expect(isAlreadyMember('anything', [''])).toBe(false);
  });

  it('matches a phrase with * against the entire message', () => {
    expect(isAlreadyMember('Person a@b.c is enrolled.', ['person * is enrolled.'])).toBe(true);
    expect(isAlreadyMember(' Person a@b.c\n  is enrolled. ', ['person * is enrolled.'])).toBe(true);
    expect(isAlreadyMember('Not so: person a@b.c is enrolled.', ['person * is enrolled.'])).toBe(false);
    expect(isAlreadyMember('Person a@b.c is enrolled. Not active.', ['person * is enrolled.'])).toBe(false);
  });
});

describe('mayBeAlreadyMember', () => {
  it.each(['User already exists', 'USER_EXISTS', 'Person is a Member', 'activeMembership'])(
    'finds "%s" worth a hint',
    (message) => {
      expect(mayBeAlreadyMember(message)).toBe(true);
    },
  );

  it.each([
    'role should not be empty',
    'Department "finance" is not allowed',
    'role must be one of: admin, member',
    '{"members":[],"error":"no seats"}',
  ])('has no hint for "%s"', (message) => {
    expect(mayBeAlreadyMember(message)).toBe(false);
  });
});
