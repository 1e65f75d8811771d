import { describe, expect, it } from 'vitest';
import { BULK_ANSWER, MEMBER } from '../../fixtures/contract/people.ts';
import { commandRuns } from '../service-run.ts';

const cli = commandRuns();

const TWO = 'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\n';
const ADD_STDIN = ['people', 'bulk-add', '-'];
const ANSWER = { status: 201, body: BULK_ANSWER };

describe('the report', () => {
  it.each([
    {
      format: 'table',
      stdout: `line  userId  state     error
   3  usr_2   existing  User grace@acme.test is already a member of this organization

2 rows: 1 created, 1 existing
`,
    },
    {
      format: 'json',
      stdout: `{
  "summary": {
    "total": 2,
    "created": 1,
    "existing": 1,
    "recovered": 0,
    "failed": 0,
    "invalid": 0,
    "unknown": 0,
    "unsent": 0,
    "duplicates": 0,
    "stopped": null
  },
  "rows": [
    {
      "line": 3,
      "entry": 2,
      "userId": "usr_2",
      "state": "existing",
      "error": "User grace@acme.test is already a member of this organization"
    }
  ],
  "duplicates": [],
  "authType": "api-key",
  "authenticatedUser": {
    "id": "usr_9",
    "email": "owner@acme.test"
  }
}
`,
    },
    {
      format: 'csv',
      stdout: `line,entry,userId,state,error
3,2,usr_2,existing,User grace@acme.test is already a member of this organization
`,
    },
  ])('as $format', async ({ format, stdout }) => {
    const { run } = await cli.scripted([ANSWER]);
    expect(await run([...ADD_STDIN, '-o', format], { stdin: TWO })).toMatchObject({ code: 3, stdout, stderr: '' });
  });

  it('as ndjson is a line a row, the created ones with their member, and the summary last', async () => {
    const { run } = await cli.scripted([ANSWER]);
    const { code, stdout, stderr } = await run([...ADD_STDIN, '-o', 'ndjson'], { stdin: TWO });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    const words = 'User grace@acme.test is already a member of this organization';
    const counts = { created: 1, existing: 1, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 2, entry: 1, userId: 'usr_1', state: 'created', error: null, member: MEMBER },
      { line: 3, entry: 2, userId: 'usr_2', state: 'existing', error: words },
      {
        summary: { total: 2, ...counts, duplicates: 0, stopped: null },
        duplicates: [],
        authType: 'api-key',
        authenticatedUser: { id: 'usr_9', email: 'owner@acme.test' },
      },
    ]);
  });

  it('holds no control character of the service, in no format', async () => {
    const errors = [{ index: 1, userId: 'usr_2', error: 'no\u001b[2J\u202ebody\u009b' }];
    const { run } = await cli.scripted(() => ({ status: 201, body: { ...BULK_ANSWER, errors } }));
    for (const format of ['table', 'json', 'ndjson', 'csv']) {
      const { code, stdout } = await run([...ADD_STDIN, '-o', format], { stdin: TWO });
      expect(code, format).toBe(3);
      expect(stdout, format).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('warns once that a summary contradicts the lists, which win', async () => {
    const summary = { total: 2, successful: 2, failed: 0 };
    const { run } = await cli.scripted([{ status: 201, body: { ...BULK_ANSWER, summary } }]);
    const { code, stdout, stderr } = await run(ADD_STDIN, { stdin: TWO });
    expect(code).toBe(3);
    expect(stdout).toContain('2 rows: 1 created, 1 existing\n');
    expect(stderr).toMatch(/^warning: the response of the service is inconsistent: summary\.\w+ is \d, but .+\n$/);
  });
});
