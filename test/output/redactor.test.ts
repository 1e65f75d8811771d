import { describe, expect, it } from 'vitest';
import { createRedactor, redactBytes } from '../../src/output/redactor.ts';
import { holdsKey, JSON_WRITERS, nestedSpellings, textSpellings } from '../helpers/key-spellings.ts';

/** A key with characters that JSON, URLs, HTML and base64 escape. */
const KEY = 'sk+live/"0&1\\6789==';
const PLAIN_KEY = 'orgadm_sk_live_4f9a8c7b6d5e4f3a2b1c';

describe.each([KEY, PLAIN_KEY])('the redactor of %s', (key) => {
  const redact = createRedactor([key]);

  it.each(textSpellings(key))('replaces the key %s', (name, spelling) => {
    const result = redact(`é🔑 a ${spelling} b ${spelling}`);
    expect(result).toMatch(/^é🔑 a \S{0,5}\*\*\*\S{0,6} b \S{0,5}\*\*\*\S{0,6}$/);
    if (!name.startsWith('in base64')) expect(result).toBe('é🔑 a *** b ***');
    expect(holdsKey(result, key)).toBe(false);
  });

  const written = JSON_WRITERS.flatMap(([writer, write]) =>
    textSpellings(key).map(([name, spelling]) => [name, writer, write, spelling] as const),
  );

  it.each(written)('replaces the key %s in %s, as a value and as a key', (name, _writer, write, spelling) => {
    const json = redact(`{"n": 1.10,\n${write(spelling)}: [${write(`my "key": ${spelling}!`)}]}`);
    expect(json).toMatch(/^\{"n": 1\.10,\n/);
    expect(holdsKey(json, key)).toBe(false);
    const [, [field = '', [value] = []] = []] = Object.entries<string[]>(JSON.parse(json));
    if (name.startsWith('in base64')) expect(value).toContain('***');
    else expect([field, value]).toEqual(['***', 'my "key": ***!']);
  });

  it.each(written)('replaces the key %s in %s that was cut off', (_name, _writer, write, spelling) => {
    const text = redact(`{"a":${write(`${spelling} and more`)}`);
    expect(text).toContain('***');
    expect(holdsKey(text, key)).toBe(false);
  });
});

describe.each([KEY, PLAIN_KEY, 'sk_live_ab/cd'])('the redactor of %s', (key) => {
  const redact = createRedactor([key]);

  it.each(nestedSpellings(key))(
    'replaces the key %s, in plain text, in JSON, and in JSON that was cut off',
    (_, spelling) => {
      const message = `upstream said ${spelling}`;
      for (const text of [message, JSON.stringify({ message }), `{"message":${JSON.stringify(message)}`]) {
        const clean = redact(text);
        expect(clean).toContain('***');
        expect(holdsKey(clean, key)).toBe(false);
      }
      expect(JSON.parse(redact(JSON.stringify({ message, other: 'a\\/b' })))).toMatchObject({ other: 'a\\/b' });
    },
  );
});

describe('the redactor', () => {
  const redact = createRedactor([KEY]);

  it.each([
    'sk+live sk+live/"0&1 sk',
    'C:\\\\temp\\n100 % of a%20b &amp; &lt;b&gt; "quoted" &#43;',
    '{"a":"\\u00e9\\ud83d\\udd11\\u0026\\/\\"","b":[1,2,3]}',
    '{"id": 12345678901234567890,\n "a": 1.10 }',
  ])('does not change %j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ['backslashes', '\\'],
    ['escaped backslashes', '\\u005c'],
    ['backslashes that are escaped again and again', 'u005c'],
    ['quotation marks', '\\"'],
    ['escapes that are cut off', '\\u007'],
  ])('is not slowed down by a megabyte of %s', (_name, piece) => {
    const text = `\\${piece.repeat(1_000_000 / piece.length)}`;
    expect(redact(text)).toBe(text);
    expect(redact(`${text}${KEY}`)).toContain('***');
  });

  it('replaces a key right after its own beginning', () => {
    expect(redact(`sk+${KEY}`)).toBe('sk+***');
    expect(redact(`${KEY}${KEY}sk`)).toBe('******sk');
  });

  it('changes only the strings of JSON that hold the key, and keeps hidden characters escaped', () => {
    const json = `{ "id": 12345678901234567890, "a": "\\u202e\\/", "b": ${JSON.stringify(`\u202e${KEY}`)} }`;
    expect(redact(json)).toBe('{ "id": 12345678901234567890, "a": "\\u202e\\/", "b": "\\u202e***" }');
  });

  it('replaces the key in bytes that are not UTF-8, and changes no other byte', () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0xe9), Buffer.from(PLAIN_KEY), Buffer.of(0x00, 0x9b)]);
    const clean = redactBytes(bytes, createRedactor([PLAIN_KEY]));
    expect(clean).toEqual(Buffer.concat([Buffer.of(0xff, 0xe9), Buffer.from('***'), Buffer.of(0x00, 0x9b)]));
  });

  it('replaces each of several secrets', () => {
    expect(createRedactor([PLAIN_KEY, 'hunter2'])(`${PLAIN_KEY}: hunter2, hunter22`)).toBe('***: ***, hunter22');
  });
});

describe('the redactor of a short key', () => {
  it('replaces it only as a separate word', () => {
    const redact = createRedactor(['test']);
    expect(redact('the latest test, "test" untested')).toBe('the latest ***, "***" untested');
  });

  it.each([
    ['1', '{"index":1,"list":[1, 21 ],"id":"usr_1"}'],
    ['true', '{"verified":true}'],
  ])('does not change the JSON value %s', (key, json) => {
    expect(createRedactor([key])(json)).toBe(json);
  });
});
