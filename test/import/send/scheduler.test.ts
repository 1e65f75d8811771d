import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../../helpers/opened.ts';
import { runCli, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { type Handler, type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();

const RESET: RawReply = { raw: '', after: 'reset' };
const USERS = (count: number) => Array.from({ length: count }, (_, at) => `usr_${at + 1}`);

interface Report {
  summary: Record<string, unknown>;
  rows: { userId: string; state: string; error: string | null }[];
}

/** The userIds of a request. */
function sent(body: string): string[] {
  return (JSON.parse(body) as { members: { userId: string }[] }).members.map(({ userId }) => userId);
}

/** A response that adds all users but those of `errors`, which it rejects with these messages. */
function fine(errors: Record<string, string> = {}): Handler {
  return ({ body }) => {
    const users = sent(body);
    const rejected = users.flatMap((userId, index) =>
      errors[userId] === undefined ? [] : [{ index, userId, error: errors[userId] }],
    );
    const created = users
      .filter((userId) => errors[userId] === undefined)
      .map((userId) => ({ userId, organizationId: 'org_1' }));
    return { status: 201, body: { created, errors: rejected } };
  };
}

async function add(
  users: readonly string[],
  script: Handler | readonly (Reply | RawReply | Handler)[],
  flags: readonly string[] = [],
  random: () => number = () => 0,
) {
  const service = opened(await startScriptedService(script));
  const clock = createAutoClock();
  const list = folder.file('members.csv');
  writeFileSync(list, `userId,role\n${users.map((userId) => `${userId},employee\n`).join('')}`);
  const result = await runCli(
    folder.path,
    ['people', 'bulk-add', list, '--json', '--base-url', service.url, ...flags],
    {
      env: { ORGADM_API_KEY: 'key-for-tests' },
      clock,
      random,
    },
  );
  const report = result.json() as Report;
  const states = Object.fromEntries(
    report.rows.map(({ userId, state, error }) => [userId, error === null ? state : `${state}: ${error}`]),
  );
  return {
    result,
    clock,
    summary: report.summary,
    states,
    requests: service.requests.map(({ body }) => sent(body).join(' ')),
  };
}

/** The sleeps that took time, in milliseconds. */
function waits(clock: TestClock): number[] {
  return clock.sleeps.filter((ms) => ms > 0);
}

describe('ambiguous requests', () => {
  it('are confirmed after the quiet period: rows that are members by then are recovered', async () => {
    const member = 'User a@example.com is already a member of this organization';
    const { result, clock, summary, states, requests } = await add(
      USERS(3),
      [RESET, fine(), fine({ usr_2: member }), fine({ usr_1: member })],
      ['--batch-size', '2'],
    );
    expect(summary).toMatchObject({ total: 3, created: 1, recovered: 2, stopped: null });
    expect(states).toEqual({ usr_1: `recovered: ${member}`, usr_2: `recovered: ${member}` });
    expect(requests).toEqual(['usr_1 usr_2', 'usr_3', 'usr_2', 'usr_1']);
    expect(waits(clock)).toEqual([10_000, 110_000]);
    expect(result.code).toBe(0);
  });

  it('become failed rows if the service then rejects the rows', async () => {
    const { result, states } = await add(USERS(1), [RESET, fine({ usr_1: 'User usr_1 not found' })]);
    expect(states).toEqual({ usr_1: 'failed: User usr_1 not found' });
    expect(result.code).toBe(3);
  });

  it('become failed rows if the service then rejects the request', async () => {
    const rejected: Reply = {
      status: 400,
      body: { message: ['members.0.role must be one of the roles'], statusCode: 400 },
    };
    const { states } = await add(USERS(1), [RESET, rejected]);
    expect(states).toEqual({ usr_1: 'failed: role must be one of the roles' });
  });

  it('stay unknown under --no-confirm, without another request', async () => {
    const { result, summary, requests } = await add(USERS(2), [RESET], ['--no-confirm']);
    expect(summary).toMatchObject({ unknown: 2, stopped: null });
    expect(requests).toHaveLength(1);
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('--resume');
  });

  it('wait for twice the slowest response', async () => {
    const clockOf: { clock?: TestClock } = {};
    const service = opened(
      await startScriptedService([
        async (request, response) => {
          await clockOf.clock?.advance(8_000);
          return fine()(request, response);
        },
        RESET,
        fine(),
      ]),
    );
    const clock = createAutoClock();
    clockOf.clock = clock;
    const { json } = await runCli(
      folder.path,
      ['people', 'bulk-add', '-', '--json', '--batch-size', '1', '--base-url', service.url],
      {
        env: { ORGADM_API_KEY: 'key-for-tests' },
        stdin: 'userId,role\nusr_1,employee\nusr_2,employee\n',
        clock,
      },
    );
    expect((json() as Report).summary).toMatchObject({ created: 2 });
    expect(waits(clock)).toEqual([16_000, 104_000]);
  });

  it('open the circuit breaker after five in a row: then only probes are sent, and three of them end the run', async () => {
    const { result, clock, summary, requests } = await add(USERS(20), Array(8).fill(RESET), [
      '--batch-size',
      '1',
      '--concurrency',
      '1',
    ]);
    expect(summary).toMatchObject({ total: 20, unknown: 8, unsent: 12 });
    expect(requests).toHaveLength(8);
    expect(waits(clock)).toEqual([10_000, 10_000, 10_000]);
    expect(result.code).toBe(6);
  });
});

describe('a response without some of the rows', () => {
  const some: Handler = ({ body }) => ({
    status: 201,
    body: {
      created: sent(body)
        .slice(0, 1)
        .map((userId) => ({ userId })),
      errors: [],
    },
  });

  it('makes the missing rows wait like other ambiguous rows', async () => {
    const { clock, summary, requests } = await add(USERS(2), [some, fine()]);
    expect(summary).toMatchObject({ created: 2 });
    expect(requests).toEqual(['usr_1 usr_2', 'usr_2']);
    expect(waits(clock)).toEqual([10_000]);
  });

  it('counts as ambiguous if it has none of the rows: five in a row open the circuit breaker', async () => {
    const { result, requests } = await add(USERS(20), Array(8).fill({ status: 202, body: { status: 'queued' } }), [
      '--batch-size',
      '1',
      '--concurrency',
      '1',
    ]);
    expect(requests).toHaveLength(8);
    expect(result.code).toBe(6);
  });

  it('attributes an error with another userId to no row of the request', async () => {
    const other: Reply = {
      status: 201,
      body: { created: [], errors: [{ index: 0, userId: 'usr_777', error: 'no such user' }] },
    };
    const { summary } = await add(USERS(1), [other], ['--no-confirm']);
    expect(summary).toMatchObject({ unknown: 1, failed: 0 });
  });
});

describe('a rejection of the entire request with a message about a member', () => {
  const message = 'User b@example.com is already a member of this organization';
  const rejecting =
    (status: number): Handler =>
    (request, response) =>
      sent(request.body).includes('usr_2')
        ? { status, body: { message, statusCode: status } }
        : fine()(request, response);

  it('is attributed to the row that is rejected alone, if the status is 400', async () => {
    const { states, summary } = await add(USERS(4), rejecting(400));
    expect(states).toEqual({ usr_2: `existing: ${message}` });
    expect(summary).toMatchObject({ created: 3, existing: 1 });
  });

  it('is ambiguous if the status is 409, and the confirmation resolves each row', async () => {
    const { states, summary, requests, clock } = await add(USERS(4), rejecting(409));
    expect(requests).toEqual([
      'usr_1 usr_2 usr_3 usr_4',
      'usr_4',
      'usr_1 usr_2 usr_3',
      'usr_1 usr_2',
      'usr_1',
      'usr_2',
      'usr_3',
    ]);
    expect(waits(clock)).toEqual([10_000]);
    expect(states).toEqual({ usr_2: `recovered: ${message}` });
    expect(summary).toMatchObject({ created: 3, recovered: 1 });
  });
});

describe('a run that continues', () => {
  it('remembers how slow the service was, and that it timed out', async () => {
    const list = folder.file('members.csv');
    writeFileSync(list, 'userId,role\nusr_1,employee\nusr_2,employee\n');
    const clock = createTestClock();
    const service = opened(
      await startScriptedService([
        async (request, response) => {
          await clock.advance(7_000);
          return fine()(request, response);
        },
        async () => {
          await clock.advance(30_000);
          return undefined;
        },
        fine(),
      ]),
    );
    const argv = [
      'people',
      'bulk-add',
      list,
      '--json',
      '--batch-size',
      '1',
      '--quiet-period',
      '1s',
      '--base-url',
      service.url,
    ];
    const env = { ORGADM_API_KEY: 'key-for-tests' };
    const first = await runCli(folder.path, [...argv, '--no-confirm'], { env, clock });
    expect((first.json() as Report).summary).toMatchObject({ created: 1, unknown: 1 });

    const auto = createAutoClock();
    const second = await runCli(folder.path, [...argv, '--resume'], { env, clock: auto });
    expect((second.json() as Report).summary).toMatchObject({ created: 2 });
    expect(waits(auto)).toEqual([30_000, 97_000]);
  });
});

describe('rejected requests', () => {
  const bad = (...named: number[]): Reply => ({
    status: 400,
    body: { message: named.map((at) => `members.${at}.role is not known`), error: 'Bad Request', statusCode: 400 },
  });

  /** Rejects every request with one of these users, whose positions it names as `name` says. */
  const naming =
    (invalid: readonly string[], name: (at: number) => number): Handler =>
    (request, response) => {
      const named = sent(request.body).flatMap((userId, at) => (invalid.includes(userId) ? [name(at)] : []));
      return named.length > 0 ? bad(...named) : fine()(request, response);
    };

  it('fail the named rows, each with its own message, as soon as the others are accepted', async () => {
    const { states, requests, summary } = await add(USERS(6), [
      {
        status: 400,
        body: {
          message: [
            'members.1.role should not be empty',
            'members.4.role is not known',
            'members.4.property email should not exist',
          ],
        },
      },
      fine(),
    ]);
    expect(requests).toEqual(['usr_1 usr_2 usr_3 usr_4 usr_5 usr_6', 'usr_1 usr_3 usr_4 usr_6']);
    expect(states).toEqual({
      usr_2: 'failed: role should not be empty',
      usr_5: 'failed: role is not known; property email should not exist',
    });
    expect(summary).toMatchObject({ created: 4, failed: 2 });
  });

  it('make a row existing if they name it as a member', async () => {
    const message = 'members.1.userId: User b@example.com is already a member of this organization';
    const { states } = await add(USERS(3), [{ status: 400, body: { message } }, fine()]);
    expect(states).toEqual({
      usr_2: 'existing: userId: User b@example.com is already a member of this organization',
    });
  });

  it('cost two requests, however many of the rows are invalid', async () => {
    const invalid = USERS(500).filter((_, at) => at % 2 === 0);
    const { requests, summary } = await add(
      USERS(500),
      naming(invalid, (at) => at),
    );
    expect(requests).toHaveLength(2);
    expect(summary).toMatchObject({ created: 250, failed: 250 });
  });

  it('fail all rows at once if they name every row', async () => {
    const message = (at: number) =>
      `members.${at}.department must be one of the following values: ${'it, hr, '.repeat(200)}`;
    const { result, requests, states } = await add(USERS(500), [
      { status: 400, body: { message: USERS(500).map((_, at) => message(at)), statusCode: 400 } },
    ]);
    expect(requests).toHaveLength(1);
    expect(new Set(Object.values(states).map((text) => text.length))).toEqual(new Set([expect.any(Number)]));
    expect(Math.max(...Object.values(states).map((text) => text.length))).toBeLessThanOrEqual(300 + 'failed: '.length);
    expect(result.stdout.length).toBeLessThan(500 * 500);
  });

  it.each([
    { says: 'counted from one', name: (at: number) => at + 1 },
    { says: 'always that of the first entry', name: () => 0 },
    { says: 'counted from the end', name: (at: number) => 499 - at },
  ])('fail no valid row if they name a wrong position ($says)', async ({ name }) => {
    const { states, summary, requests } = await add(USERS(500), naming(['usr_124'], name));
    expect(states).toEqual({ usr_124: 'failed: role is not known' });
    expect(summary).toMatchObject({ created: 499, failed: 1 });
    expect(requests.length).toBeLessThan(25);
  });

  it('are not trusted in the rest of the run after they named a wrong position', async () => {
    const invalid = ['usr_2', 'usr_6'];
    const { states, requests } = await add(
      USERS(8),
      naming(invalid, (at) => at + 1),
      ['--batch-size', '4', '--concurrency', '1'],
    );
    expect(requests).toEqual([
      'usr_1 usr_2 usr_3 usr_4',
      'usr_1 usr_2 usr_4',
      'usr_1 usr_2',
      'usr_1',
      'usr_2',
      'usr_3 usr_4',
      'usr_5 usr_6 usr_7 usr_8',
      'usr_5 usr_6',
      'usr_5',
      'usr_6',
      'usr_7 usr_8',
    ]);
    expect(states).toEqual({ usr_2: 'failed: role is not known', usr_6: 'failed: role is not known' });
  });

  it('leave the named rows to a separate request if the outcome of the others is unknown', async () => {
    const { states, requests } = await add(USERS(3), [bad(1), RESET, bad(0), fine(), fine()]);
    expect(requests).toEqual(['usr_1 usr_2 usr_3', 'usr_1 usr_3', 'usr_2', 'usr_3', 'usr_1']);
    expect(states).toEqual({ usr_2: 'failed: role is not known' });
  });

  it('are halved if they name no row', async () => {
    const no: Reply = { status: 422, body: { message: 'Unprocessable' } };
    const { states, requests } = await add(USERS(4), [no, fine(), no, fine(), no]);
    expect(requests).toEqual(['usr_1 usr_2 usr_3 usr_4', 'usr_1 usr_2', 'usr_3 usr_4', 'usr_3', 'usr_4']);
    expect(states).toEqual({ usr_4: 'failed: Unprocessable' });
  });

  it('end the run with the message of the service if every row of the first batch is rejected', async () => {
    const { result, summary, requests } = await add(USERS(6), [bad(), bad(), bad()], ['--batch-size', '2']);
    expect(requests).toEqual(['usr_1 usr_2', 'usr_1', 'usr_2']);
    expect(summary).toMatchObject({ failed: 2, unsent: 4 });
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'rejected', status: 400 },
    });
  });

  /** Rejects every request with one of these users, with the same short message. */
  const rejecting =
    (invalid: readonly string[]): Handler =>
    (request, response) =>
      sent(request.body).some((userId) => invalid.includes(userId))
        ? { status: 400, body: { message: 'Validation failed', statusCode: 400 } }
        : fine()(request, response);

  it('are split down to single rows as long as some rows are accepted', async () => {
    const invalid = USERS(100).filter((_, at) => at % 10 === 3);
    const { states, summary } = await add(USERS(100), rejecting(invalid));
    expect(summary).toMatchObject({ created: 90, failed: 10 });
    expect(states).toEqual(Object.fromEntries(invalid.map((userId) => [userId, 'failed: Validation failed'])));
  });

  it.each([
    { place: 'first', invalid: USERS(200).slice(0, 12) },
    { place: 'in the middle', invalid: USERS(200).slice(80, 104) },
    { place: 'last', invalid: USERS(200).slice(176) },
    { place: 'every fifth', invalid: USERS(200).filter((_, at) => at % 5 === 0) },
  ])('fail no valid row if many invalid ones are $place', async ({ invalid }) => {
    const { summary } = await add(USERS(200), rejecting(invalid));
    expect(summary).toMatchObject({ created: 200 - invalid.length, failed: invalid.length });
  });

  it('cost a limited number of requests if no row is accepted, and the report says that the rest was not tried alone', async () => {
    const users = USERS(128);
    const { states, requests, summary } = await add(users, rejecting(users.slice(64)), ['--batch-size', '64']);
    expect(requests).toHaveLength(1 + 1 + 28);
    expect(summary).toMatchObject({ created: 64, failed: 64 });
    expect(states.usr_65).toBe('failed: Validation failed');
    expect(states.usr_128).toBe('failed: rejected together with other rows, not tried alone: Validation failed');
  });
});

describe('requests that are too large', () => {
  const most =
    (count: number): Handler =>
    (request, response) =>
      sent(request.body).length > count
        ? { status: 400, body: { message: `Maximum ${count} members allowed per bulk request`, statusCode: 400 } }
        : fine()(request, response);

  it('are cut to the size in the message, which then holds for the run', async () => {
    const { requests, summary } = await add(USERS(8), most(2), ['--batch-size', '4']);
    expect(requests).toEqual(['usr_1 usr_2 usr_3 usr_4', 'usr_1 usr_2', 'usr_3 usr_4', 'usr_5 usr_6', 'usr_7 usr_8']);
    expect(summary).toMatchObject({ created: 8 });
  });

  it('are halved if the message has no size', async () => {
    const large: Reply = { status: 413, body: '<html><title>413 Request Entity Too Large</title></html>' };
    const { requests } = await add(USERS(4), [large, fine(), fine()]);
    expect(requests).toEqual(['usr_1 usr_2 usr_3 usr_4', 'usr_1 usr_2', 'usr_3 usr_4']);
  });
});

describe('rate limits', () => {
  const limited = (seconds?: number): Reply => ({
    status: 429,
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
    body: 'slow down',
  });

  it('are waited for as long as the service asks, and do not count as a retry', async () => {
    const { clock, summary, requests } = await add(
      USERS(2),
      [limited(60), fine(), limited(42), fine()],
      ['--batch-size', '1', '--retries', '0'],
    );
    expect(summary).toMatchObject({ created: 2 });
    expect(requests).toEqual(['usr_1', 'usr_1', 'usr_2', 'usr_2']);
    expect(waits(clock)).toEqual([60_020, 42_020]);
  });

  it('end the run with --retries 0 if the request after the wait is also rejected', async () => {
    const { result, summary } = await add(USERS(1), [limited(1), limited(1)], ['--retries', '0']);
    expect(summary).toMatchObject({ unsent: 1 });
    expect(result.code).toBe(6);
  });

  it('are waited for with pauses of up to a minute without any header, and end the run after ten minutes', async () => {
    const { result, clock, summary } = await add(
      USERS(1),
      () => limited(),
      [],
      () => 0.999,
    );
    expect(summary).toMatchObject({ unsent: 1 });
    expect(result.code).toBe(6);
    expect(result.stderr).toContain('the service has accepted no request for 1');
    const pauses = waits(clock);
    const total = pauses.reduce((sum, pause) => sum + pause);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
    expect(total).toBeGreaterThanOrEqual(600_000);
    expect(total).toBeLessThanOrEqual(660_000);
  });

  it('add at most a second to what the service asks', async () => {
    const { clock } = await add(USERS(1), [limited(60), fine()], [], () => 1);
    expect(waits(clock)).toEqual([61_020]);
  });

  it('back off when the service asks for no wait', async () => {
    const { clock } = await add(USERS(1), [limited(0), fine()], [], () => 0.5);
    expect(waits(clock)).toEqual([750]);
  });

  it('are waited for before a request is rejected if headers announce them', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' };
    const used: Handler = async (...exchange) => ({ ...((await fine()(...exchange)) as Reply), headers });
    const { clock, summary, requests, result } = await add(USERS(2), [used, fine()], ['--batch-size', '1']);
    expect(summary).toMatchObject({ created: 2 });
    expect(requests).toEqual(['usr_1', 'usr_2']);
    expect(waits(clock)).toEqual([42_050]);
    expect(result.stderr).toContain('took 42s, 42s of it rate limited');
  });

  it('let batches grow to 1,000 entries, unless the service rejects that size', async () => {
    const users = Array.from({ length: 4_600 }, (_, at) => `usr_${at}`);
    const tooLarge: Reply = { status: 413, body: 'too large' };
    const fines = (count: number) => Array.from({ length: count }, () => fine());
    const options = ['--concurrency', '1'];
    const { summary, requests } = await add(users, [limited(1), ...fines(2), tooLarge, ...fines(7)], options);
    expect(summary).toMatchObject({ created: 4_600 });
    expect(requests.map((ids) => ids.split(' ').length)).toEqual([
      500, 500, 1000, 1000, 500, 500, 500, 500, 500, 500, 100,
    ]);
  });

  it('respect --batch-size', async () => {
    const options = ['--concurrency', '1', '--batch-size', '2'];
    const { requests } = await add(USERS(6), [limited(1), fine(), fine(), fine()], options);
    expect(requests.map((ids) => ids.split(' ').length)).toEqual([2, 2, 2, 2]);
  });

  it('end the run at once if the wait is longer than ten minutes', async () => {
    const { result, clock, summary } = await add(USERS(1), [limited(601)]);
    expect(summary).toMatchObject({ unsent: 1 });
    expect(waits(clock)).toEqual([]);
    expect(result.code).toBe(6);
    expect(result.stderr).toContain('10m 01s');
  });
});

describe('the end of a run', () => {
  it.each([
    { status: 401, code: 4 },
    { status: 403, code: 4 },
    { status: 404, code: 5 },
  ])('follows one request with the status $status, and the rest is unsent', async ({ status, code }) => {
    const { result, summary, requests } = await add(
      USERS(9),
      [{ status, body: { message: 'no', statusCode: status } }],
      ['--batch-size', '1'],
    );
    expect(requests).toHaveLength(1);
    expect(summary).toMatchObject({ unsent: 9, unknown: 0 });
    expect(result.code).toBe(code);
  });

  it('follows a redirect, which leaves its rows unknown', async () => {
    const { result, summary } = await add(
      USERS(3),
      [{ status: 302, headers: { location: 'https://login.example.com/' } }],
      ['--batch-size', '2'],
    );
    expect(summary).toMatchObject({ unknown: 2, unsent: 1 });
    expect(result.code).toBe(1);
  });

  it('follows a response of another organization', async () => {
    const other: Handler = ({ body }) => ({
      status: 201,
      body: { created: sent(body).map((userId) => ({ userId, organizationId: 'org_2' })) },
    });
    const { result, summary } = await add(USERS(3), [fine(), other], ['--batch-size', '1', '--concurrency', '1']);
    expect(summary).toMatchObject({ created: 1, failed: 1, unsent: 1 });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('org_2');
  });

  it('is reported again for another organization, also for a finished list', async () => {
    const elsewhere: Handler = ({ body }) => ({
      status: 201,
      body: { created: sent(body).map((userId) => ({ userId, organizationId: `org_of_${userId}` })) },
    });
    const service = opened(await startScriptedService(elsewhere));
    const list = folder.file('members.csv');
    writeFileSync(list, 'userId,role\nusr_1,employee\nusr_2,employee\n');
    const argv = ['people', 'bulk-add', list, '--json', '--base-url', service.url, '--batch-size', '1', '--resume'];
    for (const sending of ['it starts now', 'nothing is sent']) {
      const result = await runCli(folder.path, argv, { env: { ORGADM_API_KEY: 'key-for-tests' } });
      expect((result.json() as Report).summary).toMatchObject({
        created: 1,
        failed: 1,
        stopped: {
          code: 'other-organization',
          message:
            'the service added people to organization org_of_usr_2, after it had added others of this list to org_of_usr_1',
        },
      });
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(sending);
    }
    expect(service.requests).toHaveLength(2);
  });

  it('follows a minute in which the service cannot be reached, with everything unsent', async () => {
    const gone = await startScriptedService([]);
    await gone.close();
    const clock = createAutoClock();
    const result = await runCli(folder.path, ['people', 'bulk-add', '-', '--json', '--base-url', gone.url], {
      env: { ORGADM_API_KEY: 'key-for-tests' },
      stdin: 'userId,role\nusr_1,employee\n',
      clock,
      random: () => 0.5,
    });
    expect((result.json() as Report).summary).toMatchObject({ unsent: 1, unknown: 0 });
    expect(waits(clock).reduce((sum, ms) => sum + ms)).toBe(60_000);
    expect(result.code).toBe(6);
  });

  it('follows at once if the host does not exist, because the base URL is wrong', async () => {
    const clock = createAutoClock();
    const argv = ['people', 'bulk-add', '-', '--json', '--base-url', 'https://no-such-host.invalid'];
    const result = await runCli(folder.path, argv, {
      env: { ORGADM_API_KEY: 'key-for-tests' },
      stdin: 'userId,role\nusr_1,employee\n',
      clock,
    });
    expect(waits(clock)).toEqual([]);
    expect(result.code).toBe(6);
    expect(result.stderr).toContain('no-such-host.invalid');
  });

  it('follows at once if the service cannot be reached under --retries 0', async () => {
    const gone = await startScriptedService([]);
    await gone.close();
    const clock = createAutoClock();
    const argv = ['people', 'bulk-add', '-', '--json', '--base-url', gone.url, '--retries', '0'];
    const result = await runCli(folder.path, argv, {
      env: { ORGADM_API_KEY: 'key-for-tests' },
      stdin: 'userId,role\nusr_1,employee\n',
      clock,
    });
    expect(waits(clock)).toEqual([]);
    expect(result.code).toBe(6);
  });

  const unauthorized: Reply = { status: 401, body: { message: 'Invalid or expired API key', statusCode: 401 } };

  it('does not follow if an accepted key is rejected for a while', async () => {
    const { result, clock, summary, requests } = await add(
      USERS(2),
      [fine(), unauthorized, unauthorized, fine()],
      ['--batch-size', '1'],
      () => 0.5,
    );
    expect(summary).toMatchObject({ created: 2, stopped: null });
    expect(requests).toEqual(['usr_1', 'usr_2', 'usr_2', 'usr_2']);
    expect(waits(clock)).toEqual([750, 1_500]);
    expect(result.code).toBe(0);
  });

  it('does not follow if the key is rejected after entries were rejected', async () => {
    const rejected: Reply = { status: 400, body: { message: ['members.0.role is not known'] } };
    const { summary, requests } = await add(
      USERS(2),
      [rejected, unauthorized, fine()],
      ['--batch-size', '1', '--concurrency', '1'],
    );
    expect(requests).toEqual(['usr_1', 'usr_2', 'usr_2']);
    expect(summary).toMatchObject({ created: 1, failed: 1 });
  });

  it('follows a minute in which an accepted key is rejected, and the error says so', async () => {
    let calls = 0;
    const { result, clock, summary } = await add(
      USERS(3),
      (request, response) => (calls++ === 0 ? fine()(request, response) : unauthorized),
      ['--batch-size', '1', '--concurrency', '1'],
    );
    expect(summary).toMatchObject({ created: 1, unsent: 2, unknown: 0 });
    expect(waits(clock).reduce((sum, ms) => sum + ms)).toBe(60_000);
    expect(result.code).toBe(4);
    expect(result.stderr).toContain(
      'the API key was accepted until 1m 00s ago and has been rejected since (401 Invalid or expired API key)"',
    );
    expect(result.stderr).toContain('to continue: orgadm people bulk-add');
  });
});
