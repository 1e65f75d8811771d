import { describe, expect, it } from 'vitest';
import { renderCell, renderJson, renderJsonLine } from '../../src/output/json.ts';

describe('JSON output', () => {
  it('is indented by two spaces, and has every field', () => {
    expect(renderJson({ id: 'a', nested: { list: [1, null] } })).toBe(
      '{\n  "id": "a",\n  "nested": {\n    "list": [\n      1,\n      null\n    ]\n  }\n}',
    );
    expect(renderJson(undefined)).toBe('null');
  });

  it('has no line break inside a line of ndjson', () => {
    expect(renderJsonLine({ text: 'a\nb\u2028c\u009b' })).toBe('{"text":"a\\nb\\u2028c\\u009b"}\n');
  });
});

describe('renderCell', () => {
  it.each<[unknown, string]>([
    ['text', 'text'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [true, 'true'],
    [false, 'false'],
    [[], ''],
    [['read', 'update'], 'read, update'],
    [[1, null, 'a'], '1, , a'],
    [[{ a: 1 }], '[{"a":1}]'],
    [{}, '{}'],
    [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
  ])('renders %j as %j', (value, text) => {
    expect(renderCell(value)).toBe(text);
  });
});
