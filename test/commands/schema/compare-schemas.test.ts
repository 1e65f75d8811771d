import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../build/docs/schema-types.ts';
import { compareSchemas, type Direction } from './compare-schemas.ts';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer' };
const closedEnum: JsonSchema = { type: 'string', enum: ['a', 'b'] };
const openEnum: JsonSchema = { ...closedEnum, description: 'a code; later versions may add values' };

/** An object whose one field is required. */
const withField = (field: JsonSchema): JsonSchema => ({ type: 'object', properties: { field }, required: ['field'] });
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

function changesOf(released: JsonSchema, current: JsonSchema, direction: Direction = 'output') {
  const changes = compareSchemas(released, current, direction);
  const messages = (isBreaking: boolean) =>
    changes.filter((change) => change.isBreaking === isBreaking).map(({ message }) => message);
  return { breaking: messages(true), compatible: messages(false) };
}

describe('a change of an output', () => {
  it.each<[name: string, released: JsonSchema, current: JsonSchema, message: string]>([
    ['a removed field', withField(text), { type: 'object', properties: {} }, 'field: was removed'],
    ['another type', withField(text), withField(count), 'field: changed its type from string to integer'],
    [
      'a further type',
      withField(text),
      withField({ type: ['string', 'integer'] }),
      'field: can also be of type integer',
    ],
    ['a field that can be null', withField(text), withField(nullable(text)), 'field: became nullable'],
    ['an optional field', withField(text), { type: 'object', properties: { field: text } }, 'field: became optional'],
    ['a removed value', withField(closedEnum), withField({ type: 'string', enum: ['a'] }), 'field: lost the value "b"'],
    ['a new value of a closed enum', closedEnum, { ...closedEnum, enum: ['a', 'b', 'c'] }, '.: has a new value "c"'],
    [
      'a removed field of an element',
      { type: 'array', items: withField(text) },
      { type: 'array', items: { type: 'object', properties: {} } },
      '.[].field: was removed',
    ],
  ])('is breaking: %s', (_, released, current, message) => {
    expect(changesOf(released, current)).toEqual({ breaking: [message], compatible: [] });
  });

  it.each<[name: string, released: JsonSchema, current: JsonSchema, messages: string[]]>([
    ['a new field', { type: 'object', properties: {} }, withField(text), ['field: was added']],
    ['a required field', { type: 'object', properties: { field: text } }, withField(text), ['field: became required']],
    ['a new value of an open enum', openEnum, { ...openEnum, enum: ['a', 'b', 'c'] }, ['.: has a new value "c"']],
    ['a value that is no longer null', nullable(text), text, ['.: is no longer null']],
    ['another description', { ...text, description: 'a' }, { ...text, description: 'b', examples: ['c'] }, []],
  ])('is compatible: %s', (_, released, current, messages) => {
    expect(changesOf(released, current)).toEqual({ breaking: [], compatible: messages });
  });
});

describe('a change of an input', () => {
  it.each<[name: string, released: JsonSchema, current: JsonSchema, message: string]>([
    ['a removed field', withField(text), { type: 'object', properties: {} }, 'field: was removed'],
    ['a new required field', { type: 'object', properties: {} }, withField(text), 'field: was added'],
    ['a required field', { type: 'object', properties: { field: text } }, withField(text), 'field: became required'],
    ['a removed value', closedEnum, { ...closedEnum, enum: ['a'] }, '.: lost the value "b"'],
  ])('is breaking: %s', (_, released, current, message) => {
    expect(changesOf(released, current, 'input')).toEqual({ breaking: [message], compatible: [] });
  });

  it('is compatible if more is accepted', () => {
    const current = {
      type: 'object',
      properties: { field: nullable({ ...closedEnum, enum: ['a', 'b', 'c'] }), other: text },
    };
    expect(changesOf(withField(closedEnum), current, 'input')).toEqual({
      breaking: [],
      compatible: [
        'field: became optional',
        'field: became nullable',
        'field: has a new value "c"',
        'other: was added',
      ],
    });
  });
});
