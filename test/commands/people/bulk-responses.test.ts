import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import type { Handler, RawReply, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
const nest = (status: number, message: string): Reply => ({ status, body: { statusCode: status, message } });

describe('a response that ends the run', () => {
  it.each([
    { name: 'a 403', reply: nest(403, 'Missing right people:create'), code: 4, word: 'forbidden' },
    { name: 'a 404', reply: nest(404, 'Cannot POST /v1/people/bulk'), code: 5, word: 'not-found' },
  ])(
    'is reported with the unsent rows, and leaves no run behind: exit $code for $name',
    async ({ reply, code, word }) => {
      const { service, run } = await cli.scripted([reply]);
      const result = await run(ADD, { stdin: LIST });
      expect(result.code).toBe(code);
      expect(service.requests).toHaveLength(1);
      expect(result.json()).toMatchObject({
        summary: {
          total: 2,
          unsent: 2,
          stopped: { code: word, message: expect.stringContaining(String(reply.status)) },
        },
        rows: [
          { userId: 'usr_1', state: 'unsent' },
          { userId: 'usr_2', state: 'unsent' },
        ],
      });
      expect(JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { code: word, status: reply.status },
      });
      expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
    },
  );

  it('exits with 1 and the message of a service that accepts no row for its own reason', async () => {
    const { run } = await cli.scripted(() => nest(400, 'Organization is archived'));
    const stdin = `${LIST}usr_3,member\n`;
    const result = await run([...ADD, '--batch-size', '2'], { stdin });
    expect(result.code).toBe(1);
    expect(result.json()).toMatchObject({ summary: { failed: 2, unsent: 1 } });
    expect(result.stderr).toContain('Organization is archived');
  });
});

describe('a response that is not an import result', () => {
  it('is quoted on its rows, whose outcome stays unknown if the run ends before orgadm sends them again', async () => {
    const { service, run } = await cli.scripted(() =>
      service.requests.length === 1 ? { body: 'Accepted' } : nest(403, 'Missing right people:create'),
    );
    const { code, json } = await run(ADD, { stdin: LIST });
    expect(code).toBe(4);
    const error = expect.stringMatching(/\(200\).*: Accepted$/);
    expect(json()).toMatchObject({
      rows: [
        { state: 'unknown', error },
        { state: 'unknown', error },
      ],
    });
  });
});

/** One ambiguous response, then a service in which all users are members already. */
const thenMembers = (first: Reply | RawReply): Handler => {
  const message = 'User is already a member of this organization';
  const adding = addsMembers({ rejected: { usr_1: message, usr_2: message } });
  let calls = 0;
  return (request, response) => (calls++ === 0 ? first : adding(request, response));
};

const CUT: RawReply = {
  raw: 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"created":[',
  after: 'end',
};

describe('an ambiguous response', () => {
  it.each([
    { name: 'a lost connection', first: { raw: '', after: 'reset' } as const },
    { name: 'a truncated response', first: CUT },
    { name: '500', first: nest(500, 'Internal server error') },
    { name: 'an empty 200', first: { status: 200 } },
    { name: 'a response without any members', first: { status: 201, body: { created: [], errors: [] } } },
  ])('has its rows sent again, which are members by then: $name', async ({ first }) => {
    const { service, run } = await cli.scripted(thenMembers(first));
    const result = await run(ADD, { stdin: LIST });
    expect(result.json()).toMatchObject({
      summary: { total: 2, recovered: 2, existing: 0, unknown: 0, stopped: null },
      rows: [
        { userId: 'usr_1', state: 'recovered' },
        { userId: 'usr_2', state: 'recovered' },
      ],
    });
    expect(result.code).toBe(0);
    expect(service.requests).toHaveLength(3);
  });

  it('leaves rows unknown that the service never accounts for, and exits with 3', async () => {
    const { run } = await cli.scripted(() => nest(500, 'Internal server error'));
    const result = await run(ADD, { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.json()).toMatchObject({
      summary: { unknown: 2 },
      rows: [{ state: 'unknown' }, { state: 'unknown' }],
    });
  });

  it('counts a row that is then definitely rejected as failed', async () => {
    let calls = 0;
    const rejecting = addsMembers({ rejected: { usr_1: 'No seats left', usr_2: 'No seats left' } });
    const { run } = await cli.scripted((request, response) =>
      calls++ === 0 ? nest(500, 'Internal server error') : rejecting(request, response),
    );
    const result = await run(ADD, { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.json()).toMatchObject({ summary: { unknown: 0, failed: 2 } });
  });
});

describe('a response that lists a person as a member twice', () => {
  it('is reported with both member IDs, also by later commands, and exits 3', async () => {
    const created = ['mem_1', 'mem_2'].map((id) => ({ id, userId: 'usr_1', isActive: true }));
    const { run } = await cli.scripted([{ status: 201, body: { created, errors: [] } }]);
    const first = await run(ADD, { stdin: 'userId,role\nusr_1,member\n' });
    const listed = (await run(['runs', 'list', '--json'])).json() as { id: string }[];
    const shown = await run(['runs', 'show', listed[0]?.id ?? '', '--json']);
    expect(first.code).toBe(3);
    for (const { json, stderr } of [first, shown]) {
      expect(json()).toMatchObject({ possibleDuplicates: [{ userId: 'usr_1', memberIds: ['mem_1', 'mem_2'] }] });
      expect(stderr).toContain('mem_1');
      expect(stderr).toContain('mem_2');
    }
  });
});
