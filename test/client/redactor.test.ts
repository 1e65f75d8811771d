import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, type Redactor } from '../../src/client/redactor.ts';
import { holdsKey, JSON_WRITERS, textSpellings } from '../helpers/key-spellings.ts';

/** A key with characters that JSON, URLs, HTML and base64 escape. */
const KEY = 'sk+live/"0&1\\6789==';
const PLAIN_KEY = 'orgadm_sk_live_4f9a8c7b6d5e4f3a2b1c';

async function redactedChunks(stream: Redactor['stream'], chunks: Iterable<Buffer>): Promise<string> {
  const source = async function* () {
    yield* chunks;
  };
  const parts: Buffer[] = [];
  for await (const part of stream(source())) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Redacts a text, and checks that the result is the same if it comes in chunks: a byte each, or two, cut at up to `places`. */
async function redactedEverywhere(text: string, key = KEY, places = 200): Promise<string> {
  const { redact, stream } = createRedactor(key);
  const streamed = (pieces: Iterable<Buffer>) => redactedChunks(stream, pieces);
  const complete = redact(text);
  const bytes = Buffer.from(text);
  expect(await streamed([bytes])).toBe(complete);
  expect(await streamed(Array.from(bytes, (byte) => Buffer.of(byte)))).toBe(complete);
  const others = new Set<string>();
  for (let at = 1; at < bytes.length; at += Math.ceil(bytes.length / places))
    others.add(await streamed([bytes.subarray(0, at), bytes.subarray(at)]));
  expect([...others]).toEqual([complete]);
  return complete;
}

describe.each([KEY, PLAIN_KEY])('the redactor of %s', (key) => {
  it.each(textSpellings(key))('replaces the key %s', async (name, spelling) => {
    const result = await redactedEverywhere(`é🔑 a ${spelling} b ${spelling}`, key);
    expect(result).toMatch(/^é🔑 a \S{0,5}\*\*\*\S{0,6} b \S{0,5}\*\*\*\S{0,6}$/);
    if (!name.startsWith('in base64')) expect(result).toBe('é🔑 a *** b ***');
    expect(holdsKey(result, key)).toBe(false);
  });

  it.each(
    JSON_WRITERS.flatMap(([writer, write]) =>
      textSpellings(key).map(([name, spelling]) => [name, writer, write(`my "key": ${spelling}!`)] as const),
    ),
  )('replaces the key %s in %s, which stays JSON', async (name, _writer, json) => {
    const value = String(JSON.parse(await redactedEverywhere(`{"a":${json}}`, key, 40)).a);
    if (!name.startsWith('in base64')) expect(value).toBe('my "key": ***!');
    expect(holdsKey(value, key)).toBe(false);
    expect(value).toContain('***');
  });
});

describe('the redactor', () => {
  it.each([
    'sk+live sk+live/"0&1 sk',
    'C:\\\\temp\\n100 % of a%20b &amp; &lt;b&gt; "quoted" &#43;',
    '{"a":"\\u00e9\\ud83d\\udd11\\u0026\\/\\"","b":[1,2,3]}',
  ])('does not change %j', async (text) => {
    expect(await redactedEverywhere(text)).toBe(text);
  });

  it('replaces a key right after its own beginning', async () => {
    expect(await redactedEverywhere(`sk+${KEY}`)).toBe('sk+***');
    expect(await redactedEverywhere(`${KEY}${KEY}sk`)).toBe('******sk');
  });

  it('holds back only as much as the longest spelling of the key', async () => {
    const seen: string[] = [];
    const source = async function* () {
      yield Buffer.from(`${'x'.repeat(50)}sec`);
      seen.push('asked for more');
      yield Buffer.from('ret12');
    };
    for await (const part of createRedactor('secret12').stream(source())) seen.push(part.toString());
    const at = seen.indexOf('asked for more');
    expect(seen.slice(0, at).join('')).toMatch(/^x{30,50}$/);
    expect(seen.toSpliced(at, 1).join('')).toBe(`${'x'.repeat(50)}***`);
  });

  it('returns what arrived before an error, but not the beginning of the key', async () => {
    const source = async function* () {
      yield Buffer.from(`only this much, ${KEY.slice(0, 12)}`);
      throw new Error('lost');
    };
    let text = '';
    const read = async () => {
      for await (const part of createRedactor(KEY).stream(source())) text += part.toString();
    };
    await expect(read()).rejects.toThrow('lost');
    expect(text).toBe('only this much, ');
  });
});

describe('the redactor of a stream', () => {
  const forms = textSpellings(PLAIN_KEY).map(([, spelling]) => spelling);
  const plainForms = [PLAIN_KEY, ...forms.filter((form) => /^\w+$/.test(form))];
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...plainForms) },
    { weight: 1, arbitrary: fc.constantFrom(...forms) },
    // The beginning or the end of the key.
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...plainForms), fc.nat(60), fc.boolean())
        .map(([form, at, isStart]) => (isStart ? form.slice(0, at) : form.slice(at))),
    },
    { weight: 3, arbitrary: fc.string({ maxLength: 80 }).map((text) => text.replace(/[\\%&]/g, '')) },
    { weight: 1, arbitrary: fc.constantFrom('%', '&', 'é', '\n') },
  );

  it('returns what the redactor of a text returns, however it is cut into chunks', async () => {
    const { redact, stream } = createRedactor(PLAIN_KEY);
    let redacted = 0;
    const property = fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
      async (parts, sizes) => {
        const bytes = Buffer.from(parts.join(''));
        const pieces: Buffer[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = sizes[pieces.length % sizes.length] ?? 1;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        const complete = redact(bytes.toString());
        expect(await redactedChunks(stream, pieces)).toBe(complete);
        if (complete.includes('***')) redacted++;
      },
    );
    await fc.assert(property, { numRuns: 1_000 });
    expect(redacted).toBeGreaterThan(300);
  }, 30_000);
});

describe('the redactor of a short key', () => {
  it('replaces a short key only as a separate word', async () => {
    expect(await redactedEverywhere('the latest test, "test" untested', 'test')).toBe('the latest ***, "***" untested');
  });

  it.each([
    ['1', '{"index":1,"list":[1, 21 ],"id":"usr_1"}'],
    ['true', '{"verified":true}'],
  ])('does not change the JSON value %s', async (key, json) => {
    expect(await redactedEverywhere(json, key)).toBe(json);
  });
});
