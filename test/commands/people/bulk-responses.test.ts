import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import type { RawReply, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
const nest = (status: number, message: string): Reply => ({ status, body: { statusCode: status, message } });

describe('a response that ends the run', () => {
  it.each([
    { reply: nest(403, 'Missing right people:create'), code: 4, error: 'forbidden' },
    { reply: { status: 403, body: '<title>Blocked</title>' }, code: 4, error: 'gateway' },
    { reply: nest(404, 'Cannot POST /v1/people/bulk'), code: 5, error: 'not-found' },
  ])('is reported with the unsent rows, and leaves no run behind: $error', async ({ reply, code, error }) => {
    const { service, run } = await cli.scripted([reply]);
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, requests: service.requests.length }).toEqual({ code, requests: 1 });
    expect(reportOf(result)).toMatchObject({
      summary: { total: 2, unsent: 2, stopped: { code: error } },
      rows: [{ state: 'unsent' }, { state: 'unsent' }],
    });
    expect(errorOf(result)).toMatchObject({ code: error, status: reply.status });
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });
});

describe('an ambiguous response', () => {
  it.each<[string, Reply | RawReply]>([
    ['a lost connection', { raw: '', after: 'reset' }],
    ['500', nest(500, 'Internal server error')],
    ['an empty 200', { status: 200 }],
    ['text', { body: 'Accepted' }],
    ['a response without any members', { status: 201, body: { created: [], errors: [] } }],
  ])('has its rows sent again, which are recovered if they are members by then: %s', async (_, first) => {
    const message = 'User is already a member of this organization';
    const adds = addsMembers({ rejected: { usr_1: message, usr_2: message } });
    let requests = 0;
    const { run } = await cli.scripted((request, response) => (requests++ === 0 ? first : adds(request, response)));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 2, recovered: 2 }),
    });
  });

  it('leaves rows unknown that the service never accounts for, quotes it, and exits 3', async () => {
    const { run } = await cli.scripted(() => nest(500, 'Internal server error'));
    const result = await run(ADD, { stdin: LIST });
    expect(result.code).toBe(3);
    const { summary, rows } = reportOf(result);
    expect(summary).toEqual(counts({ total: 2, unknown: 2 }));
    const quoted = expect.stringContaining('Internal server error');
    expect(rows).toMatchObject([{ error: quoted }, { error: quoted }]);
  });
});

describe('a response that lists a person as a member twice', () => {
  it('is reported with both member IDs, also by later commands, and exits 3', async () => {
    const created = ['mem_1', 'mem_2'].map((id) => ({ id, userId: 'usr_1', isActive: true }));
    const { run } = await cli.scripted([{ status: 201, body: { created, errors: [] } }]);
    const first = await run(ADD, { stdin: 'userId,role\nusr_1,member\n' });
    const [{ id }] = (await run(['runs', 'list', '--json'])).json() as [{ id: string }];
    expect(first.code).toBe(3);
    for (const { json, stderr } of [first, await run(['runs', 'show', id, '--json'])]) {
      expect(json()).toMatchObject({ possibleDuplicates: [{ userId: 'usr_1', memberIds: ['mem_1', 'mem_2'] }] });
      expect(stderr).toMatch(/^warning: .*mem_1.*mem_2/m);
    }
  });
});

describe('the report of rows in several requests', () => {
  // A blank line and a cell over two lines put the line numbers out of step with the rows' own.
  const ROWS = [
    'usr_2,member,"it\n"\n',
    '\nusr_3,member,it\n',
    ...[4, 5, 6, 7, 8].map((at) => `usr_${at},member,it\n`),
  ];
  const rejected = { usr_2: 'no usr_2', usr_6: 'no usr_6', usr_8: 'no usr_8' };

  it.each([
    ['3', 0, true],
    ['3', 0, false],
    ['3', 1, false],
    ['500', 1, false],
  ] as const)(
    'names their lines in the list with batches of %s, an index from %i, and userId in errors: %s',
    async (batch, indexBase, identified) => {
      const { run } = await cli.scripted(addsMembers({ rejected, indexBase, identified }));
      const argv = ['people', 'bulk-add', '-', '--batch-size', batch, '-o', 'csv'];
      const stdin = `userId,role,department\nusr_1,member,it\n${ROWS.join('')}`;
      expect(await run(argv, { stdin })).toMatchObject({
        code: 3,
        stdout:
          'line,entry,userId,state,message\n3,2,usr_2,failed,no usr_2\n9,6,usr_6,failed,no usr_6\n11,8,usr_8,failed,no usr_8\n',
      });
    },
  );
});
