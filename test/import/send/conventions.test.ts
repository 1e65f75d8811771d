import { describe, expect, it } from 'vitest';
import { matchesPhrase } from '../../../src/import/send/already-member.ts';

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
