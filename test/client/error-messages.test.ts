import { describe, expect, it } from 'vitest';
import { extractErrorMessages } from '../../src/client/error-messages.ts';

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
      ['Invalid', '{"name":["too short","taken"]}'],
    ],
    ['an error object', { error: { code: 'rate_limited', message: 'Slow down' } }, ['Slow down']],
    ['an error text', { error: 'nope' }, ['nope']],
    ['an error object with problem+json', { error: { title: 'Forbidden' } }, ['Forbidden']],
    [
      'a list of errors',
      { errors: ['a', { field: 'name', message: 'taken' }] },
      ['a', '{"field":"name","message":"taken"}'],
    ],
    ['an error object without a message', { error: { code: 'E1' } }, ['{"error":{"code":"E1"}}']],
    ['a JSON string', 'just words', ['just words']],
    ['a list of texts', ['a', 'b'], ['a', 'b']],
    ['an empty message next to an error', { message: '', error: 'Bad Request' }, ['Bad Request']],
    ['nothing known', { ok: false }, ['{"ok":false}']],
    ['null', null, ['null']],
    ['an empty list', { message: [] }, ['{"message":[]}']],
  ])('extracts the messages of the JSON body with %s', (_name, body, messages) => {
    expect(extractErrorMessages(JSON.stringify(body))).toEqual(messages);
  });

  it.each<[string, string, string[]]>([
    ['a bare string', 'upstream connect error\n', ['upstream connect error']],
    ['an empty body', '', []],
    [
      'the title of a page',
      '<html><head><title lang="en">502\n Bad Gateway</title></head><body>x</body></html>',
      ['502 Bad Gateway'],
    ],
    ['a page without a title', '<h1>Oops</h1>', []],
    ['JSON that was cut', '{"message": "Maximum 1000 mem', ['{"message": "Maximum 1000 mem']],
  ])('extracts the messages of %s', (_name, text, messages) => {
    expect(extractErrorMessages(text)).toEqual(messages);
  });

  it('cuts each message after 1,000 characters', () => {
    const [message] = extractErrorMessages(JSON.stringify({ message: 'x'.repeat(2_000) }));
    expect(message).toBe(`${'x'.repeat(1_000)}…`);
  });

  it.each([
    ['objects', `${'{"error":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`],
    ['lists', `{"message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('returns the start of a body of deeply nested %s', (_name, text) => {
    expect(extractErrorMessages(text)).toEqual([`${text.slice(0, 1_000)}…`]);
  });
});
