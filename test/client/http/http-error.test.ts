import { describe, expect, it } from 'vitest';
import { extractErrorMessages } from '../../../src/client/http/http-error.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

describe('extractErrorMessages', () => {
  it.each<[string, unknown, string[]]>([
    [
      'one message',
      { message: 'Invalid or expired API key', error: 'Unauthorized', statusCode: 401 },
      ['Invalid or expired API key'],
    ],
    [
      'several messages',
      {
        message: ['members.3.role should not be empty', 'members.3.property email should not exist'],
        error: 'Bad Request',
        statusCode: 400,
      },
      ['members.3.role should not be empty', 'members.3.property email should not exist'],
    ],
    ['a message without error', { message: 'Internal server error', statusCode: 500 }, ['Internal server error']],
    [
      'problem+json',
      { type: 'about:blank', title: 'Forbidden', detail: 'No such right', status: 403 },
      ['Forbidden: No such right'],
    ],
    ['problem+json without detail', { title: 'Gone', status: 410 }, ['Gone']],
    [
      'problem+json with errors',
      { title: 'Invalid', errors: { name: ['too short', 'taken'] } },
      ['Invalid', 'name: too short', 'name: taken'],
    ],
    ['an error object', { error: { code: 'rate_limited', message: 'Slow down' } }, ['Slow down']],
    ['an error text', { error: 'nope' }, ['nope']],
    ['a list of errors', { errors: [{ message: 'a' }, { detail: 'b' }, 'c'] }, ['a', 'b', 'c']],
    [
      'messages with their places',
      {
        errors: [
          { field: 'name', message: 'too short' },
          { path: ['members', 3, 'role'], message: 'Required' },
          { instancePath: '/members/4/role', message: 'must be string' },
          { source: { pointer: '/name' }, title: 'Invalid', detail: 'taken' },
          { path: '/v1/roles/rol_1', message: 'not here' },
          { param: 'name', message: 'name is reserved' },
        ],
      },
      [
        'name: too short',
        'members.3.role: Required',
        '/members/4/role: must be string',
        '/name: Invalid: taken',
        'not here',
        'name is reserved',
      ],
    ],
    [
      'a list in detail',
      { detail: [{ loc: ['body', 'members', 0, 'role'], msg: 'field required' }] },
      ['body.members.0.role: field required'],
    ],
    [
      'a list of issues',
      { message: 'Invalid', issues: [{ path: ['name'], message: 'Required' }] },
      ['Invalid', 'name: Required'],
    ],
    ['OAuth', { error: 'invalid_token', error_description: 'The token expired' }, ['The token expired']],
    ['a JSON string', 'just words', ['just words']],
    ['a list of texts', ['a', 'b'], ['a', 'b']],
    ['an empty message next to an error', { message: '', error: 'Bad Request' }, ['Bad Request']],
    ['nothing known', { ok: false }, []],
    ['null', null, []],
    ['an empty list', { message: [] }, []],
  ])('extracts the messages of the JSON body with %s', (_name, body, messages) => {
    expect(extractErrorMessages(400, JSON_TYPE, JSON.stringify(body)).messages).toEqual(messages);
  });

  it.each<[string, string | undefined, string, string[]]>([
    ['a bare string', 'text/plain', 'upstream connect error\n', ['upstream connect error']],
    ['an empty body', undefined, '', []],
    [
      'the title of a page',
      'text/html',
      '<html><head><title>502\n Bad Gateway</title></head><body>x</body></html>',
      ['502 Bad Gateway'],
    ],
    [
      'JSON that calls itself a page',
      'text/html; charset=utf-8',
      '{"message":"Role name is taken"}',
      ['Role name is taken'],
    ],
    ['a page of no type', undefined, '<!DOCTYPE html><title lang="en">Sign in</title>', ['Sign in']],
    ['a page without a title', 'text/html', '<h1>Oops</h1>', []],
    ['JSON that was cut', JSON_TYPE, '{"message": "Maximum 1000 mem', ['{"message": "Maximum 1000 mem']],
  ])('extracts the messages of %s', (_name, type, text, messages) => {
    expect(extractErrorMessages(502, type, text).messages).toEqual(messages);
  });

  it.each<[unknown, string | undefined]>([
    [{ error: { code: 'rate_limited', message: 'Slow down' } }, 'rate_limited'],
    [{ code: 'P2002', message: 'taken' }, 'P2002'],
    [{ error: { type: 'auth', message: 'no' } }, 'auth'],
    [{ code: 400, message: 'bad' }, undefined],
    [{ message: 'bad' }, undefined],
  ])('extracts the error code of %j', (body, code) => {
    expect(extractErrorMessages(400, JSON_TYPE, JSON.stringify(body)).code).toBe(code);
  });

  it('keeps at most 50,000 messages of at most 1,000 characters', () => {
    const { messages } = extractErrorMessages(
      400,
      JSON_TYPE,
      JSON.stringify({ message: [...Array(3).fill('x'.repeat(2_000)), ...Array(50_000).fill('x')] }),
    );
    expect(messages).toHaveLength(50_000);
    expect(messages[0]).toBe(`${'x'.repeat(1_000)}…`);
  });

  it('returns nothing for a body that is nested without end', () => {
    const deep = `${'{"error":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`;
    expect(extractErrorMessages(400, JSON_TYPE, deep).messages).toEqual([]);
    expect(extractErrorMessages(400, JSON_TYPE, '['.repeat(100_000)).messages).toHaveLength(1);
  });
});
