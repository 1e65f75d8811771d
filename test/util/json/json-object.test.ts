import { describe, expect, it } from 'vitest';
import { flatten } from '../../../src/util/json/json-object.ts';

describe('flatten', () => {
  it('names nested values with dots, in their order', () => {
    const finding = {
      id: 'fnd_1',
      createdBy: { id: 'u1', user: { name: 'Ada', email: 'ada@example.com' } },
      task: null,
    };
    expect([...flatten(finding)]).toEqual([
      ['id', 'fnd_1'],
      ['createdBy.id', 'u1'],
      ['createdBy.user.name', 'Ada'],
      ['createdBy.user.email', 'ada@example.com'],
      ['task', null],
    ]);
  });

  it('does not divide lists and empty objects', () => {
    expect([...flatten({ tags: ['a', { b: 1 }], meta: {} })]).toEqual([
      ['tags', ['a', { b: 1 }]],
      ['meta', {}],
    ]);
  });

  it('reads only own keys, and accepts __proto__ as a name', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as object;
    expect([...flatten(value)]).toEqual([
      ['__proto__.polluted', true],
      ['constructor.x', 1],
    ]);
    expect('polluted' in {}).toBe(false);
  });
});
