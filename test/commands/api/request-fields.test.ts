import { describe, expect, it } from 'vitest';
import { objectOf, queryOf, rawField, typedField } from '../../../src/commands/api/api.ts';

const noFile = async (file: string) => `text of ${file}`;

describe('a typed field', () => {
  it.each([
    ['a=true', true],
    ['a=false', false],
    ['a=null', null],
    ['a=0', 0],
    ['a=-12', -12],
    ['a=', ''],
    ['a=True', 'True'],
    ['a=007', '007'],
    ['a=1.5', '1.5'],
    ['a=12345678901234567890', '12345678901234567890'],
    ['a=b=c', 'b=c'],
    ['a=@notes.txt', 'text of notes.txt'],
    ['a=@-', 'text of -'],
  ])('has the value that %s reads as: %j', async (text, value) => {
    expect(await typedField(text, noFile)).toEqual(['a', value]);
  });
});

describe('a raw field', () => {
  it('is text, whatever it looks like', () => {
    expect(rawField('a=true')).toEqual(['a', 'true']);
    expect(rawField('a=@file')).toEqual(['a', '@file']);
  });

  it.each(['a', '=a', ''])('rejects %j', (text) => {
    expect(() => rawField(text)).toThrow(`"${text}" is not of the form name=value`);
  });
});

describe('fields as an object', () => {
  it('nest by their names', () => {
    expect(
      objectOf([
        ['name', 'QA'],
        ['permissions[control][]', 'read'],
        ['permissions[control][]', 'update'],
        ['obligations[compliance]', true],
        ['ids[]', 1],
      ]),
    ).toEqual({
      name: 'QA',
      permissions: { control: ['read', 'update'] },
      obligations: { compliance: true },
      ids: [1],
    });
  });

  it('may be named __proto__', () => {
    const object = objectOf([['__proto__[admin]', true]]);
    expect(JSON.stringify(object)).toBe('{"__proto__":{"admin":true}}');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  it.each([[['a', 'a']], [['a', 'a[b]']], [['a[b]', 'a']], [['a', 'a[]']], [['a[]', 'a[b]']]])(
    'are rejected if their names contradict each other: %j',
    (names) => {
      expect(() => objectOf(names.map((name) => [name, 1]))).toThrow(/^the field ".*" conflicts with an earlier one$/);
    },
  );

  it.each(['a[', 'a]b', '[a]', 'a[][b]', 'a[b]c', ''])('are rejected if one is named %j', (name) => {
    expect(() => objectOf([[name, 1]])).toThrow(`"${name}" is not a valid field name`);
  });
});

describe('fields as a query', () => {
  it('keep their names and their order', () => {
    expect(
      queryOf([
        ['ids[]', 'b'],
        ['ids[]', 'a'],
        ['all', true],
        ['none', null],
      ]),
    ).toEqual([
      ['ids[]', 'b'],
      ['ids[]', 'a'],
      ['all', 'true'],
      ['none', ''],
    ]);
  });
});
