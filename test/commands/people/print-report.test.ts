import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];
const TWO = 'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\n';

const RESPONSE = {
  status: 201,
  body: {
    created: [{ id: 'mem_1', userId: 'usr_1', role: 'admin', department: 'it', isActive: true }],
    errors: [{ index: 1, userId: 'usr_2', error: 'User grace@acme.test is already a member of this organization' }],
    authType: 'api-key',
    authenticatedUser: { id: 'usr_9', email: 'owner@acme.test' },
  },
};

/** A list of usr_1, usr_2 and so on. */
const listOf = (rows: number) =>
  `userId,role\n${Array.from({ length: rows }, (_, at) => `usr_${at + 1},member\n`).join('')}`;

/** The report of two people, one of them a member already, in JSON. */
const DOCUMENT = {
  summary: {
    ...{ total: 2, created: 1, existing: 1, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 },
    stopped: null,
  },
  run: { id: expect.stringMatching(/^[0-9a-f]{32}$/), continued: false },
  rows: [
    {
      ...{ line: 3, entry: 2, userId: 'usr_2', state: 'existing' },
      error: 'User grace@acme.test is already a member of this organization',
    },
  ],
  mapping: {
    columns: {
      ...{ userId: 'userId', role: 'role', department: 'department', deviceMgmtLabelId: 'deviceMgmtLabelId' },
    },
    active: { isActive: ['true'] },
  },
  totals: {
    ...{ active: 1, inactive: 1, unspecified: 0, roles: { admin: 1, member: 1 }, departments: { it: 1, hr: 1 } },
    statuses: {},
    people: [
      { userId: 'usr_1', role: 'admin', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
      { userId: 'usr_2', role: 'member', department: 'hr', isActive: false },
    ],
    shortestId: 'usr_1',
    longestId: 'usr_1',
  },
  possibleDuplicates: [],
  mismatches: [],
  existingInactive: [{ line: 3, entry: 2, userId: 'usr_2' }],
  authType: 'api-key',
  authenticatedUser: { id: 'usr_9', email: 'owner@acme.test' },
};

describe('the report', () => {
  const report = async (format: string) => {
    const { run } = await cli.scripted([RESPONSE]);
    return run([...ADD, '-o', format], { stdin: TWO });
  };

  it('is a table that counts existing members, after what is sent where, and before the next step', async () => {
    const { service, run } = await cli.scripted([RESPONSE]);
    const { code, stdout, stderr } = await run(ADD, { stdin: TWO });
    expect(code).toBe(3);
    expect(stdout).toMatch(textLike('1 created, 1 existing (run …)\nAuthenticated as owner@acme.test (api-key)\n'));
    expect(stderr).toMatch(
      textLike(`Importing 2 people into ${service.url}
  totals: 1 active, 1 inactive
  roles: admin 1, member 1
warning: 1 … usr_2. …
To exit 0 when people are already members, add --ignore-existing
`),
    );
  });

  it('is one document in JSON, one line for each row and then the summary in ndjson, and rows in csv', async () => {
    expect((await report('json')).json()).toEqual(DOCUMENT);
    const { rows, ...others } = DOCUMENT;
    const lines = (await report('ndjson')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([...rows, { ...others, run: expect.anything() }]);
    expect((await report('csv')).stdout).toBe(
      'line,entry,userId,state,message\n3,2,usr_2,existing,User grace@acme.test is already a member of this organization\n',
    );
  });

  it('begins with a check mark if everybody was added, and says once how to check a list in the sandbox', async () => {
    const next = 'To check a list of your own without sending it, add --dry-run.\n';
    for (const [id, isFirst] of [
      ['usr_0101', true],
      ['usr_0102', false],
    ] as const) {
      const { code, stdout, stderr } = await cli.sandbox(ADD, { stdin: `userId,role\n${id},employee\n` });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ 1 created \(run [0-9a-f]{8}/) });
      expect(stderr.includes(next)).toBe(isFirst);
    }
  });

  it('counts unsent rows in a table, and lists them as JSON and csv', async () => {
    const { run } = await cli.scripted(() => ({ status: 403, body: { message: 'No permission' } }));
    const formatted = (format: string) => run([...ADD, '-o', format], { stdin: listOf(3_000) });
    const { stdout, stderr } = await formatted('table');
    expect(stdout).toBe('3,000 unsent\n');
    expect(stderr.match(/No permission/g)).toHaveLength(1);
    expect((await formatted('csv')).stdout.match(/,unsent,/g)).toHaveLength(3_000);
    expect((await formatted('json')).json()).toMatchObject({ summary: { unsent: 3_000 }, rows: { length: 3_000 } });
  });

  it('lists 10,000 rows in a table and counts the others; the errors file has all of them', async () => {
    const { run } = await cli.scripted(addsMembers({ rejects: (id) => (id === 'usr_1' ? undefined : `no ${id}`) }));
    const errors = cli.file('rejected.csv');
    const { code, stdout } = await run([...ADD, '--errors-file', errors], { stdin: listOf(10_100) });
    expect(code).toBe(3);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => / no usr_\d+$/.test(line))).toHaveLength(10_000);
    expect(lines.slice(-3)).toEqual([
      expect.stringMatching(/^… and 99 more failed: orgadm runs show [0-9a-f]{8} -o csv lists them all$/),
      '',
      expect.stringMatching(/^10,099 failed, 1 created \(run [0-9a-f]{8}\b/),
    ]);
    expect(readFileSync(errors, 'utf8').match(/\n/g)).toHaveLength(10_100);
  });

  it('lists 50 existing rows on a terminal, counts the others, and lists the failed ones after them', async () => {
    const rejects = (id: string) =>
      id.length < 7 ? `User ${id} is already a member` : id === 'usr_120' ? 'no' : undefined;
    const { run } = await cli.scripted(addsMembers({ rejects }));
    const options = { stdin: listOf(130), columns: 100, env: { NO_COLOR: '1' } };
    const lines = (await run([...ADD, '--all-rows'], options)).stdout.trimEnd().split('\n');
    expect(lines.filter((line) => /^ +\d+ .* existing /.test(line))).toHaveLength(50);
    expect(lines).toContainEqual(expect.stringMatching(/^ +121 +usr_120 +failed /));
    expect(lines).toContainEqual(expect.stringMatching(/^… and 49 more existing: orgadm runs show /));
  });

  it('lists created rows, too, with their member IDs, with --all-rows', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_2: 'no' } }));
    const formatted = (format: string) => run([...ADD, '--all-rows', '--restart', '-o', format], { stdin: listOf(2) });
    expect((await formatted('json')).json()).toMatchObject({
      rows: [
        { userId: 'usr_1', state: 'created', error: null, memberId: 'mem_usr_1' },
        { userId: 'usr_2', state: 'failed', error: 'no', memberId: null },
      ],
    });
    expect((await formatted('csv')).stdout).toBe(
      'line,entry,userId,state,message,memberId\n2,1,usr_1,created,,mem_usr_1\n3,2,usr_2,failed,no,\n',
    );
    expect((await formatted('table')).stdout).toMatch(/^ *2 +usr_1 +created +mem_usr_1\b/m);
  });

  it('says how long the run took, and how much of it the service limited requests', async () => {
    const adds = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      service.requests.length === 1 ? { status: 429, headers: { 'retry-after': '38' } } : adds(request, response),
    );
    const { code, stdout } = await run(ADD, { stdin: listOf(2) });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ 2 created \(run [0-9a-f]{8}, 38 s, 38 s of it rate limited\)$/m);
  });

  it('warns once if responses list created members whom the requests did not name', async () => {
    const { run } = await cli.scripted((request) => {
      const created = [...membersOf(request), { userId: 'usr_77' }].map(({ userId }) => ({
        id: `m_${userId}`,
        userId,
      }));
      return { status: 201, body: { created, errors: [] } };
    });
    const { code, stderr } = await run([...ADD, '--batch-size', '1'], { stdin: listOf(2) });
    expect(code).toBe(0);
    expect(stderr.match(/^warning: .*/gm)).toEqual([expect.stringContaining('1 created member')]);
  });
});
