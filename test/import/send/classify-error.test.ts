import { describe, expect, it } from 'vitest';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/service-error.ts';
import { isAlreadyMemberMessage } from '../../../src/import/send/already-member.ts';
import { classifyFailure } from '../../../src/import/send/classify-error.ts';

const batch = (sent = 500, isConfirming = false) => ({
  sent,
  isConfirming,
  isAlreadyMember: (message: string) => isAlreadyMemberMessage(message, []),
});

function failure(details: Partial<ServiceErrorDetails>): ServiceError {
  const status = details.status;
  const kind = status === undefined ? 'interrupted' : 'rejected';
  const processed = status !== undefined && status < 500 ? 'no' : 'maybe';
  return new ServiceError('rejected', 1, 'what happened', { kind, processed, ...details });
}

describe('classifyFailure', () => {
  it.each([
    {
      name: '429',
      error: { status: 429, retryAfterMs: 60_000 },
      expected: { kind: 'rate-limited', retryAfterMs: 60_000 },
    },
    {
      name: '429 without Retry-After',
      error: { status: 429 },
      expected: { kind: 'rate-limited', retryAfterMs: undefined },
    },
    { name: 'no connection', error: { kind: 'unreachable', processed: 'no' }, expected: { kind: 'not-sent' } },
    {
      name: 'a connection that took too long',
      error: { kind: 'timeout', processed: 'no' },
      expected: { kind: 'not-sent' },
    },
    {
      name: 'an untrusted certificate',
      error: { kind: 'certificate', processed: 'no' },
      expected: { kind: 'fatal', ambiguous: false },
    },
    {
      name: 'a redirect',
      error: { kind: 'redirect', processed: 'maybe', status: 302 },
      expected: { kind: 'fatal', ambiguous: true },
    },
    ...[401, 403, 404, 405, 410, 415, 431].map((status) => ({
      name: String(status),
      error: { status },
      expected: { kind: 'fatal', ambiguous: false },
    })),
    ...[409, 425, 500].map((status) => ({
      name: String(status),
      error: { status },
      expected: { kind: 'ambiguous', reason: 'what happened', timedOut: false, mayBeRunning: false },
    })),
    ...[408, 502, 503, 504, 520, 522, 524].map((status) => ({
      name: `${status}, sent by what gave up on the service, which may keep working`,
      error: { status },
      expected: { kind: 'ambiguous', reason: 'what happened', timedOut: false, mayBeRunning: true },
    })),
    {
      name: 'a reset',
      error: { kind: 'interrupted' },
      expected: { kind: 'ambiguous', reason: 'what happened', timedOut: false, mayBeRunning: true },
    },
    {
      name: 'our own timeout',
      error: { kind: 'timeout' },
      expected: { kind: 'ambiguous', reason: 'what happened', timedOut: true, mayBeRunning: true },
    },
    {
      name: 'a response of the wrong shape',
      error: { kind: 'invalid-response', processed: 'maybe', status: 200 },
      expected: { kind: 'ambiguous', reason: 'what happened', timedOut: false, mayBeRunning: false },
    },
    {
      name: '413',
      error: { status: 413 },
      expected: { kind: 'too-large', limit: undefined, sure: true },
    },
    {
      name: '400 that speaks of a maximum',
      error: { status: 400, messages: ['Maximum 100 members allowed per bulk request'] },
      expected: { kind: 'too-large', limit: 100, sure: false },
    },
    {
      name: 'a maximum that is not smaller than the batch',
      error: { status: 422, messages: ['at most 1,000 members'] },
      expected: { kind: 'too-large', limit: undefined, sure: false },
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
      expected: {
        kind: 'rejected',
        named: new Map([
          [3, 'role should not be empty; x'],
          [17, 'department is longer than the maximum size'],
        ]),
      },
    },
    {
      name: 'entries named in brackets',
      error: { status: 422, messages: ['members[4].role: required'] },
      expected: { kind: 'rejected', named: new Map([[4, 'role: required']]) },
    },
    {
      name: 'an entry named by a JSON pointer',
      error: { status: 400, messages: ['/members/4/role: is required'] },
      expected: { kind: 'rejected', named: new Map([[4, 'role: is required']]) },
    },
    {
      name: 'an entry beyond the request',
      error: { status: 400, messages: ['members.500.role should not be empty'] },
      expected: { kind: 'rejected', named: new Map([[500, 'role should not be empty']]) },
    },
    ...['department is too long', 'Seat limit exceeded for your plan', 'name exceeds 50 characters'].map((message) => ({
      name: `400 that speaks of another size: ${message}`,
      error: { status: 400, messages: [message] },
      expected: { kind: 'rejected', named: new Map() },
    })),
    ...[
      { message: 'Request body exceeds the maximum of 1 MB', limit: undefined },
      { message: '413 Request Entity Too Large', limit: undefined },
      { message: 'no more than 250 entries', limit: 250 },
    ].map(({ message, limit }) => ({
      name: `413 with the message: ${message}`,
      error: { status: 413, messages: [message] },
      expected: { kind: 'too-large', limit, sure: true },
    })),
    {
      name: '400 without a message',
      error: { status: 400 },
      expected: { kind: 'rejected', named: new Map() },
    },
  ] as { name: string; error: Partial<ServiceErrorDetails>; expected: unknown }[])(
    'classifies $name',
    ({ error, expected }) => {
      expect(classifyFailure(failure(error), batch())).toEqual(expected);
    },
  );

  it.each([
    { name: 'a batch is ambiguous: others may have been added before it', request: batch(500), kind: 'ambiguous' },
    { name: 'a single row is rejected', request: batch(1), kind: 'rejected' },
    {
      name: 'a batch that is confirmed is rejected, and can be taken apart',
      request: batch(500, true),
      kind: 'rejected',
    },
  ])('409 that speaks of a member: $name', ({ request, kind }) => {
    const error = failure({ status: 409, messages: ['User a@b.c is already a member of this organization'] });
    expect(classifyFailure(error, request)).toMatchObject({ kind });
  });
});
