import { describe, expect, it } from 'vitest';
import { Secrets } from '../../src/output/redact.ts';
import { SEED, seededRandom } from '../helpers/seeded-random.ts';

/** A key with characters that JSON escapes. */
const KEY = 'sk+live/"0&1\\6789==';

function secretsOf(...secrets: string[]): Secrets {
  const created = new Secrets();
  created.add(...secrets);
  return created;
}

describe('a secret', () => {
  it('is replaced wherever it is, and nothing else', () => {
    const { redact } = secretsOf(KEY);
    expect(redact(`sk+${KEY}${KEY}sk`)).toBe('sk+******sk');
    expect(redact('sk+live sk+live/"0&1 sk')).toBe('sk+live sk+live/"0&1 sk');
  });

  it('is replaced as JSON escapes it, with and without escaped slashes, and the JSON remains valid', () => {
    const draws = seededRandom(SEED);
    const random = (length: number) =>
      Array.from({ length }, () => draws.pick(['"', '\\', '/', 'a', 'u', '0', '.'])).join('');
    for (let count = 0; count < 2_000; count++) {
      const secret = `${random(draws.int(0, 3))}KEYKEYKEY${random(draws.int(0, 3))}`;
      const value = `${random(draws.int(0, 2))}${secret}${random(draws.int(0, 2))}`;
      const json = JSON.stringify({ value });
      for (const written of [json, json.replaceAll('/', '\\/')]) {
        expect(JSON.parse(secretsOf(secret).redactJson(written))).toEqual({ value: value.replace(secret, '***') });
      }
    }
  });

  it('is replaced next to others, also if it begins like one of them', () => {
    const { redact } = secretsOf('0123456789', '0123456789abcdef', 'hunter2', '');
    expect(redact('0123456789abcdef: 0123456789, hunter2')).toBe('***: ***, ***');
  });
});

describe('a short secret', () => {
  it('is replaced only as a word of its own', () => {
    expect(secretsOf('test').redact('the latest test, "test" untested')).toBe('the latest ***, "***" untested');
  });

  it.each([
    ['1', '{"index":1,"list":[1, 21 ],"id":"usr 1"}', '{"index":1,"list":[1, 21 ],"id":"usr ***"}'],
    ['true', '{"verified":true}', '{"verified":true}'],
  ])('%s is replaced in the strings of JSON only', (secret, json, clean) => {
    expect(secretsOf(secret).redactJson(json)).toBe(clean);
  });
});
