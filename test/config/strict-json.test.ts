import { describe, expect, test } from 'vitest';
import { findJsonSyntaxError } from '../../src/config/config-file.ts';

describe('a text that is JSON', () => {
  test.each([
    '{}',
    '[]',
    ' [1, -2.5e3, true, false, null, "a\\u00e9\\n"] ',
    '{"a": {"b": []}, "c": {"b": 1}}',
    '"text"',
    '0',
    '{\r\n\t"a": ""\r\n}\r\n',
  ])('%j has no fault', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(findJsonSyntaxError(text)).toBeUndefined();
  });
});

describe('a text that is not', () => {
  test.each<[string, number, string]>([
    ['', 1, 'the text ends too early'],
    ['{', 1, 'the text ends too early'],
    ['{\n  "a": 1,\n}', 3, 'expected a key'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 'expected a comma or }'],
    ['{\n  "a" 1\n}', 2, 'expected a colon'],
    ['{\n  a: 1\n}', 2, 'expected a key or }'],
    ["{'a': 1}", 1, 'expected a key or }'],
    ['{"a": }', 1, 'expected a value'],
    ['[1\n2]', 2, 'expected a comma or ]'],
    ['[1,]', 1, 'expected a value'],
    ['[}', 1, 'expected a value or ]'],
    ['{"a": 1}\n{', 2, 'something follows the end'],
    ['{"a": 01}', 1, 'expected a comma or }'],
    ['{"a": "line\nbreak"}', 1, 'expected a value'],
    ['{"a": "\\x"}', 1, 'expected a value'],
    ['{"a": undefined}', 1, 'expected a value'],
    ['// note\n{}', 1, 'expected a value'],
  ])('%j is told by its line', (text, line, message) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonSyntaxError(text)).toEqual({ line, message });
  });

  test.each<[string, number, string]>([
    ['{"a": 1,\n "a": 2}', 2, 'the key "a" stands twice'],
    ['{"a": 1, "\\u0061": 2}', 1, 'the key "\\u0061" stands twice'],
  ])('%j has a key twice, of which JSON.parse would drop one', (text, line, message) => {
    expect(findJsonSyntaxError(text)).toEqual({ line, message });
  });
});
