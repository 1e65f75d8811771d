import { describe, expect, it } from 'vitest';
import { errorFromResponse, type ServiceError } from '../../../../src/client/service-error.ts';
import { classifyFailure, messageOfFailure } from '../../../../src/import/send/response/classify-error.ts';

interface Failure {
  status: number;
  messages?: readonly string[];
  text?: string;
}

function failure({ status, messages, text = '{}' }: Failure): ServiceError {
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
    ...[402, 410, 451].map((status) => ({
      name: String(status),
      error: { status },
      expected: { kind: 'not-processed' },
    })),
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
      name: '400 with an empty list of created members',
      error: { status: 400, text: '{"created": [ ],"errors":[]}' },
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
