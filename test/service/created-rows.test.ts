import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Member, userOf } from '../../src/service/bulk-rows.ts';
import { readCreatedRows } from '../../src/service/created-rows.ts';
import { identifierOf } from '../../src/service/identifier.ts';
import { parseJson } from '../../src/service/json.ts';

/** As a service answers the creation of two members (interface 4.2). */
const ANSWER = `{
  "created": [
    { "id": "mem_1", "organizationId": "org_1", "userId": "usr_1", "role": "member", "isActive": true,
      "user": { "id": "usr_1", "name": "Ada \\"the first\\" Łódź", "image": null } },
    { "userId": "usr_2", "organizationId": "org_1", "labels": [1, 2.5e3, {}, []] }
  ],
  "errors": [{ "index": 2, "userId": "usr_3", "error": "User not found" }],
  "summary": { "total": 3, "successful": 2, "failed": 1 }
}`;

const read = (text: string) => readCreatedRows(Buffer.from(text));

describe('the created members of an answer', () => {
  it('are read with their identifiers, and the rest is left', () => {
    const found = read(ANSWER);
    expect(found?.rows).toEqual([
      { userId: 'usr_1', organizationId: 'org_1' },
      { userId: 'usr_2', organizationId: 'org_1' },
    ]);
    expect(found?.rest).toEqual({
      created: [],
      errors: [{ index: 2, userId: 'usr_3', error: 'User not found' }],
      summary: { total: 3, successful: 2, failed: 1 },
    });
  });

  it.each([
    ['that of the embedded user does not', '{"created":[{"user":{"userId":"x"},"userId":"a"}]}', ['a']],
    ['they may come last', '{"errors":[{"error":"é"}],"created":[{"userId":"a"}]}', ['a']],
    [
      'each may have another shape',
      '{"created":[{"userId":"a","b":1},{"userId":"b"},{"c":[{}],"userId":"c"}]}',
      ['a', 'b', 'c'],
    ],
    [
      'values may be of any kind',
      '{"created":[{"userId":"a","b":null},{"userId":"b","b":-1.5e+3},{"userId":"c","b":"\\u00e9\\\\"}]}',
      ['a', 'b', 'c'],
    ],
    [
      'keys may hold what means something in a pattern',
      '{"created":[{".*(+[":1,"userId":"a"},{".*(+[":2,"userId":"b"}]}',
      ['a', 'b'],
    ],
    ['a byte order mark', '\ufeff{"created":[{"userId":"a"}]}', ['a']],
    ['white space of all kinds', '\r\n{\t"created" :[ {"userId": "a" } ,{ "userId":"b"}\n]\n}\n', ['a', 'b']],
  ])('%s', (_, text, ids) => {
    expect(read(text)?.rows.map(({ userId }) => userId)).toEqual(ids);
  });

  it.each([
    ['nobody', '{"created":[]}'],
    ['no such key', '{"errors":[]}'],
    ['the key twice', '{"created":[{"userId":"a"}],"created":[{"userId":"b"}]}'],
    ['the key in other letters', '{"\\u0063reated":[{"userId":"b"}],"created":[{"userId":"a"}]}'],
    ['no array', '{"created":{"userId":"a"}}'],
    ['an array at the top', '[{"userId":"a"}]'],
    ['an element that is no object', '{"created":[{"userId":"a"},null]}'],
    ['a member without an id', '{"created":[{"user":{"id":"a"}}]}'],
    ['an empty member', '{"created":[{}]}'],
    ['an empty id', '{"created":[{"userId":""}]}'],
    ['an id that is a number', '{"created":[{"userId":12345678901234567890}]}'],
    ['an id with an escape', '{"created":[{"userId":"\\u0061"}]}'],
    ['an id whose key has an escape', '{"created":[{"userId":"a","\\u0075serId":"b"}]}'],
    ['an organization that is none', '{"created":[{"userId":"a","organizationId":null}]}'],
    ['an id twice', '{"created":[{"userId":"a","userId":"b"}]}'],
    ['an id that is not of ASCII', '{"created":[{"userId":"é"}]}'],
    ['those of another key', '{"result":{"created":[{"userId":"b"}]},"created":[{"userId":"a"}]}'],
    ['another key that means the same', '{"created":[{"userId":"a"}],"\\u0063reated":[]}'],
    ['as many shapes as members', `{"created":[${Array.from({ length: 20 }, (_, at) => `{"userId":"a","${at}":1}`)}]}`],
    ['a comma at the end', '{"created":[{"userId":"a"},]}'],
    ['no comma', '{"created":[{"userId":"a"} {"userId":"b"}]}'],
    ['a comma at the end of a member', '{"created":[{"userId":"a",}]}'],
    ['a key without a value', '{"created":[{"userId":"a","b"}]}'],
    ['a value without a key', '{"created":[{"userId":"a",1}]}'],
    ['a bracket that does not fit', '{"created":[{"userId":"a","b":[1}}]}'],
    ['a control character', '{"created":[{"userId":"a","b":"\n"}]}'],
    ['an escape that is none', '{"created":[{"userId":"a","b":"\\x"}]}'],
    ['a number that is none', '{"created":[{"userId":"a","b":01}]}'],
    ['a word that is none', '{"created":[{"userId":"a","b":nul}]}'],
    [
      'a member of a thousand values',
      `{"created":[{${Array.from({ length: 1_000 }, (_, at) => `"${at}":1,`).join('')}"userId":"a"}]}`,
    ],
    ['a member that goes down too far', `{"created":[{"userId":"a","b":${'['.repeat(65)}${']'.repeat(65)}}]}`],
    ['something after it', '{"created":[{"userId":"a"}]} x'],
    ['half of it', '{"created":[{"userId":"a"},{"userI'],
    ['nothing', ''],
  ])('are left to the long way: %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each([0, 1, 2, '\t'])('are all found in a long answer, with white space %j', (space) => {
    const users = Array.from({ length: 2_000 }, (_, at) => `usr_${at}`);
    const created = users.map((userId) => ({ userId, user: { name: 'é'.repeat(userId.length * 7) } }));
    const found = read(JSON.stringify({ created, authType: 'api-key' }, null, space));
    expect(found?.rows.map(({ userId }) => userId)).toEqual(users);
    expect(found?.rest).toEqual({ created: [], authType: 'api-key' });
  });

  it('are those that parsing the whole text gives, whatever stands there', () => {
    const odd = fc.constantFrom('with "quote"', '', 'back\\slash', 'é監🎉', 7, null);
    const identifier = fc.oneof({ weight: 30, arbitrary: fc.constantFrom('a', 'b', 'usr_0001') }, odd);
    const member = fc.record(
      { userId: identifier, organizationId: identifier, user: fc.record({ id: identifier }), more: fc.jsonValue() },
      { requiredKeys: ['userId'] },
    );
    const answer = fc.record(
      { errors: fc.array(fc.jsonValue()), created: fc.array(member, { minLength: 1 }), authType: fc.string() },
      { requiredKeys: ['created'] },
    );
    const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom('"', ',', '}', '{', ']', ':', '\\', ' ', '0', '')));
    let fast = 0;
    const property = fc.property(answer, fc.constantFrom('', ' ', '\t'), damage, (value, space, harm) => {
      const whole = JSON.stringify(value, null, space);
      const text = harm === null ? whole : damaged(whole, ...harm);
      const found = read(text);
      if (found === undefined) return;
      fast++;
      const { created, ...rest } = parseJson(text) as { created: Member[] };
      expect(found.rows).toEqual(
        created.map((one) => ({ userId: userOf(one), organizationId: identifierOf(one.organizationId) })),
      );
      expect(found.rest).toEqual({ created: [], ...rest });
    });
    fc.assert(property, { numRuns: 3000 });
    expect(fast).toBeGreaterThan(300);
  });
});

/** The text with one character replaced. */
function damaged(text: string, place: number, by: string): string {
  const characters = [...text];
  characters[place % characters.length] = by;
  return characters.join('');
}
