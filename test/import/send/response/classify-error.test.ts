import { describe, expect, it } from 'vitest';
import { errorFromResponse, ServiceError } from '../../../../src/client/service-error.ts';
import { classifyFailure, messageOfFailure } from '../../../../src/import/send/response/classify-error.ts';

interface Failure {
  /** Undefined for no response. */
  status?: number;
  isAmbiguous?: boolean;
  messages?: readonly string[];
  text?: string;
}

function failure({ status, isAmbiguous = true, messages, text = '{}' }: Failure): ServiceError {
  if (status === undefined)
    return new ServiceError('unreachable', 6, 'what happened', { isAmbiguous, isTransient: true });
  const url = new URL('https://service.test');
  return errorFromResponse({
    ...{
      url,
      baseUrl: url.origin,
      status,
      headers: {},
      requestId: undefined,
      keyHint: undefined,
      redact: (text: string) => text,
      nowMs: 0,
    },
    text: messages === undefined ? text : JSON.stringify({ message: messages }),
  });
}

describe('classifyFailure', () => {
  it.each([
    {
      name: '429',
      error: { status: 429 },
      expected: { kind: 'rate-limited' },
    },
    { name: 'a request that was never sent', error: { isAmbiguous: false }, expected: { kind: 'not-processed' } },
    { name: 'a request without a response', error: { isAmbiguous: true }, expected: { kind: 'unknown' } },
    ...[401, 402, 403, 404, 405, 410, 415, 431, 451].map((status) => ({
      name: String(status),
      error: { status },
      expected: { kind: 'not-processed' },
    })),
    ...[408, 409, 425, 499, 500, 502, 503, 504, 507, 598].map((status) => ({
      name: String(status),
      error: { status },
      expected: { kind: 'unknown' },
    })),
    { name: 'a redirect', error: { status: 302 }, expected: { kind: 'unknown' } },
    {
      name: '400 that lists created members',
      error: { status: 400, text: '{"created": [{"id":"mem_1"}],"errors":[]}' },
      expected: { kind: 'unknown' },
    },
    {
      name: '400 that lists created members, with blanks in its JSON',
      error: { status: 400, text: '{"created" : [{"id":"mem_1"}]}' },
      expected: { kind: 'unknown' },
    },
    {
      name: '400 that lists created members without blanks in its JSON',
      error: { status: 400, text: '{"created":[{"id":"mem_1"}]}' },
      expected: { kind: 'unknown' },
    },
    {
      name: '429 that lists created members',
      error: { status: 429, text: '{"created": [{"id":"mem_1"}],"errors":[]}' },
      expected: { kind: 'unknown' },
    },
    {
      name: '400 with an empty list of created members',
      error: { status: 400, text: '{"created": [ ],"errors":[]}' },
      expected: { kind: 'rejected', named: new Map() },
    },
    {
      name: '413',
      error: { status: 413 },
      expected: { kind: 'too-large' },
    },
    {
      name: '422 that speaks of a maximum',
      error: { status: 422, messages: ['at most 100 members'] },
      expected: { kind: 'rejected', named: new Map() },
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
    ...['department is too long', 'Seat limit exceeded for your plan', 'name exceeds 50 characters'].map((message) => ({
      name: `400 that speaks of another size: ${message}`,
      error: { status: 400, messages: [message] },
      expected: { kind: 'rejected', named: new Map() },
    })),
    ...['Request body exceeds the maximum of 1 MB', '413 Request Entity Too Large'].map((message) => ({
      name: `413 with the message: ${message}`,
      error: { status: 413, messages: [message] },
      expected: { kind: 'too-large' },
    })),
    {
      name: '400 that names the last entry, and a maximum',
      error: { status: 400, messages: ['members.499.role: at most 100 entries'] },
      expected: { kind: 'rejected', named: new Map([[499, 'role: at most 100 entries']]) },
    },
    {
      name: '400 with a number of members that is no maximum',
      error: { status: 400, messages: ['3 members have no role'] },
      expected: { kind: 'rejected', named: new Map() },
    },
    {
      name: '400 without a message',
      error: { status: 400 },
      expected: { kind: 'rejected', named: new Map() },
    },
  ] as { name: string; error: Failure; expected: unknown }[])(
    'classifies $name as $expected.kind',
    ({ error, expected }) => {
      expect(classifyFailure(failure(error), 500)).toEqual(expected);
    },
  );
});

describe('messageOfFailure', () => {
  it('joins the messages of the service', () => {
    expect(messageOfFailure(failure({ status: 400, messages: ['role is missing', 'userId is empty'] }))).toBe(
      'role is missing; userId is empty',
    );
  });

  it('describes a failure without a message of the service', () => {
    expect(messageOfFailure(failure({ status: 400 }))).toBe('the service rejected the request (400)');
  });
});
