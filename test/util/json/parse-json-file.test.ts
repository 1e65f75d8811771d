import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/util/errors.ts';
import { parseJsonFile } from '../../../src/util/json/parse-json-file.ts';

function messageOf(text: string): string {
  try {
    parseJsonFile(text, 'a.json');
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the text is valid');
}

it('reads a file with a byte order mark', () => {
  expect(parseJsonFile('\ufeff{"a":1}', 'a.json')).toEqual({ a: 1 });
});

describe('the error for a file that is not JSON', () => {
  it.each([
    ['{\n  "a": 1,\n}', 'line 3, column 1: expected double-quoted property name'],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expected ',' or '}' after property value"],
    ['{"key": "sk_secret', 'line 1, column 19: unterminated string'],
    ['{"a": 1}\n{', 'line 2, column 1: unexpected non-whitespace character after JSON'],
    ['', 'unexpected end of JSON input'],
  ])('names the line, the column and the reason: %j', (text, description) => {
    expect(messageOf(text)).toMatch(new RegExp(`^a\\.json .*: ${description}$`));
  });

  it('repeats nothing of the text but the unexpected character', () => {
    expect(messageOf('{"apiKey": sk_secret_0123456789}')).toBe("a.json is not JSON: unexpected token 's'");
    expect(messageOf(`${' '.repeat(50)}{"apiKey": sk_secret_0123456789, "a": 1}`)).toBe(
      "a.json is not JSON: unexpected token 's'",
    );
  });
});
