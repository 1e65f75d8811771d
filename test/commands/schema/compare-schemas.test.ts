import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../build/docs/schema-types.ts';
import { compareSchemas, type Direction } from './compare-schemas.ts';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
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
    ['any type', withField(text), withField({}), 'field: changed its type from string to any'],
    [
      'a further type',
      withField(text),
      withField({ type: ['string', 'integer'] }),
      'field: can also be of type integer',
    ],
    [
      'a further object',
      { anyOf: [withField(text)] },
      { anyOf: [withField(text), { type: 'object' }] },
      '.: can also be of type object',
    ],
    ['a lost type', withField({ type: ['string', 'integer'] }), withField(text), 'field: is no longer of type integer'],
    ['a field that can be null', withField(text), withField(nullable(text)), 'field: became nullable'],
    [
      'a field that can be null in a list of types',
      withField(text),
      withField({ type: ['string', 'null'] }),
      'field: became nullable',
    ],
    ['an optional field', withField(text), { type: 'object', properties: { field: text } }, 'field: became optional'],
    ['a removed value', withField(closedEnum), withField({ type: 'string', enum: ['a'] }), 'field: lost the value "b"'],
    ['a removed value of an open enum', openEnum, { ...openEnum, enum: ['b'] }, '.: lost the value "a"'],
    ['a new value of a closed enum', closedEnum, { ...closedEnum, enum: ['a', 'b', 'c'] }, '.: has a new value "c"'],
    ['a text instead of an enum', closedEnum, text, '.: is no longer an enum'],
    [
      'another constant',
      { type: 'string', const: 'a' },
      { type: 'string', const: 'b' },
      '.: changed its type from "a" to "b"',
    ],
    ['a lost format', withField(time), withField(text), 'field: changed its format from date-time to none'],
    [
      'a removed field of an element',
      { type: 'array', items: withField(text) },
      { type: 'array', items: { type: 'object', properties: {} } },
      '.[].field: was removed',
    ],
    [
      'a removed field of an object that can be null',
      withField(nullable(withField(text))),
      withField(nullable({ type: 'object', properties: {} })),
      'field.field: was removed',
    ],
    [
      'another type of the values of a map',
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: count },
      '..<name>: changed its type from string to integer',
    ],
  ])('is breaking: %s', (_, released, current, message) => {
    expect(changesOf(released, current)).toEqual({ breaking: [message], compatible: [] });
  });

  it.each<[name: string, released: JsonSchema, current: JsonSchema, messages: string[]]>([
    ['a new field', { type: 'object', properties: {} }, withField(text), ['field: was added']],
    ['a required field', { type: 'object', properties: { field: text } }, withField(text), ['field: became required']],
    ['a new value of an open enum', openEnum, { ...openEnum, enum: ['a', 'b', 'c'] }, ['.: has a new value "c"']],
    ['a value that is no longer null', nullable(text), text, ['.: is no longer null']],
    ['a format', text, time, ['.: changed its format from none to date-time']],
    ['another description', { ...text, description: 'a' }, { ...text, description: 'b', examples: ['c'] }, []],
    ['the same types, written differently', nullable(text), { type: ['string', 'null'] }, []],
  ])('is compatible: %s', (_, released, current, messages) => {
    expect(changesOf(released, current)).toEqual({ breaking: [], compatible: messages });
  });
});

describe('a change of an input', () => {
  it.each<[name: string, released: JsonSchema, current: JsonSchema, message: string]>([
    ['a removed field', withField(text), { type: 'object', properties: {} }, 'field: was removed'],
    ['a new required field', { type: 'object', properties: {} }, withField(text), 'field: was added'],
    ['a required field', { type: 'object', properties: { field: text } }, withField(text), 'field: became required'],
    ['a value that can no longer be null', nullable(text), text, '.: is no longer null'],
    ['a removed value', closedEnum, { ...closedEnum, enum: ['a'] }, '.: lost the value "b"'],
    ['an enum instead of a text', text, closedEnum, '.: became an enum'],
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
