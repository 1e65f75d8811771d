import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];

/** Runs against a service that must not be asked for anything. */
async function rejected(argv: readonly string[], stdin: string) {
  const { service, run } = await cli.scripted([]);
  const result = await run([...ADD, ...argv], { stdin });
  expect({ code: result.code, requests: service.requests }).toEqual({ code: 2, requests: [] });
  return result;
}

describe('a list with invalid rows', () => {
  const LIST = `userId,role,isActive,deviceMgmtLabelId
usr_1,member,true,1
,member,true,
usr_3,,perhaps,1.5
usr_1,admin,false,
`;

  it('is not sent, and all its errors are reported at once with line, field, and value', async () => {
    const { stdout } = await rejected(['-o', 'csv'], LIST);
    expect(stdout).toMatch(
      textLike(`line,entry,userId,state,message
2,1,usr_1,unsent,
3,2,,invalid,userId …
4,3,usr_3,invalid,"role …; isActive: ""perhaps"" …; deviceMgmtLabelId: ""1.5"" …"
5,4,usr_1,invalid,…
`),
    );
  });

  it('is reported in the same way as one JSON document', async () => {
    expect((await rejected(['--json'], LIST)).json()).toMatchObject({
      summary: { total: 4, created: 0, invalid: 3, unsent: 1, stopped: { code: 'invalid-list' } },
      rows: [{ line: 2, state: 'unsent' }, { line: 3, userId: null, state: 'invalid' }, { line: 4 }, { line: 5 }],
    });
  });

  it('is sent without them with --invalid skip, and the report counts them', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const result = await run([...ADD, '--invalid', 'skip', '--json'], { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.json()).toMatchObject({ summary: { total: 4, created: 1, invalid: 3, unsent: 0 } });
    expect(service.requests.flatMap(membersOf).map(({ userId }) => userId)).toEqual(['usr_1']);
  });
});

describe('an issue that many rows have', () => {
  const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => `${id},,yes\n`).join('');
  const LIST = `userId,role,isActive\n${ROWS}h,m,maybe\n`;

  it('is printed once, with its count and first lines, below the rows that have one of their own', async () => {
    const { stdout } = await rejected([], LIST);
    expect(stdout).toMatch(
      textLike(`line  userId  state    message
   9  h       invalid  isActive: "maybe" …

7 invalid: role … (lines 2, 3, 4, 5, 6, …)

8 invalid (the list is invalid)
`),
    );
  });

  it('is on each of its rows in JSON', async () => {
    const { rows } = (await rejected(['--json'], LIST)).json() as { rows: { error: string }[] };
    expect(rows.filter(({ error }) => error.startsWith('role '))).toHaveLength(7);
  });
});

describe('a JSON list on one line', () => {
  const LIST = JSON.stringify([{ userId: 'd' }, { userId: 'e', role: 'm' }, { userId: 'e', role: 'member' }]);

  it('has its rows named by their numbers', async () => {
    const { stdout } = await rejected([], LIST);
    expect(stdout).toMatch(
      textLike(`row  userId  state    message
  1  d       invalid  role …
  3  e       invalid  … 2)

2 invalid, 1 unsent (the list is invalid)
`),
    );
    const { rows } = (await rejected(['--json'], LIST)).json() as { rows: object[] };
    expect(rows[2]).toMatchObject({ line: 3, entry: 3 });
  });
});
