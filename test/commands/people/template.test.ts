import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const CSV = `userId,role,department,isActive
usr_0101,member,it,true
usr_0102,admin,hr,false
`;

describe('people template', () => {
  it.each([{ argv: [] }, { argv: ['-o', 'csv'] }, { argv: ['-o', 'table'] }])('is CSV with $argv', async ({ argv }) => {
    expect(await cli.plain(['people', 'template', ...argv])).toMatchObject({ code: 0, stdout: CSV, stderr: '' });
  });

  it('is one entry per line as NDJSON', async () => {
    expect((await cli.plain(['people', 'template', '-o', 'ndjson'])).stdout).toBe(
      '{"userId":"usr_0101","role":"member","department":"it","isActive":true}\n' +
        '{"userId":"usr_0102","role":"admin","department":"hr","isActive":false}\n',
    );
  });

  it.each(['csv', 'json', 'ndjson'])('prints a list under -o %s that bulk-add reads unchanged', async (format) => {
    const { stdout } = await cli.plain(['people', 'template', '-o', format]);
    const checked = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin: stdout });
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n✓ 2 valid\n$/),
    });
  });
});
