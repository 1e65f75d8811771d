import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseVariants } from '../../../src/sandbox/behaviors.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startAddMembersService } from '../../helpers/people-service.ts';
import { type CliResult, MemoryTerminal } from '../../helpers/run-cli.ts';
import type { Handler, Recorded } from '../../helpers/scripted-service.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const opened = closeAfterTests();

const CALIBRATE = ['doctor', '--calibrate', '--member', 'usr_0003'];

interface Calibrated {
  calibration: {
    learned: { topic: string; value: unknown; detail: string; setting: string | null }[];
    added: { userId: string | null; memberId: string | null }[];
    profile: string | null;
  };
}
const calibrationOf = (result: CliResult) => (result.json() as Calibrated).calibration;
const valuesOf = (result: CliResult) =>
  Object.fromEntries(calibrationOf(result).learned.map(({ topic, value }) => [topic, value]));

const USUAL = {
  'error-index-base': 0,
  'existing-message': 'User * is already a member of this organization',
  'unknown-message': 'User * not found',
  'names-base': 0,
  'device-label': true,
};

describe('a calibration with the sandbox', () => {
  it.each([
    ['summary=correct', {}],
    ['summary=wrong', {}],
    ['summary=absent', {}],
    ['index-base=1', { 'error-index-base': 1 }],
    ['error-names=userId', { 'error-index-base': null }],
    ['error-names=index', {}],
    ['error-names=index,index-base=1', { 'error-index-base': 1 }],
    ['error-names=neither', { 'error-index-base': null }],
    ['member-message=exists', { 'existing-message': 'Membership of * already exists' }],
    ['member-message=code', { 'existing-message': 'ALREADY_MEMBER' }],
    ['member-message=other', { 'existing-message': '* is on board already' }],
    ['label-name=tag', { 'device-label': false }],
    ['label-name=tag,entry-rejection=entry', { 'device-label': false, 'names-base': null }],
    ['label-name=tag,error-shape=empty', { 'device-label': false, 'names-base': null }],
    ['entry-rejection=entry', { 'names-base': null }],
    ['department=required', {}],
    ['authenticated-user=no,auth-type=absent', {}],
    ['success-status=200', {}],
    ['success-status=207', {}],
    ['error-shape=problem', {}],
    ['error-shape=nested', {}],
    ['error-shape=string', {}],
    ['error-shape=html', { 'names-base': null }],
    ['error-shape=empty', { 'names-base': null }],
  ])('learns what --variant %s does, and adds no one', async (variant, expected) => {
    const result = await cli.sandbox([...CALIBRATE, '--json', '--variant', variant]);
    expect(result.code).toBe(0);
    expect(valuesOf(result)).toEqual({ ...USUAL, ...expected });
    expect(calibrationOf(result)).toMatchObject({ added: [], profile: null });
  });

  it('learns the same whatever the order of the rows, and without their users', async () => {
    const result = await cli.sandbox([...CALIBRATE, '--json', '--fault', 'shuffle=1,no-user-id=1,seed=7']);
    expect(valuesOf(result)).toEqual(USUAL);
  });

  it('fails if responses have no body', async () => {
    const { code, stderr } = await cli.sandbox([...CALIBRATE, '--variant', 'success-status=204']);
    expect(code).toBe(1);
    expect(stderr).toContain('Check that no one was added');
  });

  it('never asks, and shows every request before it is sent', async () => {
    const { code, stderr } = await cli.sandbox(CALIBRATE);
    expect(code).toBe(0);
    expect(stderr).toMatch(/POST \/v1\/people\/bulk \{"members":\[\{"userId":"usr_0003","role":"member"/);
    expect(stderr.match(/POST /g)).toHaveLength(3);
  });

  it('prints its result as a table and as csv', async () => {
    const table = await cli.sandbox(CALIBRATE);
    expect(table.stdout).toMatch(/^topic +learned +setting\nerror-index-base +errors\[\]\.index counts from 0 +wire/);
    const csv = await cli.sandbox([...CALIBRATE, '-o', 'csv']);
    expect(csv.stdout).toMatch(/^topic,value,detail,setting\nerror-index-base,0,/);
  });

  it('names the new member and exits with 1 if the service adds the user', async () => {
    const result = await cli.sandbox(['doctor', '--calibrate', '--member', 'usr_0999', '--json']);
    expect(result.code).toBe(1);
    const [added] = calibrationOf(result).added;
    expect(added).toEqual({ userId: 'usr_0999', memberId: expect.stringMatching(/^mem_/) });
    expect(JSON.parse(result.stderr.split('\n').at(-2) ?? '')).toMatchObject({
      error: { code: 'added', message: `the service ADDED usr_0999 (member ${added?.memberId}); nothing was stored` },
    });
  });
});

describe('a calibration with a service', () => {
  const settings = () => JSON.parse(readFileSync(cli.file('config/config.json'), 'utf8')).profiles;
  const ALREADY = 'usr_0003 is on board';

  /** Rejects the member with one message, and everybody else with another. */
  const service: Handler = (request, response) => {
    const { members } = JSON.parse(request.body) as { members: { userId: string; role: string }[] };
    const malformed = members.findIndex(({ role }) => role === '');
    if (malformed >= 0) {
      return { status: 400, body: { message: [`members.${malformed + 1}.role should not be empty`] } };
    }
    const rejected = Object.fromEntries(members.map(({ userId }) => [userId, `no user ${userId}`]));
    return startAddMembersService({ rejected: { ...rejected, usr_0003: ALREADY }, base: 1 })(request, response);
  };
  const bodies = (requests: readonly Recorded[]) => requests.map(({ method, path }) => `${method} ${path}`);

  it('stores what it learns in the profile, in addition to the existing phrases', async () => {
    await cli.plain(['config', 'set', 'wire.member.existing', 'is a colleague']);
    const scripted = await cli.scripted(service);
    const result = await scripted.run([...CALIBRATE, '--yes', '--json']);
    expect(result.code).toBe(0);
    expect(calibrationOf(result).profile).toBe('default');
    expect(settings().default).toEqual({
      'wire.member.errorIndexBase': 1,
      'wire.member.existing': ['is a colleague', '* is on board'],
      'wire.member.unknown': ['no user *'],
      'wire.member.namesBase': 1,
    });
    expect(bodies(scripted.service.requests)).toEqual(['POST /v1/people/bulk', 'POST /v1/people/bulk']);
  });

  it('stores the same settings once if it is repeated', async () => {
    const { run } = await cli.scripted(service);
    await run([...CALIBRATE, '--yes']);
    const before = settings();
    expect((await run([...CALIBRATE, '--yes'])).code).toBe(0);
    expect(settings()).toEqual(before);
  });

  it('advises to check a message that does not sound like one for a member', async () => {
    const { run } = await cli.scripted(service);
    const { stderr } = await run([...CALIBRATE, '--yes']);
    expect(stderr).toContain(`Check that "${ALREADY}" states that the user is already a member.`);
  });

  it('stores nothing in the profile of another service', async () => {
    await cli.plain(['config', 'set', 'base-url', 'https://other.test']);
    const { run } = await cli.scripted(service);
    const result = await run([...CALIBRATE, '--yes', '--json']);
    expect(calibrationOf(result).profile).toBeNull();
    expect(result.stderr).toContain('profile default is for another service, https://other.test');
    expect(settings()).toEqual({ default: { 'base-url': 'https://other.test' } });
  });

  it('asks on a terminal, and sends nothing unless the user types yes', async () => {
    for (const [typed, requests] of [
      ['n\n', 0],
      ['\n', 0],
      ['yes\n', 2],
    ] as const) {
      const scripted = await cli.scripted(service);
      const terminal = new MemoryTerminal([typed]);
      const { code, stderr } = await scripted.run(CALIBRATE, { terminal });
      expect(stderr).toContain('Send these requests? [y/N] ');
      expect({ typed, code }).toEqual({ typed, code: requests === 0 ? 2 : 0 });
      expect(scripted.service.requests).toHaveLength(requests);
    }
  });

  it('needs --yes where there is no terminal', async () => {
    const scripted = await cli.scripted(service);
    expectUsageError(
      await scripted.run(CALIBRATE),
      '--calibrate sends requests that could add people, and there is no terminal to ask on',
      'Add --yes if the user of --member is a member already.',
    );
    expect(scripted.service.requests).toEqual([]);
  });

  it('sends the given role and department, and suggests which ones to try if they are rejected', async () => {
    const rejecting: Handler = () => ({ status: 400, body: { message: ['members.0.role must be one of: staff'] } });
    const scripted = await cli.scripted(rejecting);
    const argv = [...CALIBRATE, '--yes', '--role', 'boss', '--department', 'it'];
    const { code, stderr } = await scripted.run(argv);
    expect(code).toBe(1);
    expect(stderr).toContain('the service rejected both entries: members.0.role must be one of: staff');
    expect(stderr).toContain('--role and --department');
    expect(scripted.service.requests).toHaveLength(2);
    expect(scripted.service.requests[0]?.body).toContain('"role":"boss","department":"it"');
  });

  it('keeps what the first request showed if the second one fails', async () => {
    let requests = 0;
    const { run } = await cli.scripted((request, response) =>
      ++requests === 1 ? service(request, response) : { status: 429, headers: { 'retry-after': '60' } },
    );
    const result = await run([...CALIBRATE, '--yes', '--json']);
    expect(result.code).toBe(0);
    expect(valuesOf(result)).toMatchObject({ 'error-index-base': 1, 'names-base': null });
  });

  it.each([
    [401, 4],
    [403, 4],
    [429, 6],
  ])('ends with the exit code of a %i and stores nothing', async (status, code) => {
    const { run } = await cli.scripted([{ status, body: { message: 'no' } }]);
    expect((await run([...CALIBRATE, '--yes'])).code).toBe(code);
  });

  it('reports an unknown outcome if the first request fails', async () => {
    const { run } = await cli.scripted([{ status: 500 }]);
    const { code, stderr } = await run([...CALIBRATE, '--yes']);
    expect(code).toBe(6);
    expect(stderr).toContain('The request may have been processed. Check that no one was added');
  });
});

describe('an import after a calibration', () => {
  it('recognizes the message of a service that no wording would have recognized', async () => {
    const sandbox = opened(
      await startSandbox({
        stateFile: cli.file('service.json'),
        variants: parseVariants('member-message=other,error-names=index,index-base=1'),
      }),
    );
    const env = { ORGADM_BASE_URL: sandbox.url, ORGADM_API_KEY: sandbox.apiKey };
    const list = cli.file('list.csv');
    writeFileSync(list, 'userId,role\nusr_0003,member\n');
    const importList = () => cli.plain(['people', 'bulk-add', list, '--json', '--restart'], { env });
    expect((await importList()).json()).toMatchObject({ summary: { failed: 1, existing: 0 } });
    expect((await cli.plain([...CALIBRATE, '--yes'], { env })).code).toBe(0);
    expect((await importList()).json()).toMatchObject({ summary: { failed: 0, existing: 1 } });
  });
});

describe('the options of a calibration', () => {
  it('are rejected without a member', async () => {
    const hint = 'Name a user who is already a member: --member <user-id>';
    expectUsageError(await cli.plain(['doctor', '--calibrate']), '--calibrate requires --member', hint);
  });
});
