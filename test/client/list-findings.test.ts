import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFinding } from '../../src/client/finding.ts';
import { JsonArrayStream } from '../../src/client/json/json-array-stream.ts';
import { listFindings } from '../../src/client/list-findings.ts';
import type { ServiceClient } from '../../src/client/service-client.ts';
import { renderJsonLine, renderJsonLines } from '../../src/output/json.ts';

interface Outcome {
  lines: string[];
  excerpts: unknown[];
  failure: string | undefined;
}

const NAMES = ['id', 'a'];

/** What is listed of an answer that comes in pieces, and what it ends with. */
async function list(body: Buffer, cuts: readonly number[]): Promise<Outcome> {
  const outcome: Outcome = { lines: [], excerpts: [], failure: undefined };
  try {
    for await (const some of listFindings(responding(body, cuts), undefined, { excerpt: NAMES })) {
      outcome.lines.push(...Buffer.from(renderJsonLines(some)).toString().split('\n').slice(0, -1));
      outcome.excerpts.push(...some.map(({ excerpt }) => Object.fromEntries(ownOf(excerpt))));
      for (const { value, printed } of some) {
        if (printed === undefined) continue;
        expect(printed.bytes.toString('utf8', printed.start, printed.end)).toBe(renderJsonLine(value).trimEnd());
      }
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
    durationMs: 0,
    retried: false,
  };
  return {
    baseUrl: '',
    request: () => Promise.reject(new Error('not asked for')),
    requestBytes: () => Promise.reject(new Error('not asked for')),
    stream: async () => ({ ...head, chunks: chunks(), discard: () => {} }),
    close: async () => {},
  };
}

/** The same by parsing every element and printing it again. */
function parseEach(body: Buffer): Outcome {
  const outcome: Outcome = { lines: [], excerpts: [], failure: undefined };
  const elements = new JsonArrayStream({ maxElementBytes: 16 * 1024 * 1024, maxDepth: 256 });
  try {
    for (const byte of body) {
      elements.each(Buffer.of(byte), (bytes, start, end) => {
        const { value } = parseFinding(bytes.toString('utf8', start, end));
        outcome.lines.push(renderJsonLine(value).trimEnd());
        outcome.excerpts.push(Object.fromEntries(ownOf(value)));
      });
    }
    elements.end();
    const { top, arrayKey } = elements.envelope;
    if (top === 'object' && arrayKey === undefined) outcome.failure = notAList('the object holds no list');
  } catch (error) {
    const { name, message } = error as Error;
    outcome.failure = name === 'JsonStructureError' ? notAList(message) : message;
  }
  return outcome;
}

const notAList = (reason: string) => `The answer (200) does not hold a list of findings: ${reason}.`;
const ownOf = (finding: object) => Object.entries(finding).filter(([name]) => NAMES.includes(name));

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
const body = fc
  .tuple(
    fc.array(element, { maxLength: 8 }),
    fc.constantFrom(',', ' , ', ',\r\n'),
    fc.constantFrom(
      '@',
      '{"data":@}',
      '{"errors":[],"count":2,"hits":@,"next":null}',
      '{"data":{"items":@}}',
      '\ufeff @\n',
    ),
  )
  .map(([elements, comma, envelope]) => Buffer.from(envelope.replace('@', () => `[${elements.join(comma)}]`)));
const cuts = fc.array(fc.nat(), { maxLength: 6 });

describe('findings are listed as if each were parsed', () => {
  test('of any list, wherever the answer is cut into pieces', async () => {
    const property = fc.asyncProperty(body, cuts, async (body, positions) => {
      expect(await list(body, positions)).toEqual(parseEach(body));
    });
    await fc.assert(property, { numRuns: 1000 });
  });

  test('of a list that is broken: the same findings before the same error', async () => {
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
    const property = fc.asyncProperty(body, damage, cuts, async (body, { at, out, into, end }, positions) => {
      const index = at % (body.length + 1);
      const corrected = Buffer.concat([body.subarray(0, index), Buffer.from(into), body.subarray(index + out)]);
      const broken = corrected.subarray(0, end === null ? corrected.length : end % (corrected.length + 1));
      // Whether another beginning is a list of none, like null, is not the question here.
      fc.pre(/^(\u00ef\u00bb\u00bf)?[ \t\r\n]*[[{]/.test(broken.toString('latin1')));
      const outcome = await list(broken, positions);
      expect(outcome).toEqual(parseEach(broken));
      if (outcome.failure !== undefined) failures++;
    });
    await fc.assert(property, { numRuns: 2000 });
    expect(failures).toBeGreaterThan(200);
  });

  test('of bytes that follow no rule', async () => {
    const bytes = fc.array(fc.constantFrom(...'{}[],:"\\ab10-. \u00e9\n'), { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(bytes, cuts, async (characters, positions) => {
      const body = Buffer.from(`[{"id":1},${characters.join('')}`);
      expect(await list(body, positions)).toEqual(parseEach(body));
    });
    await fc.assert(property, { numRuns: 1000 });
  });
});

test('what stands before a broken place is listed, however much of it comes at once', async () => {
  const { lines, failure } = await list(Buffer.from('[{"id":1},{"id": 2},{"id":3} x'), []);
  expect(lines).toEqual(['{"id":1}', '{"id":2}', '{"id":3}']);
  expect(failure).toBe(notAList('"x" stands where a comma or ] is expected'));
});
