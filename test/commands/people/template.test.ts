import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const CSV = `userId,role,department,isActive,deviceMgmtLabelId
usr_0101,member,it,true,42
usr_0102,admin,hr,false,
`;

describe('people template', () => {
  it.each([{ argv: [] }, { argv: ['-o', 'csv'] }, { argv: ['-o', 'table'] }])('is csv with $argv', async ({ argv }) => {
    expect(await cli.plain(['people', 'template', ...argv])).toMatchObject({ code: 0, stdout: CSV, stderr: '' });
  });

  it('is an array of entries as json', async () => {
    const result = await cli.plain(['people', 'template', '--json']);
    expect(result.json()).toEqual([
      { userId: 'usr_0101', role: 'member', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
      { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
    ]);
  });

  it.each(['csv', 'json'])('as %s is a list that bulk-add takes as it is', async (format) => {
    const { stdout } = await cli.plain(['people', 'template', '-o', format]);
    const checked = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin: stdout });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n2 rows: 2 valid \(dry run\)\n$/) });
  });

  it('is not written as ndjson', async () => {
    const result = await cli.plain(['people', 'template', '-o', 'ndjson']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(result.stderr)).toEqual({
      error: { code: 'usage', message: '--output ndjson: the template is written as csv or json' },
    });
  });

  it('takes no operand', async () => {
    expectUsageError(
      await cli.plain(['people', 'template', 'csv']),
      "too many arguments for 'template'. Expected 0 arguments but got 1.",
      'Run the command with --help for its options.',
    );
  });
});
