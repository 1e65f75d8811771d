import { describe, expect, it } from 'vitest';
import { createRedactor, redactBytes } from '../../src/output/redactor.ts';
import { holdsKey, JSON_WRITERS, nestedSpellings, textSpellings } from '../helpers/key-spellings.ts';

/** A key with characters that JSON, URLs, HTML and base64 escape. */
const KEY = 'sk+live/"0&1\\6789==';
const PLAIN_KEY = 'orgadm_sk_live_4f9a8c7b6d5e4f3a2b1c';

describe('the redactor', () => {
  const redact = createRedactor([KEY]);

  it.each(textSpellings(KEY))(
    'replaces the key %s, in plain text, in JSON, and in JSON that was cut off',
    (_, spelling) => {
      const quoted = JSON.stringify(`a ${spelling} b`);
      const texts: [text: string, times: number][] = [
        [`é🔑 a ${spelling} b ${spelling}`, 2],
        [`{"n": 1.10,\n${quoted}: [${quoted}]}`, 2],
        [`{"a":${quoted}`, 1],
      ];
      for (const [text, times] of texts) {
        const clean = redact(text);
        expect(clean.split('***')).toHaveLength(times + 1);
        expect(holdsKey(clean, KEY)).toBe(false);
      }
      expect(Object.keys(JSON.parse(redact(`{"n": 1.10, ${quoted}: 1}`)))).toHaveLength(2);
    },
  );

  it.each(JSON_WRITERS)('replaces the key in %s, as a value and as a key', (_, write) => {
    const json = redact(`{"n": 1.10,\n${write(KEY)}: [${write(`my "key": ${KEY}!`)}]}`);
    expect(json).toMatch(/^\{"n": 1\.10,\n/);
    expect(JSON.parse(json)).toEqual({ n: 1.1, '***': ['my "key": ***!'] });
  });

  it.each(nestedSpellings(KEY))('replaces the key %s, and nothing else', (_, spelling) => {
    const message = `upstream said ${spelling}`;
    expect(holdsKey(redact(message), KEY)).toBe(false);
    const clean = redact(JSON.stringify({ message, other: 'a\\/b' }));
    expect(holdsKey(clean, KEY)).toBe(false);
    expect(JSON.parse(clean)).toEqual({ message: expect.stringContaining('***'), other: 'a\\/b' });
  });

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
