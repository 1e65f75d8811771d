import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BULK_RESPONSE } from '../../fixtures/contract/people.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const TWO = 'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\n';
const ADD_STDIN = ['people', 'bulk-add', '-'];
const PLAIN = { NO_COLOR: '1' };
const MAPPING = '  totals: 1 active, 1 inactive\n  roles: admin 1, member 1\n';
const withoutId = (text: string) => text.replace(/(run |"id": ")[0-9a-f]{8,32}/, '$1<id>');
const IGNORE_EXISTING = 'To exit 0 when people are already members, add --ignore-existing\n';

/** A list of usr_1, usr_2 and so on. */
const listOf = (rows: number) =>
  `userId,role\n${Array.from({ length: rows }, (_, at) => `usr_${at + 1},member\n`).join('')}`;
const RESPONSE = { status: 201, body: BULK_RESPONSE };

describe('the report', () => {
  it.each([
    {
      format: 'table',
      stdout: `1 created, 1 existing (run <id>)
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
    "stopped": null
  },
  "run": {
    "id": "<id>",
    "continued": false
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
  "mapping": {
    "columns": {
      "userId": "userId",
      "role": "role",
      "department": "department",
      "deviceMgmtLabelId": "deviceMgmtLabelId"
    },
    "active": {
      "isActive": [
        "true"
      ]
    }
  },
  "totals": {
    "active": 1,
    "inactive": 1,
    "unspecified": 0,
    "roles": {
      "admin": 1,
      "member": 1
    },
    "departments": {
      "it": 1,
      "hr": 1
    },
    "statuses": {},
    "people": [
      {
        "userId": "usr_1",
        "role": "admin",
        "department": "it",
        "isActive": true,
        "deviceMgmtLabelId": 42
      },
      {
        "userId": "usr_2",
        "role": "member",
        "department": "hr",
        "isActive": false
      }
    ],
    "shortestId": "usr_1",
    "longestId": "usr_1"
  },
  "possibleDuplicates": [],
  "mismatches": [],
  "existingInactive": [
    {
      "line": 3,
      "entry": 2,
      "userId": "usr_2"
    }
  ],
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
    const result = await run([...ADD_STDIN, '-o', format], { stdin: TWO });
    expect({ ...result, stdout: withoutId(result.stdout) }).toMatchObject({
      code: 3,
      stdout,
      stderr: expect.stringMatching(
        textLike(`… 2 people … ${service.url}\n${MAPPING}warning: 1 … usr_2. …\n${IGNORE_EXISTING}`),
      ),
    });
  });

  it.each([
    ['their own messages', (at: number) => `User user${at}@acme.test is already a member of this organization`],
    ['the same message', () => 'User is already a member of this organization'],
  ])('only counts existing members in tables under --ignore-existing, with %s', async (_name, messageOf) => {
    const messages = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`usr_${at + 1}`, messageOf(at + 1)]));
    const { run } = await cli.scripted(addsMembers({ rejected: { ...messages, usr_6: 'User not found' } }));
    const report = (format: string) =>
      run([...ADD_STDIN, '--ignore-existing', '--restart', '-o', format], { stdin: listOf(7) });
    expect(withoutId((await report('table')).stdout)).toBe(`line  userId  state   message
   7  usr_6   failed  User not found

1 failed, 1 created, 5 existing (run <id>)
`);
    const states = ['existing', 'existing', 'existing', 'existing', 'existing', 'failed'];
    expect((await report('json')).json()).toMatchObject({ rows: states.map((state) => ({ state })) });
    expect((await report('csv')).stdout.match(/,existing,/g)).toHaveLength(5);
  });

  it('prints ndjson with one line per row, and the summary last', async () => {
    const { run } = await cli.scripted([RESPONSE]);
    const { code, stdout, stderr } = await run([...ADD_STDIN, '-o', 'ndjson'], { stdin: TWO });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(IGNORE_EXISTING) });
    const message = 'User grace@acme.test is already a member of this organization';
    const counts = { created: 1, existing: 1, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 3, entry: 2, userId: 'usr_2', state: 'existing', error: message },
      {
        summary: { total: 2, ...counts, stopped: null },
        run: { id: expect.stringMatching(/^[0-9a-f]{32}$/), continued: false },
        mapping: expect.objectContaining({ active: { isActive: ['true'] } }),
        totals: expect.objectContaining({ active: 1, inactive: 1 }),
        possibleDuplicates: [],
        mismatches: [],
        existingInactive: [{ line: 3, entry: 2, userId: 'usr_2' }],
        authType: 'api-key',
        authenticatedUser: { id: 'usr_9', email: 'owner@acme.test' },
      },
    ]);
  });

  it('counts the unsent rows of a key without permission in a table, and lists them as JSON and csv', async () => {
    const { run } = await cli.scripted(() => ({ status: 403, body: { message: 'No permission' } }));
    for (const columns of [undefined, 100]) {
      const { code, stdout, stderr } = await run([...ADD_STDIN, '--restart'], {
        stdin: listOf(3000),
        env: PLAIN,
        ...(columns && { columns }),
      });
      expect(code).toBe(4);
      // The error has the reason.
      expect(stdout).toBe('3,000 unsent\n');
      expect(stderr.match(/No permission/g)).toHaveLength(1);
    }
    const csv = await run([...ADD_STDIN, '--restart', '-o', 'csv'], { stdin: listOf(3000) });
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(3001);
    const json = await run([...ADD_STDIN, '--restart', '-o', 'json'], { stdin: listOf(3000) });
    expect(json.json()).toMatchObject({ summary: { unsent: 3000 }, rows: { length: 3000 } });
  });

  it('lists 10,000 rows in a table and counts the others; csv and the errors file have all of them', async () => {
    const ids = Array.from({ length: 10_100 }, (_, at) => `usr_${at + 1}`);
    const rejected = Object.fromEntries(ids.map((id) => [id, `User ${id} not found`]));
    const { run } = await cli.scripted(addsMembers({ rejected: { ...rejected, usr_1: undefined } as never }));
    const errors = cli.file('rejected.csv');
    const options = { stdin: listOf(10_100), env: PLAIN };
    const { code, stdout } = await run([...ADD_STDIN, '--errors-file', errors], options);
    expect(code).toBe(3);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => / not found$/.test(line))).toHaveLength(10_000);
    expect(lines.slice(-4)).toEqual([
      '',
      expect.stringMatching(/^… and 99 more failed: orgadm runs show [0-9a-f]{8} -o csv lists them all$/),
      '',
      expect.stringMatching(/^10,099 failed, 1 created \(run [0-9a-f]{8}\)$/),
    ]);
    expect(readFileSync(errors, 'utf8').trimEnd().split('\n')).toHaveLength(10_100);
    const csv = await run([...ADD_STDIN, '-o', 'csv'], options);
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(10_100);
  });

  it('lists 50 existing rows on a terminal, counts the others, and lists the failed ones after them', async () => {
    const messageOf = (id: string) =>
      id === 'usr_120' ? `User ${id} not found` : `User ${id} is already a member of this organization`;
    const ids = Array.from({ length: 120 }, (_, at) => `usr_${at + 1}`);
    const rejected = Object.fromEntries(ids.map((id) => [id, messageOf(id)]));
    const { run } = await cli.scripted(addsMembers({ rejected }));
    const { code, stdout } = await run([...ADD_STDIN, '--all-rows'], { stdin: listOf(130), columns: 100, env: PLAIN });
    expect(code).toBe(3);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => /^ +\d+ .* existing /.test(line))).toHaveLength(50);
    expect(lines.slice(-5)).toEqual([
      '',
      expect.stringMatching(/^… and 69 more existing: orgadm runs show [0-9a-f]{8} -o csv lists them all$/),
      '',
      expect.stringMatching(/^1 failed, 10 created, 119 existing \(run [0-9a-f]{8}\)$/),
      '',
    ]);
  });

  it('warns once if responses list created members whom the requests did not name', async () => {
    const { run } = await cli.scripted((request) => {
      const created = [...membersOf(request), { userId: 'usr_77' }].map(({ userId }) => ({
        id: `mem_${userId}`,
        userId,
      }));
      return { status: 201, body: { created, errors: [] } };
    });
    const { code, stderr } = await run([...ADD_STDIN, '--batch-size', '1'], { stdin: listOf(2) });
    expect(code).toBe(0);
    expect(stderr.match(/^warning: .*/gm)).toEqual([
      'warning: the response from the service is inconsistent: the response lists 1 created member that the request did not name',
    ]);
  });
});
