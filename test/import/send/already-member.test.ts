import { describe, expect, it } from 'vitest';
import {
  isAlreadyMemberMessage,
  isNearlyAlreadyMember,
  isStrictlyAlreadyMember,
  matchesPhrase,
  readMembership,
} from '../../../src/import/send/already-member.ts';

/** Statements that this user is a member of this organization. */
const ACCEPTED = [
  'already a member',
  'Already a member.',
  'User is already a member',
  'This user is already a member',
  'The user is already a member!',
  'User a@b.c is already a member of this organization',
  'User a@b.c is already a member of the organization.',
  'USER A@B.C IS ALREADY A MEMBER OF YOUR ORGANIZATION',
  'user usr_0003 is already a member of our organisation',
  'User usr_1 (ada@example.com) is already a member of this organization',
  'User "Ada Lovelace" is already a member of this organization',
  "User 'usr_1' is already a member of this org",
  'User Ada Lovelace is already a member of this organization',
  'User jdoe is already a member of this organization',
  'Ada Lovelace is already a member of this organization',
  'Ada Lovelace <ada@example.com> is already a member of this organization',
  'a@b.c is already a member of this organization',
  'not.a.group@example.com is already a member of this organization',
  'User соня.thorsson@lab.example.com is already a member of this organization',
  'The user with email a@b.c is already a member of this organization',
  'The specified user is already a member of this organization.',
  'User with this email is already a member of the organization',
  'User 42 is already a member of this organization',
  'User 3f2b8c1e-5a77-4f0e-9a51-0c6c2f1d7e90 is already a member of this organization',
  'User is already member of this organization',
  'User is a member of this organization already',
  'User already is a member of this organization',
  'User is already an organization member',
  'User is already an active member of this organization',
  'User is an existing member of this organization',
  'User was already a member of this organization',
  'User is already a member of this company',
  'User is already a member of this tenant',
  'user already in organization',
  'User a@b.c is already in this organization',
  'User is already part of this organization',
  'User already belongs to this organization',
  'a@b.c already belongs to the organization',
  'User already exists in this organization',
  'User has already been added to this organization',
  'User has already joined this organization',
  'Membership already exists',
  'membership already exists for this user',
  'Membership of a@b.c already exists',
  'Membership for user usr_1 already exists in this organization',
  'A membership for this user already exists',
  'Organization membership already exists',
  'member already exists',
  'Member with this email already exists',
  'Member a@b.c already exists in this organization',
  'ALREADY_MEMBER',
  'ALREADY_A_MEMBER',
  'already-a-member',
  'UserAlreadyMember',
  'MEMBER_ALREADY_EXISTS',
  'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
  'user_already_in_organization',
  '{"code":"ALREADY_MEMBER"}',
  '{"code":"CONFLICT","message":"User is already a member of this organization"}',
  '["already a member"]',
  '{"code":"USER_EXISTS","message":"User is already a member of this organization"}',
  ' {"message":"User is\\n already a member\\t"}\n',
  'ERR_ALREADY_MEMBER',
  'ERROR_ALREADY_MEMBER',
  'Error: User is already a member of this organization',
  '409 Conflict: user is already a member',
  'a@b.c: already a member',
  'members.3.userId: User a@b.c is already a member of this organization',
  'userId: User a@b.c is already a member of this organization',
  'email: already a member',
  'Cannot add a@b.c: user is already a member of this organization',
  'Could not add user usr_1 because they are already a member of this organization',
  'User is already a member of this organization and cannot be added again',
  'User is already a member of this organization, skipping',
  'User is already a member of this organization - skipping',
  'User is already a member of this organization. Cannot add user again.',
  'Could not add user because already a member',
  'User with email "a@b.c" is already a member of this organization',
  ' User is  already a member\nof this organization ',
  'User was not added: already a member of this organization',
  'User a@b.c is already a member of this organization. Skipped.',
  'User a@b.c is already a member of this organization; User d@e.f is already a member of this organization',
];

/** Close to that statement, or about something else, but not certain enough: the setting may accept them. */
const NEARLY = [
  'already a member of organization Beta',
  'User a@b.c is already a member of organization Beta',
  'User a@b.c is already a member of Acme Inc',
  'User a@b.c is already a member of organization org_2',
  'User a@b.c is already a member of this organization (org_2)',
  "User a@b.c is already a member of 'Acme'",
  'User is already a member of another organization',
  'User is already a member of a different organization',
  'User already belongs to an organization',
  'User already belongs to another company',
  'User is already in the organization Beta',
  "User is already in this organization's trash",
  'Organization Beta: user is already a member',
  'Beta: already a member',
  'User is already a member of the team',
  'User is already a member of group Admins',
  'User is already a member of the parent group',
  'User is already a member of this workspace',
  "User is already a member of this organization's device group",
  'Team Blue is already a member of this organization',
  'User group is already a member of this organization',
  'Device Printer is already a member of this organization',
  'group_5 is already a member of this organization',
  'team_5: already a member',
  'Group Admins: user is already a member',
  'Someone Else is already a member of this organization',
  'Service Account is already a member of this organization',
  'No such user: x. Already a member.',
  'No one is already a member of this organization',
  'Another user is already a member of this organization',
  'You are already a member of this organization',
  'User may already be a member of this organization',
  'If the user is already a member of this organization, remove them first',
  'Cannot determine whether the user is already a member of this organization',
  'User is already a member of this organization, but deactivated',
  'User is already a member of this organization with role admin',
  'User is already a member with role pending',
  'User is already an inactive member of this organization',
  'User has already been a member of this organization',
  'User is already a former member of this organization',
  'User is already a member of this organization. However, the membership was removed',
  'User is already a member of this organization. An invitation already exists',
  'User is already a member of this organization. Cannot add user, invitation pending',
  'User is already invited to this organization',
  'User formerly was a member of this organization',
  'Beta is already a member of this organization',
  "'Beta' is already a member of this organization",
  "'Beta': already a member",
  'Employee ID 5 already exists in this organization',
  'This email already exists in the organization',
  'User has already been removed from this organization',
  'An invitation already exists for this user',
  'Invitation for a@b.c already exists',
  'Team membership already exists',
  'Group membership already exists for this user',
  'Membership already exists in another organization',
  'Member with this device label already exists',
  'User already exists',
  'user already exists with this email',
  'Email a@b.c is already in use',
  'already exists',
  'already-exists',
  'ALREADY_EXISTS',
  'TEAM_MEMBER_ALREADY_EXISTS',
  'Record already exists',
  'Role already exists',
  'DUPLICATE entry',
  'Duplicate deviceMgmtLabelId 5',
  'Duplicate userId usr_1 in the request',
  'duplicate key value violates unique constraint',
  'duplicate key value violates unique constraint "device_label_idx"',
  'duplicate key value violates unique constraint "member_organization_id_user_id_key"',
  'Unique constraint failed on the fields: (`organizationId`,`userId`)',
  'E11000 duplicate key error collection: app.members index: organizationId_1_userId_1',
  'usr_1 is on board already',
  'Person is a member of Acme',
];

/** Neither: they deny it, or speak of something else. */
const UNRELATED = [
  '',
  'User usr_1 not found',
  'Not already a member of the parent group',
  'User is not already a member of this organization',
  'User is not a member of this organization',
  'User is not yet a member of this organization',
  'User is no longer a member of this organization',
  'User does not exist',
  'User already@exists.example.com not found',
  'User "already a member" not found',
  'role must be one of: admin, member',
  'members.3.role should not be empty',
  'Maximum 1000 members allowed per bulk request',
  'Department "duplicates" is not allowed',
  'Benutzer ist bereits Mitglied',
];

describe('isStrictlyAlreadyMember', () => {
  it.each(ACCEPTED)('accepts "%s"', (message) => {
    expect(isStrictlyAlreadyMember(message)).toBe(true);
  });

  it.each([...NEARLY, ...UNRELATED])('does not accept "%s"', (message) => {
    expect(isStrictlyAlreadyMember(message)).toBe(false);
  });

  it('does not accept a message of more than 1,000 characters, in a short time', () => {
    const statement = 'User is already a member of this organization. ';
    expect(isStrictlyAlreadyMember(statement.repeat(21).padEnd(1_000))).toBe(true);
    expect(isStrictlyAlreadyMember(statement.repeat(21).padEnd(1_001))).toBe(false);
    const began = process.cpuUsage();
    for (const hostile of [
      'a',
      ' already',
      'user ',
      '@',
      '# ',
      'a.',
      '"',
      '(usr_1 ',
      'already already a ',
      'user: ',
      '[',
    ])
      isStrictlyAlreadyMember(`member ${hostile.repeat(1_000)}`.slice(0, 1_000));
    expect(process.cpuUsage(began).user).toBeLessThan(500_000);
  });
});

describe('isNearlyAlreadyMember', () => {
  it.each(NEARLY)('finds "%s" close to it', (message) => {
    expect(isNearlyAlreadyMember(message)).toBe(true);
  });

  it.each([...ACCEPTED, ...UNRELATED])('does not find "%s" close to it', (message) => {
    expect(isNearlyAlreadyMember(message)).toBe(false);
  });

  it('reads only the start of a long message', () => {
    expect(isNearlyAlreadyMember(`usr_1 is on board already ${'x'.repeat(10_000_000)}`)).toBe(true);
    expect(isNearlyAlreadyMember(`${'x'.repeat(1_000)} is on board already`)).toBe(false);
  });
});

describe('isAlreadyMemberMessage', () => {
  it('accepts the strict statements without any setting', () => {
    expect(isAlreadyMemberMessage('User a@b.c is already a member of this organization', [])).toBe(true);
    expect(isAlreadyMemberMessage('User a@b.c is already a member of organization Beta', [])).toBe(false);
  });

  it('accepts messages that contain one of the phrases of the settings, ignoring case', () => {
    const phrases = ['', 'BEREITS MITGLIED', 'of organization Beta'];
    expect(isAlreadyMemberMessage('Benutzer ist bereits Mitglied', phrases)).toBe(true);
    expect(isAlreadyMemberMessage('User a@b.c is already a member of organization Beta', phrases)).toBe(true);
    expect(isAlreadyMemberMessage('User usr_1 not found', phrases)).toBe(false);
    expect(isStrictlyAlreadyMember('Benutzer ist bereits Mitglied')).toBe(false);
  });
});

describe('readMembership', () => {
  const phrases = { existing: ['User * is on board', 'is a colleague'] };

  it.each([
    ['User usr_1 is already a member', 'member'],
    ['User usr_1 is on board', 'member'],
    ['usr_1 is a colleague of ours', 'probably-member'],
    ['usr_1 not found', 'rejected'],
    ['Role not allowed', 'rejected'],
    ['usr_1 exists already', 'open'],
    ['The license exists already', 'rejected'],
    ['team.lead@the-group.example.com exists already', 'open'],
    ['rejected without a message', 'open'],
  ])('classifies %j as %s', (message, statement) => {
    expect(readMembership(message, phrases)).toBe(statement);
  });
});

describe('a phrase of the settings', () => {
  it.each([
    ['Ada is on board', 'is on board', true],
    ['Ada IS ON BOARD already', 'is on board', true],
    ['Ada is  on\nboard', 'is on board', true],
    ['Ada is aboard', 'is on board', false],
    ['anything', '', false],
  ])('is found in the message %j, if it is %j: %s', (message, phrase, expected) => {
    expect(matchesPhrase(message, phrase)).toBe(expected);
  });

  it.each([
    ['User a@b.c is already a member', 'User * is already a member', true],
    ['user  a@b.c\nis already a member ', 'User * is already a member', true],
    ['User a@b.c is already a member of another organization', 'User * is already a member', false],
    ['The user a@b.c is already a member', 'User * is already a member', false],
    ['a@b.c is on board already', '* is on board already', true],
    ['Cannot add a@b.c (usr_1): on board', 'Cannot add * (*): on board', true],
    ['Cannot add a@b.c: on board', 'Cannot add * (*): on board', false],
    ['member', 'member*member', false],
    ['on, on board, on board', 'on*on board*on board', true],
    ['on, on board', 'on*on board*on board', false],
  ])('matches the entire message %j, if it is %j: %s', (message, phrase, expected) => {
    expect(matchesPhrase(message, phrase)).toBe(expected);
  });
});
