import { describe, expect, it } from 'vitest';
import { membersOf } from '../../helpers/people-service.ts';
import type { Handler } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const LIST = 'userId,role,department,isActive\nusr_1,member,it,true\nusr_2,member,hr,false\nusr_3,admin,it,true\n';
const IN_IT = LIST.replace(',hr,', ',it,');
const ADD = ['people', 'bulk-add', '-', '--batch-size', '2', '--concurrency', '1'];

/** Creates everyone, with other values than those that were sent. */
const storing =
  (change: (sent: Record<string, unknown>) => Record<string, unknown>): Handler =>
  (request) => {
    const created = membersOf(request).map((sent) => ({ id: `mem_${sent.userId}`, ...sent, ...change(sent) }));
    return { status: 201, body: { created, errors: [] } };
  };

describe('a created member whose values are not those that were sent', () => {
  it('is reported with both values, and the import exits 3', async () => {
    const { run } = await cli.scripted(
      storing(({ userId }) => (userId === 'usr_3' ? { role: 'employee', department: 'none' } : {})),
    );
    const result = await run([...ADD, '--json'], { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.json()).toMatchObject({
      summary: { created: 3, stopped: null },
      rows: [],
      mismatches: [
        { line: 4, entry: 3, userId: 'usr_3', path: 'role', sent: 'admin', stored: 'employee' },
        { line: 4, entry: 3, userId: 'usr_3', path: 'department', sent: 'it', stored: 'none' },
      ],
    });
    expect(result.stderr).toMatch(/^warning: .*\b2 values\b/m);
  });

  it('has a row in a table, which runs show prints again', async () => {
    const { run } = await cli.scripted(storing(({ role }) => ({ role: role === 'admin' ? 'owner' : role })));
    const { stdout } = await run([...ADD, '--all-rows'], { stdin: LIST });
    const table = `line  userId  field  sent   stored
   4  usr_3   role   admin  owner
`;
    expect(stdout).toContain(table);
    const [{ id }] = (await run(['runs', 'list', '--json'])).json() as [{ id: string }];
    expect((await run(['runs', 'show', id])).stdout).toContain(table);
  });

  it.each<[string, change: Parameters<typeof storing>[0], list: string]>([
    ['only the case differs', ({ role }) => ({ role: String(role).toUpperCase(), department: 'IT' }), IN_IT],
    ['the response does not have the field', () => ({ role: undefined, department: null }), LIST],
    ['it was not sent', () => ({ department: 'none', isActive: true }), 'userId,role\nusr_1,member\n'],
  ])('is none if %s', async (_, change, stdin) => {
    const { run } = await cli.scripted(storing(change));
    const result = await run([...ADD, '--json'], { stdin });
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({ mismatches: [] });
  });

  it('does not end the run if it was sent as active and is inactive', async () => {
    const { run } = await cli.scripted(storing(() => ({ isActive: false })));
    const result = await run([...ADD, '--json'], { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.json()).toMatchObject({
      summary: { created: 3, stopped: null },
      mismatches: [
        { line: 2, userId: 'usr_1', path: 'isActive', sent: true, stored: false },
        { line: 4, userId: 'usr_3', path: 'isActive', sent: true, stored: false },
      ],
    });
  });

  it('ends the run after its batch if it was sent as inactive and is active', async () => {
    const { service, run } = await cli.scripted(storing(() => ({ isActive: true })));
    const result = await run([...ADD, '--json'], { stdin: LIST });
    expect({ code: result.code, requests: service.requests.length }).toEqual({ code: 3, requests: 1 });
    expect(result.json()).toMatchObject({
      summary: { created: 2, unsent: 1, stopped: { code: 'stored-as-active' } },
      mismatches: [{ line: 3, userId: 'usr_2', path: 'isActive', sent: false, stored: true }],
    });
    expect(JSON.parse(result.stderr.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({
      error: { code: 'stored-as-active', message: expect.stringMatching(/\b1 person\b/) },
    });
    // The user has seen it, and decides to go on.
    expect((await run([...ADD, '--json'], { stdin: LIST })).json()).toMatchObject({ summary: { created: 3 } });
  });
});
