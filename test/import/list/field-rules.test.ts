import { describe, expect, it } from 'vitest';
import { invalidFieldsOf, problemsOf, readListText, valuesOf } from './read-list.ts';

const HEADER = 'userId,role,department,isActive,deviceMgmtLabelId\n';

describe('booleans', () => {
  it.each([
    [true, 'true TRUE Yes 1 on Active ENABLED WAHR VRAI VERDADERO VERDADEIRO VERO'],
    [false, 'false No 0 off Inactive DISABLED FALSCH FAUX FALSO'],
  ])('reads each word of exports and spreadsheets for %s: %s', async (isActive, words) => {
    for (const word of words.split(' '))
      expect(await valuesOf(`${HEADER}u1,m,,${word},\n`), word).toEqual([{ userId: 'u1', role: 'm', isActive }]);
  });

  it.each(['maybe', 'Suspended', '2', 'x', '-'])('rejects %s as a boolean', async (word) => {
    expect(await invalidFieldsOf(`${HEADER}u1,m,,${word},\n`)).toEqual(['line 2: isActive']);
  });

  it('names the option that translates another word', async () => {
    expect(await problemsOf(`${HEADER}u1,m,,maybe,\n`)).toEqual([
      'line 2: isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0, or add --map-value \'isActive:maybe=<true or false>\')',
    ]);
  });
});

describe('integers', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['-12', -12],
    ['+12', 12],
    ['-0', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ])('reads the integer %s', async (text, deviceMgmtLabelId) => {
    expect(await valuesOf(`${HEADER}u1,m,,,${text}\n`)).toEqual([{ userId: 'u1', role: 'm', deviceMgmtLabelId }]);
  });

  it.each(['1.5', '1e3', '0x10', '9007199254740992', '12 000', '٣', 'x', '-'])(
    'rejects %s as an integer',
    async (text) => {
      expect(await invalidFieldsOf(`${HEADER}u1,m,,,${text}\n`)).toEqual(['line 2: deviceMgmtLabelId']);
    },
  );

  it('says which integers there are', async () => {
    expect(await problemsOf(`${HEADER}u1,m,,,1.5\n`)).toEqual([
      'line 2: deviceMgmtLabelId: "1.5" is not an integer in digits, up to ±9007199254740991',
    ]);
  });
});

describe('a row', () => {
  it('is reported with all its errors', async () => {
    const { rows, check } = await readListText(`${HEADER.replace('isActive', 'Active')},,"i\u0007t", so ,1.0\n`);
    expect(check).toMatchObject({ total: 1, invalid: 1 });
    expect(rows[0]?.member).toBeUndefined();
    expect(rows[0]?.issues.map(({ field }) => field)).toEqual([
      'department',
      'isActive',
      'deviceMgmtLabelId',
      'userId',
      'role',
    ]);
    expect(rows[0]?.issues[1]?.message).toMatch(/^isActive \(column "Active"\): "so" /);
  });

  it('is reported if it repeats an invalid value of an earlier one', async () => {
    expect(await invalidFieldsOf(`${HEADER}u1,m,,maybe,\nu2,m,,maybe,\nu3,m,,no,\n`)).toEqual([
      'line 2: isActive',
      'line 3: isActive',
    ]);
  });

  it('has no value of an earlier one', async () => {
    expect(await valuesOf(`${HEADER}u1,m,it,,7\nu2,m,,,\nu3,m\n`)).toStrictEqual([
      { userId: 'u1', role: 'm', department: 'it', deviceMgmtLabelId: 7 },
      { userId: 'u2', role: 'm' },
      { userId: 'u3', role: 'm' },
    ]);
    expect(await problemsOf(`${HEADER}u1,m,,,\n,m,,,\n`)).toEqual(['line 3: userId is missing']);
  });

  it('is reported once if its id is invalid, and not also as missing', async () => {
    expect(await problemsOf(`${HEADER}"u\n1",m,,,\n`)).toEqual([
      'line 2: userId: "u 1" contains a space, so it is not an ID',
    ]);
  });

  it('is reported with the start of a long value', async () => {
    expect(await problemsOf(`${HEADER}u1,m,,${'é'.repeat(500)},\n`)).toEqual([
      expect.stringMatching(/^line 2: isActive: "é{60}…" .*, or translate it with --map-value\)$/),
    ]);
  });
});

describe('a duplicate id', () => {
  it('makes the later row invalid, and names the line of the first', async () => {
    const { rows, check } = await readListText(`${HEADER}u1,m,,,\nu2,m,,,\n\n u1 ,m,,,\nu1,m,,,\nU1,m,,,\n`);
    expect(rows.map((row) => row.issues.map((problem) => problem.message))).toEqual([
      [],
      [],
      ['duplicate userId (first on line 2)'],
      ['duplicate userId (first on line 2)'],
      [],
    ]);
    expect([check.total, check.invalid]).toEqual([5, 2]);
    expect(rows.map((row) => row.member?.userId)).toEqual(['u1', 'u2', undefined, undefined, 'U1']);
    expect(rows[3]?.fields.userId).toBe('u1');
  });

  it('is reported also if the first row is invalid for another reason', async () => {
    expect(await problemsOf(`${HEADER}u1,,,,\nu1,m,,,\n`)).toEqual([
      'line 2: role is missing',
      expect.stringMatching(/^line 3: .* userId .* line 2\)$/),
    ]);
  });
});
