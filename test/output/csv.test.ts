import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCsv } from '../../src/output/csv.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

/** Returns the line that shows a value of a service in CSV. */
async function lineOf(value: unknown): Promise<string> {
  const { run } = await cli.scripted([{ body: [{ value }] }]);
  const { code, stdout } = await run(['findings', 'list', '--all', '-o', 'csv']);
  expect({ code, header: stdout.slice(0, 6) }).toEqual({ code: 0, header: 'value\n' });
  return stdout.slice(6);
}

describe('CSV', () => {
  it.each([
    [true, 'true\n'],
    [-5, '-5\n'],
    [['read', 1, null], '"read, 1, "\n'],
    [[{ a: 1 }], '"[{""a"":1}]"\n'],
    ['a,b', '"a,b"\n'],
    ['say "hi"', '"say ""hi"""\n'],
    ['a\r\nb\tc', '"a\nb\tc"\n'],
    ['Zoë 監査', 'Zoë 監査\n'],
    ['a\x07b\u202ec\x1b[31md', 'a\\u0007b\\u202ec\\u001b[31md\n'],
    ['a\n::x', '"a\n\\u003a:x"\n'],
  ])('shows %j as a cell', async (value, line) => {
    expect(await lineOf(value)).toBe(line);
  });

  it.each(['=1+1', '+cmd', '-cmd', '@SUM(A1)', '＝1+1', '\t=1+1', '-5'])(
    'has a quote in front of a text that may be a formula: %j',
    async (text) => {
      expect(await lineOf(text)).toBe(`'${text}\n`);
      expect(await lineOf(`a${text}`)).toBe(`a${text}\n`);
    },
  );

  it('is read unchanged, but for the escaping', async () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.constantFrom('', ' ', '"', ',', '\n', "'"));
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const read = parse(await renderCsv(written), { record_delimiter: '\n' });
        const escaped = written.map((cells) => cells.map((one) => (/^[=+@-]/.test(one) ? `'${one}` : one)));
        expect(read).toEqual(escaped);
      }),
    );
  });
});
