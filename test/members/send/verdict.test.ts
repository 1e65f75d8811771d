import { describe, expect, it } from 'vitest';
import { isExisting } from '../../../src/members/send/existing.ts';
import { judge } from '../../../src/members/send/verdict.ts';
import { ServiceError, type ServiceErrorDetails } from '../../../src/service/errors.ts';

const SENT = 500;

function failure(details: Partial<ServiceErrorDetails>): ServiceError {
  const status = details.status;
  const kind = status === undefined ? 'interrupted' : 'refused';
  const processed = status !== undefined && status < 500 ? 'no' : 'maybe';
  return new ServiceError('code', 1, 'what happened', { kind, processed, ...details });
}

describe('judge', () => {
  it.each([
    { name: '429', error: { status: 429, retryAfterMs: 60_000 }, verdict: { kind: 'limited', retryAfterMs: 60_000 } },
    { name: '429 without Retry-After', error: { status: 429 }, verdict: { kind: 'limited', retryAfterMs: undefined } },
    { name: 'no connection', error: { kind: 'unreachable', processed: 'no' }, verdict: { kind: 'not-sent' } },
    {
      name: 'a connection that took too long',
      error: { kind: 'timeout', processed: 'no' },
      verdict: { kind: 'not-sent' },
    },
    {
      name: 'an untrusted certificate',
      error: { kind: 'certificate', processed: 'no' },
      verdict: { kind: 'stop', unclear: false },
    },
    {
      name: 'a redirect',
      error: { kind: 'redirect', processed: 'maybe', status: 302 },
      verdict: { kind: 'stop', unclear: true },
    },
    ...[401, 403, 404, 405, 410, 415, 431].map((status) => ({
      name: String(status),
      error: { status },
      verdict: { kind: 'stop', unclear: false },
    })),
    ...[408, 409, 425, 500, 502, 503, 504].map((status) => ({
      name: String(status),
      error: { status },
      verdict: { kind: 'unclear', why: 'what happened', timedOut: false },
    })),
    {
      name: 'a reset',
      error: { kind: 'interrupted' },
      verdict: { kind: 'unclear', why: 'what happened', timedOut: false },
    },
    {
      name: 'our own timeout',
      error: { kind: 'timeout' },
      verdict: { kind: 'unclear', why: 'what happened', timedOut: true },
    },
    {
      name: 'an answer of the wrong shape',
      error: { kind: 'not-understood', processed: 'maybe', status: 200 },
      verdict: { kind: 'unclear', why: 'what happened', timedOut: false },
    },
    {
      name: '413',
      error: { status: 413 },
      verdict: { kind: 'too-large', limit: undefined, words: 'what happened', sure: true },
    },
    {
      name: '400 that speaks of a maximum',
      error: { status: 400, messages: ['Maximum 100 members allowed per bulk request'] },
      verdict: { kind: 'too-large', limit: 100, words: 'Maximum 100 members allowed per bulk request', sure: false },
    },
    {
      name: 'a maximum that is no smaller than what was sent',
      error: { status: 422, messages: ['at most 1,000 members'] },
      verdict: { kind: 'too-large', limit: undefined, words: 'at most 1,000 members', sure: false },
    },
    {
      name: '400 that names entries, even when it speaks of a size',
      error: {
        status: 400,
        messages: [
          'members.3.role should not be empty',
          'members.17.department is longer than the maximum size',
          'members.3.x',
        ],
      },
      verdict: {
        kind: 'refused',
        named: [3, 17],
        words: 'members.3.role should not be empty; members.17.department is longer than the maximum size; members.3.x',
      },
    },
    {
      name: 'entries named in brackets',
      error: { status: 422, messages: ['members[4].role: required'] },
      verdict: { kind: 'refused', named: [4], words: 'members[4].role: required' },
    },
    {
      name: 'an entry named by a JSON pointer',
      error: { status: 400, messages: ['/members/4/role: is required'] },
      verdict: { kind: 'refused', named: [4], words: '/members/4/role: is required' },
    },
    {
      name: 'an entry out of the request',
      error: { status: 400, messages: ['members.500.role should not be empty'] },
      verdict: { kind: 'refused', named: [], words: 'members.500.role should not be empty' },
    },
    ...['department is too long', 'Seat limit exceeded for your plan', 'name exceeds 50 characters'].map((words) => ({
      name: `400 that speaks of another size: ${words}`,
      error: { status: 400, messages: [words] },
      verdict: { kind: 'refused', named: [], words },
    })),
    ...[
      { words: 'Request body exceeds the maximum of 1 MB', limit: undefined },
      { words: '413 Request Entity Too Large', limit: undefined },
      { words: 'no more than 250 entries', limit: 250 },
    ].map(({ words, limit }) => ({
      name: `413 with the words: ${words}`,
      error: { status: 413, messages: [words] },
      verdict: { kind: 'too-large', limit, words, sure: true },
    })),
    {
      name: '409 that speaks of a member',
      error: { status: 409, messages: ['User a@b.c is already a member of this organization'] },
      verdict: { kind: 'refused', named: [], words: 'User a@b.c is already a member of this organization' },
    },
    {
      name: '400 without words',
      error: { status: 400 },
      verdict: { kind: 'refused', named: [], words: 'what happened' },
    },
  ] as { name: string; error: Partial<ServiceErrorDetails>; verdict: unknown }[])(
    'judges $name',
    ({ error, verdict }) => {
      expect(judge(failure(error), SENT, (words) => isExisting(words, []))).toEqual(verdict);
    },
  );
});
