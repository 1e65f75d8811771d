import { describe, expect, it } from 'vitest';
import { messagesByPosition, shortenMessage } from '../../../../src/import/send/response/row-messages.ts';

const SIZE = 500;

describe('messagesByPosition', () => {
  it.each<[string, string]>([
    ['members.3.role should not be empty', 'role should not be empty'],
    ['members.3.property email should not exist', 'property email should not exist'],
    ['members[3].role: required', 'role: required'],
    ['/members/3/role: is required', 'role: is required'],
    ['#/members/3/role: is required', 'role: is required'],
    ['body/members/3/role must be string', 'role must be string'],
    ['body.members.3.role: field required', 'role: field required'],
    ['$.members[3].role: expected a string', 'role: expected a string'],
    ['The members.3.role field is required.', 'The role field is required.'],
    ['members.3.role: The members.3.role field is required.', 'role: The role field is required.'],
    ['Expected a string at members.3.role', 'Expected a string at role'],
    ['members.3: Required', 'Required'],
    ['Invalid entry: members.3.role is required', 'Invalid entry: role is required'],
    ['members.3.role is wrong; ask your administrator', 'role is wrong; ask your administrator'],
    ['members.3 must be an object', 'entry must be an object'],
    ['Invalid value for members[3].', 'Invalid value for entry.'],
    ['members.3', 'entry'],
    ['members.3.userId and members.3.email belong to different people', 'userId and email belong to different people'],
  ])('strips the index from "%s"', (message, text) => {
    expect(messagesByPosition([message], SIZE)).toEqual(new Map([[3, text]]));
  });

  it('returns for each entry only its own messages, in ascending order', () => {
    const messages = [
      'members.17.department must be one of the following values: none, admin',
      'members.3.role should not be empty',
      'members.3.role must be a string',
      'members.3.role should not be empty',
      'Validation failed',
    ];
    expect([...messagesByPosition(messages, SIZE)]).toEqual([
      [3, 'role should not be empty; role must be a string'],
      [17, 'department must be one of the following values: none, admin'],
    ]);
  });

  it.each([
    ['a comma', 'members.3.role should not be empty, members.17.role must be a string'],
    ['a semicolon', 'members.3.role should not be empty; members.17.role must be a string'],
    ['semicolons', 'members.3.role should not be empty; members.17.role must be a string;'],
    ['a line break', 'members.3.role should not be empty\nmembers.17.role must be a string'],
    ['a period', 'members[3].role should not be empty. members[17].role must be a string'],
  ])('separates the sentences of one message at %s', (_name, message) => {
    expect([...messagesByPosition([message], SIZE)]).toEqual([
      [3, 'role should not be empty'],
      [17, 'role must be a string'],
    ]);
  });

  it('returns a sentence about two entries for both, without the number of the other', () => {
    expect([...messagesByPosition(['members.3.userId, members.7.userId must be unique'], SIZE)]).toEqual([
      [3, "userId, another entry's userId must be unique"],
      [7, "another entry's userId, userId must be unique"],
    ]);
    expect(messagesByPosition(['members[3] and members[7] are equal'], SIZE).get(7)).toBe(
      'another entry and entry are equal',
    );
  });

  it.each([
    'Validation failed',
    'members must be an array',
    'members.role should not be empty',
    'teammembers.3.role is wrong',
    'members.500.role should not be empty',
  ])('finds no entry of the request in "%s"', (message) => {
    expect(messagesByPosition([message], SIZE)).toEqual(new Map());
  });

  it('bounds the message of each entry when a thousand entries are named, each five times', () => {
    const messages = Array.from(
      { length: 5_000 },
      (_, at) => `members.${at % 1_000}.field${at} must be one of: none, admin, gov, hr, it, itsm, qms`,
    );
    const found = messagesByPosition(messages, 1_000);
    expect(found.size).toBe(1_000);
    expect(found.get(7)).toBe(
      'field7 must be one of: none, admin, gov, hr, it, itsm, qms; ' +
        'field1007 must be one of: none, admin, gov, hr, it, itsm, qms; ' +
        'field2007 must be one of: none, admin, gov, hr, it, itsm, qms; ' +
        'field3007 must be one of: none, admin, gov, hr, it, itsm, qms; ' +
        'field4007 must be one of: none, admin, gov, hr, it…',
    );
    expect(Math.max(...[...found.values()].map(({ length }) => length))).toBeLessThanOrEqual(300);
  });
});

describe('shortenMessage', () => {
  it('leaves 300 characters as they are, without the white space around them', () => {
    expect(shortenMessage('x'.repeat(300))).toBe('x'.repeat(300));
    expect(shortenMessage(`  ${'x'.repeat(300)}\n`)).toBe('x'.repeat(300));
    expect(shortenMessage('role should not be empty')).toBe('role should not be empty');
  });

  it('cuts a longer message', () => {
    expect(shortenMessage('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
    expect(shortenMessage(`see ${'x'.repeat(1_000_000)}`)).toBe(`see ${'x'.repeat(295)}…`);
  });

  it('never cuts a character in half', () => {
    expect(shortenMessage(`x${'😀'.repeat(200)}`)).toBe(`x${'😀'.repeat(149)}…`);
    expect(shortenMessage('😀'.repeat(200))).toBe(`${'😀'.repeat(149)}…`);
  });
});
