import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '-o'];

/** Prints findings as they are in the text of a response. */
async function print(format: string, body: string) {
  const { run } = await cli.scripted(() => ({ body, headers: { 'content-type': 'application/json' } }));
  return run([...ALL, format]);
}

describe('a finding as ndjson', () => {
  it.each([
    ['numbers and the order of keys', '{"b": 1.0,"1":-0, "a":12345678901234567890,"b":1e400}'],
    ['white space on one line and escapes', '{ "a" :\t[ 1 , "\\u0073\\/" ] }'],
    ['text in any script', '{"a":"é監🎉 “quoted”"}'],
  ])('keeps %s', async (_, text) => {
    expect(await print('ndjson', `[${text}]`)).toMatchObject({ code: 0, stdout: `${text}\n` });
  });

  it.each([
    ['{\n  "a": [\r\n    1.0,\n    "x \\" y"\n  ]\n}', '{"a": [1.0,"x \\" y"]}'],
    ['{"a":"\u007f\u009b\u202e\ufeff"}', '{"a":"\\u007f\\u009b\\u202e\\ufeff"}'],
  ])('has one line without hidden characters: %j', async (text, line) => {
    expect(await print('ndjson', `[${text}, {}]`)).toMatchObject({ code: 0, stdout: `${line}\n{}\n` });
  });

  it('does not have the API key', async () => {
    const { stdout } = await print('ndjson', `[{ "note": "my ${API_KEY}!", "${API_KEY}": 1.0 }]`);
    expect(stdout).toBe('{ "note": "my ***!", "***": 1.0 }\n');
  });

  it('is that of the list, whatever is next to it', async () => {
    const inner = '{"data":[{"data":[1]}]}';
    const body = `{"meta":{"data":[],"note":"\\"data\\":["},"x":{"data":{"y":1}},"data":[ ${inner} , {"n":1.0}]}`;
    expect(await print('ndjson', body)).toMatchObject({ code: 0, stdout: `${inner}\n{"n":1.0}\n` });
  });

  it('may have a text of many megabytes', async () => {
    const finding = `{"content":"${'x'.repeat(12_000_000)}"}`;
    expect((await print('ndjson', `[${finding}]`)).stdout === `${finding}\n`).toBe(true);
  });
});

it.each([
  ['csv', 'id,n,x\n12345678901234567890,1e999,0.5\n'],
  ['table', 'id\n12345678901234567890\n'],
  ['json', '[\n  {\n    "id": "12345678901234567890",\n    "n": "1e999",\n    "x": 0.5\n  }\n]\n'],
])('a number that JavaScript would change keeps its digits as %s', async (format, stdout) => {
  expect((await print(format, '[{"id":12345678901234567890,"n":1e999,"x":0.5}]')).stdout).toBe(stdout);
});

it('prints every finding that JSON.parse returns', async () => {
  let body = '';
  const { run } = await cli.scripted(() => ({ body, headers: { 'content-type': 'application/json' } }));
  const findings = fc.array(
    fc.dictionary(
      fc.string({ unit: ANY_CHARACTER, maxLength: 5 }),
      fc.jsonValue({ stringUnit: ANY_CHARACTER, maxDepth: 2 }),
    ),
  );
  const envelope = fc.constantFrom('@', '{"data":@}', '{"count":2,"findings":@,"next":null}', '\ufeff @\n');
  const property = fc.asyncProperty(findings, fc.constantFrom(undefined, 1), envelope, async (list, indent, around) => {
    const text = JSON.stringify(list, null, indent);
    body = around.replace('@', () => text);
    const expected: unknown = JSON.parse(Buffer.from(text).toString());
    const lines = (await run([...ALL, 'ndjson'])).stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
    expect((await run([...ALL, 'json'])).json()).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 50 });
});
