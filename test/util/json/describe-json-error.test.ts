import { describe, expect, it } from 'vitest';
import { describeJsonError } from '../../../src/util/json/describe-json-error.ts';

function describeParsing(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return describeJsonError(text, error);
  }
  throw new Error('the text is valid');
}

describe('the description of a text that is not JSON', () => {
  it.each([
    ['{\n  "a": 1,\n}', 'line 3, column 1: expected double-quoted property name'],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expected ',' or '}' after property value"],
    ['{"key": "sk_secret', 'line 1, column 19: unterminated string'],
    ['{"a": 1}\n{', 'line 2, column 1: unexpected non-whitespace character after JSON'],
    ['', 'unexpected end of JSON input'],
  ])('names the line, the column and the reason: %j', (text, description) => {
    expect(describeParsing(text)).toBe(description);
  });

  it('repeats nothing of the text but the unexpected character', () => {
    expect(describeParsing('{"apiKey": sk_secret_0123456789}')).toBe("unexpected token 's'");
    expect(describeParsing(`${' '.repeat(50)}{"apiKey": sk_secret_0123456789, "a": 1}`)).toBe("unexpected token 's'");
  });
});
