import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';
import { errorOf, textsOf } from './tables.ts';

const TWO = { columns: ['userId', 'role'], rows: [['u1', 'member'], ['u2', 'admin']] }; // biome-ignore format: a table
const PEOPLE = [
  { userId: 'u1', role: 'member' },
  { userId: 'u2', role: 'admin' },
];

describe('a JSON list of two people', () => {
  it.each([
    ['an array', JSON.stringify(PEOPLE), {}],
    ['an array with a byte order mark and line breaks', `\ufeff\n${JSON.stringify(PEOPLE, null, 2)}\n`, {}],
    ['one object a line', PEOPLE.map((one) => JSON.stringify(one)).join('\n'), {}],
    [
      'one object a line, with blank lines',
      `\n${PEOPLE.map((one) => JSON.stringify(one)).join('\r\n\r\n')}\n`,
      { format: 'ndjson' },
    ],
    ['an array that --records names', JSON.stringify({ data: { items: PEOPLE } }), { records: 'data.items' }],
  ] as const)('is read as %s', async (_name, content, options) => {
    expect(await textsOf(content, options)).toEqual(TWO);
  });
});

it('names inner values by their path, and leaves blank what an element does not have', async () => {
  const list = [
    { id: 'u1', profile: { login: 'a@b.c', team: null }, roles: ['admin', 'member'] },
    { id: 'u2', roles: [], profile: {} },
    { id: 3, active: true, profile: 'none' },
  ];
  expect(await textsOf(JSON.stringify(list))).toEqual({
    columns: ['id', 'profile.login', 'profile.team', 'roles.0', 'roles.1', 'roles', 'profile', 'active'],
    rows: [
      ['u1', 'a@b.c', '', 'admin', 'member', '', '', ''],
      ['u2', '', '', '', '', '', '', ''],
      ['3', '', '', '', '', '', 'none', 'true'],
    ],
  });
});

it.each([
  [
    '{"data": {"items": [1, 2]}, "rest": []}',
    {},
    'is a JSON object, not an array',
    '--records data.items. Its arrays: data.items (2 elements), rest (0 elements)',
  ],
  ['{"data": [1]}', { records: 'items' }, '--records: no array is at "items"', 'data (1 element)'],
  ['{"userId": "u1"}', {}, 'is a JSON object', '--format ndjson'],
  ['[{"a": 1}]', { records: 'a' }, '--records a: the document is an array itself', 'Remove --records'],
  ['[{"a": 1}, 2]', {}, 'element 2 is a number, not an object', ''],
  ['[[1]]', {}, 'element 1 is an array, not an object', ''],
  [' ', { format: 'json' }, 'standard input is empty', ''],
  ['"text"', { format: 'json' }, 'is JSON, but not an array', ''],
  ['{"a": 1}\n{"a": \n', {}, 'line 2 is not JSON', ''],
  ['{"a": 1}\n[1]\n', {}, 'line 2 is an array, not an object', ''],
] as const)('says why it cannot read %j', async (content, options, message, hint) => {
  const error = await errorOf(content, options);
  expect(error).toContain(message);
  expect(error).toContain(hint);
});

it('rejects deep nesting, and more names than any list has', async () => {
  expect(await errorOf(`[{"a": ${'['.repeat(100)}${']'.repeat(100)}}]`)).toContain('more than 64 levels');
  expect(await errorOf(JSON.stringify([{ a: new Array(10_001).fill(1) }]))).toContain(
    'more than 10000 different names',
  );
});

it('returns any texts of any keys as they were written', async () => {
  const text = fc.string({ unit: ANY_CHARACTER, maxLength: 6 });
  const property = fc.asyncProperty(
    fc.uniqueArray(
      text.filter((key) => key !== ''),
      { minLength: 1, maxLength: 4 },
    ),
    fc.array(fc.array(text, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
    fc.boolean(),
    async (keys, rows, isNdjson) => {
      const list = rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at] ?? ''])));
      const json = isNdjson ? list.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(list);
      const { rows: read } = await textsOf(json, { format: isNdjson ? 'ndjson' : 'json' });
      expect(read.map((cells) => cells.toSorted())).toEqual(list.map((one) => Object.values(one).toSorted()));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
