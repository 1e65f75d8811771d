import { describe, expect, it } from 'vitest';
import { findJsonSyntaxError } from '../../src/config/config-document.ts';

describe('findJsonSyntaxError', () => {
  it.each([
    '{}',
    '[]',
    ' [1, -2.5e3, true, false, null, "a\\u00e9\\n"] ',
    '{"a": {"b": []}, "c": {"b": 1}}',
    '"text"',
    '0',
    '{\r\n\t"a": ""\r\n}\r\n',
  ])('accepts %j', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(findJsonSyntaxError(text)).toBeUndefined();
  });

  it.each<[string, number, string]>([
    ['', 1, 'unexpected end of the text'],
    ['{', 1, 'unexpected end of the text'],
    ['{\n  "a": 1,\n}', 3, 'expected a key'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 'expected a comma or }'],
    ['{\n  "a" 1\n}', 2, 'expected a colon'],
    ['{\n  a: 1\n}', 2, 'expected a key or }'],
    ["{'a': 1}", 1, 'expected a key or }'],
    ['{"a": }', 1, 'expected a value'],
    ['[1\n2]', 2, 'expected a comma or ]'],
    ['[1,]', 1, 'expected a value'],
    ['[}', 1, 'expected a value or ]'],
    ['{"a": 1}\n{', 2, 'unexpected text after the end'],
    ['{"a": 01}', 1, 'expected a comma or }'],
    ['{"a": "line\nbreak"}', 1, 'expected a value'],
    ['{"a": "\\x"}', 1, 'expected a value'],
    ['{"a": undefined}', 1, 'expected a value'],
    ['// note\n{}', 1, 'expected a value'],
  ])('rejects %j with its line', (text, line, message) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonSyntaxError(text)).toEqual({ line, message });
  });

  it.each<[string, number, string]>([
    ['{"a": 1,\n "a": 2}', 2, 'duplicate key "a"'],
    ['{"a": 1, "\\u0061": 2}', 1, 'duplicate key "\\u0061"'],
  ])('rejects the duplicate key of %j, which JSON.parse would drop', (text, line, message) => {
    expect(findJsonSyntaxError(text)).toEqual({ line, message });
  });
});
