import { describe, expect, it } from 'vitest';
import { BULK_RESPONSE, MEMBER } from '../../fixtures/contract/people.ts';
import { startAddMembersService } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const TWO = 'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\n';
const ADD_STDIN = ['people', 'bulk-add', '-'];
const PLAIN = { NO_COLOR: '1' };
const IGNORE_EXISTING = 'To exit 0 when people are already members, add --ignore-existing\n';

/** A list of usr_1, usr_2 and so on. */
const listOf = (rows: number) =>
  `userId,role\n${Array.from({ length: rows }, (_, at) => `usr_${at + 1},member\n`).join('')}`;
const RESPONSE = { status: 201, body: BULK_RESPONSE };

describe('the report', () => {
  it.each([
    {
      format: 'table',
      stdout: `line  userId  state     message
   3  usr_2   existing  User grace@acme.test is already a member of this organization

1 created, 1 existing
Authenticated as owner@acme.test (api-key)
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
      stdout: `line,entry,userId,state,message
3,2,usr_2,existing,User grace@acme.test is already a member of this organization
`,
    },
  ])('is printed as $format', async ({ format, stdout }) => {
    const { service, run } = await cli.scripted([RESPONSE]);
    expect(await run([...ADD_STDIN, '-o', format], { stdin: TWO })).toMatchObject({
      code: 3,
      stdout,
      stderr: `${format === 'json' ? '' : `Importing 2 people into ${service.url}\n`}${IGNORE_EXISTING}`,
    });
  });

  it('prints ndjson with one line per row, created rows with their member, and the summary last', async () => {
    const { run } = await cli.scripted([RESPONSE]);
    const { code, stdout, stderr } = await run([...ADD_STDIN, '-o', 'ndjson'], { stdin: TWO });
    expect({ code, stderr }).toEqual({ code: 3, stderr: IGNORE_EXISTING });
    const message = 'User grace@acme.test is already a member of this organization';
    const counts = { created: 1, existing: 1, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 2, entry: 1, userId: 'usr_1', state: 'created', error: null, member: MEMBER },
      { line: 3, entry: 2, userId: 'usr_2', state: 'existing', error: message },
      {
        summary: { total: 2, ...counts, duplicates: 0, stopped: null },
        duplicates: [],
        authType: 'api-key',
        authenticatedUser: { id: 'usr_9', email: 'owner@acme.test' },
      },
    ]);
  });

  it('counts the unsent rows of a rejected key in a table, and lists them as JSON and csv', async () => {
    const { run } = await cli.scripted(() => ({ status: 401, body: { message: 'Invalid API key' } }));
    for (const columns of [undefined, 100]) {
      const { code, stdout } = await run([...ADD_STDIN, '--restart'], {
        stdin: listOf(3000),
        env: PLAIN,
        ...(columns && { columns }),
      });
      expect(code).toBe(4);
      expect(stdout).toMatch(/^3,000 unsent \(.*Invalid API key.*\)\n$/);
    }
    const csv = await run([...ADD_STDIN, '--restart', '-o', 'csv'], { stdin: listOf(3000) });
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(3001);
    const json = await run([...ADD_STDIN, '--restart', '-o', 'json'], { stdin: listOf(3000) });
    expect(json.json()).toMatchObject({ summary: { unsent: 3000 }, rows: { length: 3000 } });
  });

  it('lists 50 existing rows on a terminal, counts the others, and lists the failed ones after them', async () => {
    const messageOf = (id: string) =>
      id === 'usr_120' ? `User ${id} not found` : `User ${id} is already a member of this organization`;
    const ids = Array.from({ length: 120 }, (_, at) => `usr_${at + 1}`);
    const rejected = Object.fromEntries(ids.map((id) => [id, messageOf(id)]));
    const { run } = await cli.scripted(startAddMembersService({ rejected }));
    const { code, stdout } = await run(ADD_STDIN, { stdin: listOf(130), columns: 100, env: PLAIN });
    expect(code).toBe(3);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => / existing /.test(line))).toHaveLength(50);
    expect(lines.slice(-5)).toEqual([
      '',
      '… and 69 more existing: -o csv lists them all',
      '',
      '1 failed, 10 created, 119 existing',
      '',
    ]);
  });

  it('lists every existing and failed row in a pipe', async () => {
    const rejected = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `usr_${at + 1}`,
        `User usr_${at + 1} is already a member of this organization`,
      ]),
    );
    const { run } = await cli.scripted(startAddMembersService({ rejected }));
    const { stdout } = await run(ADD_STDIN, { stdin: listOf(60) });
    expect(stdout.match(/ existing /g)).toHaveLength(60);
    expect(stdout).toContain('\n\n60 existing\n');
  });

  it('warns once that a summary contradicts the lists, which win', async () => {
    const summary = { total: 2, successful: 2, failed: 0 };
    const { run } = await cli.scripted([{ status: 201, body: { ...BULK_RESPONSE, summary } }]);
    const { code, stdout, stderr } = await run(ADD_STDIN, { stdin: TWO });
    expect(code).toBe(3);
    expect(stdout).toContain('1 created, 1 existing\n');
    expect(stderr).toMatch(
      /^Importing .*\nwarning: the response from the service is inconsistent: summary\.\w+ is \d, but .+\nTo exit 0 .*\n$/,
    );
  });
});
