import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

/** Eight rows: a blank line and a cell over two lines put the line numbers out of step with the rows' own. */
const LIST = `userId,role,department
usr_1,member,it
usr_2,member,"it
"

usr_3,member,it
usr_4,member,it
usr_5,member,it
usr_6,member,it
usr_7,member,it
usr_8,member,it
`;
const REJECTED = { usr_2: 'User usr_2 not found', usr_6: 'User usr_6 not found', usr_8: 'User usr_8 not found' };
const ROWS = `line,entry,userId,state,message
3,2,usr_2,failed,User usr_2 not found
9,6,usr_6,failed,User usr_6 not found
11,8,usr_8,failed,User usr_8 not found
`;

describe('the report of rows in several requests', () => {
  it.each([
    ['3', 0, true],
    ['3', 0, false],
    ['3', 1, false],
    ['500', 1, false],
  ] as const)(
    'names their lines in the list with batches of %s, an index from %i, and userId in errors: %s',
    async (batch, base, named) => {
      const { run } = await cli.scripted(addsMembers({ rejected: REJECTED, indexBase: base, identified: named }));
      const argv = ['people', 'bulk-add', '-', '--batch-size', batch, '--concurrency', '1', '-o', 'csv'];
      expect(await run(argv, { stdin: LIST })).toMatchObject({
        code: 3,
        stdout: ROWS,
        stderr: expect.stringMatching(/: orgadm runs show [0-9a-f]{8} --errors-file rejected\.csv\n/),
      });
    },
  );

  it('names the line of a malformed entry that makes the service reject the entire request', async () => {
    // The sandbox accepts few departments, and rejects a request with another one.
    const stdin = `userId,role,department
usr_0101,member,it
usr_0102,member,hr
usr_0103,member,basement
usr_0104,member,it
usr_0105,chef,it
`;
    const { code, stdout } = await cli.sandbox(['people', 'bulk-add', '-', '--batch-size', '3', '-o', 'csv'], {
      stdin,
    });
    expect(code).toBe(3);
    expect(stdout.split('\n').map((line) => line.split(',').slice(0, 4).join())).toEqual([
      'line,entry,userId,state',
      '4,3,usr_0103,failed',
      '6,5,usr_0105,failed',
      '',
    ]);
  });
});
