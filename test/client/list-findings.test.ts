import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectPagination, listFindings, renderNdjson } from '../../src/client/list-findings.ts';
import type { ServiceClient } from '../../src/client/service-client.ts';

interface Outcome {
  lines: string[];
  values: unknown[];
  failure: string | undefined;
}

/** Lists the findings of a response that arrives in pieces. */
async function list(body: Buffer, cuts: readonly number[]): Promise<Outcome> {
  const outcome: Outcome = { lines: [], values: [], failure: undefined };
  try {
    for await (const some of listFindings(responding(body, cuts), undefined)) {
      outcome.lines.push(...renderNdjson(some).toString().split('\n').slice(0, -1));
      outcome.values.push(...some.map(({ value }) => value));
    }
  } catch (error) {
    outcome.failure = (error as Error).message;
  }
  return outcome;
}

function responding(body: Buffer, cuts: readonly number[]): ServiceClient {
  const positions = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length];
  const chunks = async function* () {
    for (const [index, place] of positions.slice(1).entries())
      yield Buffer.from(body.subarray(positions[index], place));
  };
  const head = {
    status: 200,
    headers: {},
    requestId: undefined,
    contentType: undefined,
    rateLimit: undefined,
  };
  return {
    baseUrl: '',
    request: () => Promise.reject(new Error('not requested')),
    requestBytes: () => Promise.reject(new Error('not requested')),
    stream: async () => ({ ...head, chunks: chunks(), discard: () => {} }),
    close: async () => {},
  };
}

const HIDDEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\r\n]/;

const key = fc.oneof(
  fc.constantFrom('id', 'a', 'b', 'content', '1', '_x', '__proto__', 'data'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const plain = fc.dictionary(
  fc.constantFrom('id', 'a', 'content', 'createdAt', 'severity'),
  fc.oneof(fc.string({ maxLength: 30 }), fc.integer(), fc.constant(null), fc.constant({ id: 'mem_1' })),
);
const odd = fc.dictionary(key, fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), { maxKeys: 4 });
const element = fc.oneof(
  { weight: 4, arbitrary: plain.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: odd.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value, null, 1)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '7',
      '"x"',
      '[{"a":1}]',
      '{"id":1,"id":2}',
      '{"a":12345678901234567890}',
      '{"a":1.0,"b":-0}',
      '{"a":"\\u0041\\/\\ud800"}',
      '{"a":"\u2028\u007f"}',
    ),
  },
);
const elements = fc
  .tuple(
    fc.array(element, { maxLength: 8 }),
    fc.constantFrom(',', ' , ', ',\r\n'),
    fc.constantFrom(
      '@',
      '{"data":@}',
      '{"errors":[],"count":2,"findings":@,"next":null}',
      '{"data":{"items":@}}',
      '\ufeff @\n',
    ),
  )
  .map(([texts, comma, envelope]) => ({
    texts,
    body: Buffer.from(envelope.replace('@', () => `[${texts.join(comma)}]`)),
  }));
const cuts = fc.array(fc.nat(), { maxLength: 6 });

/** What `JSON.parse` returns, with integers and numbers that lose digits as strings. */
function parsed(text: string): unknown {
  return JSON.parse(text.replace(/12345678901234567890/g, '"12345678901234567890"'), (key, value) =>
    key === '__proto__' ? undefined : value,
  );
}

describe('listFindings', () => {
  it('returns every element of any list, wherever the response is cut into pieces', async () => {
    const property = fc.asyncProperty(elements, cuts, async ({ body, texts }, positions) => {
      const { lines, values, failure } = await list(body, positions);
      expect(failure).toBeUndefined();
      const isObject = (text: string) => text.trim().startsWith('{');
      expect(values).toEqual(texts.map((text) => (isObject(text) ? parsed(text) : { value: parsed(text) })));
      for (const [at, line] of lines.entries()) {
        const text = texts[at] ?? '';
        expect(line).not.toMatch(HIDDEN);
        expect(JSON.parse(line)).toEqual(isObject(text) ? JSON.parse(text) : { value: JSON.parse(text) });
        if (isObject(text) && !HIDDEN.test(text)) expect(line).toBe(text);
      }
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('returns the same findings before the same error, wherever a malformed response is cut', async () => {
    const damage = fc.record({
      at: fc.nat(),
      out: fc.nat(3),
      into: fc.oneof(
        fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', ' ', '0', 'null', '\n'),
        fc.uint8Array({ maxLength: 3 }),
      ),
      end: fc.option(fc.nat(), { freq: 3 }),
    });
    let failures = 0;
    const property = fc.asyncProperty(elements, damage, cuts, async ({ body }, { at, out, into, end }, positions) => {
      const index = at % (body.length + 1);
      const damaged = Buffer.concat([body.subarray(0, index), Buffer.from(into), body.subarray(index + out)]);
      const cut = damaged.subarray(0, end === null ? damaged.length : end % (damaged.length + 1));
      const outcome = await list(cut, positions);
      expect(outcome).toEqual(await list(cut, Array.from(cut.keys())));
      if (outcome.failure !== undefined) failures++;
    });
    await fc.assert(property, { numRuns: 500 });
    expect(failures).toBeGreaterThan(50);
  });

  it('returns what comes before a malformed element, also when all of it arrives at once', async () => {
    const { lines, failure } = await list(Buffer.from('[{"id":1},{"id": 2},{"id":3} x'), []);
    expect(lines).toEqual(['{"id":1}', '{"id": 2}', '{"id":3}']);
    expect(failure).toBe('the response (200) does not contain a list of findings: expected a comma or ], found "x"');
  });

  it.each([
    ['numbers and the order of keys as they are', '{"b": 1.0,"1":-0, "a":12345678901234567890,"b":1e400}'],
    ['escapes as they are', '{"a":"\\u0041\\/\\ud800"}'],
    ['white space on one line as it is', '{ "a" :\t[ 1 , 2 ] }'],
    ['text in any script as it is', '{"a":"é監🎉 “quoted”"}'],
  ])('passes through %s', async (_, text) => {
    expect((await list(Buffer.from(`[${text}]`), [])).lines).toEqual([text]);
  });

  it.each([
    ['{\n  "a": [\r\n    1.0,\n    "x \\" y"\n  ]\n}', '{"a":[1.0,"x \\" y"]}'],
    ['{"a":"\u007f\u009b\u202e\ufeff"}', '{"a":"\\u007f\\u009b\\u202e\\ufeff"}'],
    ['{"\u2028": 1.50}', '{"\\u2028": 1.50}'],
    ['"x"', '{"value":"x"}'],
    ['[\n1.0 ]', '{"value":[1.0]}'],
  ])('prints %j on one line without hidden characters', async (text, line) => {
    expect((await list(Buffer.from(`[${text}]`), [])).lines).toEqual([line]);
  });

  it('replaces bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('[{"a":"x'), Buffer.from([0xe9, 0xed, 0xa0]), Buffer.from('","b":1.0}]')]);
    expect((await list(body, [9])).lines).toEqual(['{"a":"x\ufffd\ufffd\ufffd","b":1.0}']);
  });
});

const nextTo = (fields: object) => new Map<string, unknown>(Object.entries(fields));

describe('detectPagination', () => {
  it.each([
    [{ total: 58 }, 'total is 58'],
    [{ count: 58 }, 'count is 58'],
    [{ total_count: '58' }, 'total_count is 58'],
    [{ 'data.totalItems': 3 }, 'data.totalItems is 3'],
    [{ meta: { pagination: 1, total: 3 } }, 'meta.total is 3'],
    [{ hasMore: true }, 'hasMore is true'],
    [{ pageInfo: { hasNextPage: true } }, 'pageInfo.hasNextPage is true'],
    [{ next: 'https://api.acme.test/v1/findings?page=2' }, 'next is set'],
    [{ nextCursor: 'abc' }, 'nextCursor is set'],
    [{ next_page: 2 }, 'next_page is set'],
    [{ links: { next: { href: '/2' } } }, 'links.next is set'],
    [{ '@odata.nextLink': 'https://api.acme.test/2' }, '@odata.nextLink is set'],
    [{ meta: { pagination: { total: 58 } } }, 'meta.pagination.total is 58'],
    [{ page: 1, totalPages: 3 }, 'totalPages is 3'],
    [{ meta: { current_page: 1, last_page: '3' } }, 'meta.last_page is 3'],
    [{ last: false }, 'last is false'],
    [{ incomplete_results: true }, 'incomplete_results is true'],
    [{ partial: true }, 'partial is true'],
    [
      {
        links: [
          { rel: 'self', href: '/1' },
          { rel: 'next', href: '/2' },
        ],
      },
      'links has a next page',
    ],
    [{ errors: [{ message: 'a shard did not respond' }] }, 'errors is not empty'],
  ])('detects that there are more than 2 findings by the fields %j', (fields, sign) => {
    expect(detectPagination(nextTo(fields), {}, 2)).toBe(sign);
  });

  it.each([
    {},
    { total: 2, count: 2 },
    { total: null, count: 'many' },
    { hasMore: false, hasNextPage: null },
    { next: null, nextCursor: '', next_page: 0 },
    { links: { next: null, self: '/1' } },
    { subtotal: 9, nextStep: 'review' },
    { page: 1, pageSize: 100, limit: 100 },
    { page: 1, pages: 1, totalPages: 0, last: true, partial: false },
    {
      links: [
        { rel: 'self', href: '/1' },
        { rel: 'next', href: null },
      ],
      errors: [],
    },
  ])('detects no further findings by the fields %j', (fields) => {
    expect(detectPagination(nextTo(fields), {}, 2)).toBeUndefined();
  });

  it.each([
    [
      { link: '</v1/findings?page=2>; rel="next", </v1/findings?page=9>; rel="last"' },
      'the header Link names a next page',
    ],
    [{ 'x-total-count': '58' }, 'the header X-Total-Count is 58'],
    [{ 'x-total': '58' }, 'the header X-Total is 58'],
    [{ 'x-total-pages': '3' }, 'the header X-Total-Pages is 3'],
    [{ 'x-next-page': '2' }, 'the header X-Next-Page is 2'],
    [{ 'content-range': 'items 0-1/58' }, 'the header Content-Range is items 0-1/58'],
  ])('detects that there are more than 2 findings by the headers %j', (headers, sign) => {
    expect(detectPagination(new Map(), headers, 2)).toBe(sign);
  });

  it.each([
    { link: '</v1/findings?page=1>; rel="prev"' },
    { 'x-total-count': '2' },
    { 'x-total-pages': '1', 'x-next-page': '' },
    { 'content-range': 'items 0-1/2' },
  ])('detects no further findings by the headers %j', (headers) => {
    expect(detectPagination(new Map(), headers, 2)).toBeUndefined();
  });
});
