import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../src/output/redact.ts';

/** A key with characters that JSON escapes. */
const KEY = 'sk+live/"0&1\\6789==';

function secretsOf(...secrets: string[]): Secrets {
  const created = new Secrets();
  created.add(...secrets);
  return created;
}

describe('a secret', () => {
  it.each([
    ['wherever it is, and nothing else', [KEY], `sk+${KEY}${KEY}sk+live/"0&1 sk`, 'sk+******sk+live/"0&1 sk'],
    ['next to others that begin alike', ['0123456789', '0123456789ab', ''], '0123456789ab: 0123456789', '***: ***'],
    [
      'only as a word of its own if it is short',
      ['test'],
      'the latest test, "test" untested',
      'the latest ***, "***" untested',
    ],
  ])('is replaced %s', (_name, secrets, text, clean) => {
    expect(secretsOf(...secrets).redact(text)).toBe(clean);
  });

  it.each([
    ['1', '{"index":1,"list":[1, 21 ],"id":"usr 1"}', '{"index":1,"list":[1, 21 ],"id":"usr ***"}'],
    ['true', '{"verified":true}', '{"verified":true}'],
  ])('that is short is replaced only in the strings of JSON: %s', (secret, json, clean) => {
    expect(secretsOf(secret).redactJson(json)).toBe(clean);
  });

  it('is replaced as JSON escapes it, and the JSON remains valid', () => {
    const characters = fc.string({ unit: fc.constantFrom('"', '\\', '/', 'a', 'u', '0', '.'), maxLength: 3 });
    fc.assert(
      fc.property(characters, characters, characters, characters, (before, start, end, after) => {
        const secret = `${start}KEYKEYKEY${end}`;
        const value = `${before}${secret}${after}`;
        const json = JSON.stringify({ value });
        for (const written of [json, json.replaceAll('/', '\\/')]) {
          expect(JSON.parse(secretsOf(secret).redactJson(written))).toEqual({ value: value.replace(secret, '***') });
        }
      }),
    );
  });
});
