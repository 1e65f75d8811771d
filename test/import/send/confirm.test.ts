import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../../helpers/opened.ts';
import { runCli, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { type Handler, type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { createAutoClock, type TestClock } from '../../helpers/test-clock.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();

const USERS = (count: number) => Array.from({ length: count }, (_, at) => `usr_${at + 1}`);
const LATE = { raw: '', after: 'reset' } as const;
const alreadyMember = (userId: string) => `User ${userId}@example.com is already a member of this organization`;

interface LateService {
  /** Memberships of each user. */
  members: Map<string, string[]>;
  handler: Handler;
}

interface LateOptions {
  clock: TestClock;
  /** Members from the start. */
  existing?: readonly string[];
  /** The message of the service about a member. */
  message?: (userId: string) => string;
  /** Users whom the service does not know. */
  unknown?: readonly string[];
  /** Responses for the first requests that hold a user, instead of the usual one; the request is applied `appliedMs` later. */
  lose?: { userId: string; reply?: Reply | RawReply; appliedMs: number | 'never' }[];
}

/**
 * A service without a uniqueness check: it looks up who is a member when a request arrives, and a request whose response
 * is lost may be applied later, at a time of the test's clock.
 */
function lateService({
  clock,
  existing = [],
  unknown = [],
  lose = [],
  message = alreadyMember,
}: LateOptions): LateService {
  const members = new Map<string, string[]>(existing.map((userId) => [userId, [`old_${userId}`]]));
  const pending: { atMs: number; userIds: string[] }[] = [];
  const lost = new Set<unknown>();
  let created = 0;
  const insert = (userIds: readonly string[]) =>
    userIds.map((userId) => {
      const id = `mem_${++created}`;
      members.set(userId, [...(members.get(userId) ?? []), id]);
      return { id, userId, organizationId: 'org_1', isActive: true };
    });
  const applyPending = () => {
    for (const one of pending.splice(0)) {
      if (one.atMs <= clock.now()) insert(one.userIds);
      else pending.push(one);
    }
  };
  const handler: Handler = ({ body }) => {
    applyPending();
    const userIds = (JSON.parse(body) as { members: { userId: string }[] }).members.map(({ userId }) => userId);
    const fresh = userIds.filter((userId) => !members.has(userId) && !unknown.includes(userId));
    const loss = lose.find((one) => userIds.includes(one.userId) && !lost.has(one));
    if (loss !== undefined) {
      lost.add(loss);
      if (loss.appliedMs !== 'never') pending.push({ atMs: clock.now() + loss.appliedMs, userIds: fresh });
      applyPending();
      return loss.reply ?? LATE;
    }
    const errors = userIds.flatMap((userId, index) => {
      if (unknown.includes(userId)) return [{ index, userId, error: `User ${userId} not found` }];
      return members.has(userId) ? [{ index, userId, error: message(userId) }] : [];
    });
    return { status: 201, body: { created: insert(fresh), errors } };
  };
  return { members, handler };
}

interface Report {
  summary: Record<string, unknown>;
  rows: { userId: string; state: string; error: string | null }[];
  duplicates: unknown[];
}

async function add(users: readonly string[], options: Omit<LateOptions, 'clock'>, flags: readonly string[] = []) {
  const clock = createAutoClock();
  const { handler, members } = lateService({ clock, ...options });
  const service = opened(await startScriptedService(handler));
  const list = folder.file('members.csv');
  writeFileSync(list, `userId,role\n${users.map((userId) => `${userId},employee\n`).join('')}`);
  const argv = ['people', 'bulk-add', list, '--json', '--base-url', service.url, ...flags];
  const run = async (more: readonly string[] = []) => {
    const began = service.requests.length;
    const slept = clock.sleeps.length;
    const result = await runCli(folder.path, [...argv, ...more], {
      env: { ORGADM_API_KEY: 'key-for-tests' },
      clock,
      random: () => 0,
    });
    const { summary, rows, duplicates } = result.json() as Report;
    const requests = service.requests
      .slice(began)
      .map(({ body }) => (JSON.parse(body) as { members: { userId: string }[] }).members.map(({ userId }) => userId));
    const waits = clock.sleeps.slice(slept).filter((ms) => ms > 0);
    return { result, summary, rows, duplicates, requests, waits };
  };
  const doubled = () => [...members].filter(([, ids]) => ids.length > 1).map(([userId]) => userId);
  return { ...(await run()), again: run, members, doubled };
}

describe('the confirmation of a request whose connection was lost', () => {
  it('sends its last row first, then the others in one request if it was applied', async () => {
    const users = USERS(150);
    const { summary, requests, waits, result } = await add(users, { lose: [{ userId: 'usr_1', appliedMs: 0 }] }, [
      '--batch-size',
      '50',
    ]);
    expect(requests.slice(3)).toEqual([['usr_50'], users.slice(0, 49)]);
    expect(waits).toEqual([10_000]);
    expect(summary).toMatchObject({ created: 100, recovered: 50, duplicates: 0 });
    expect(result.code).toBe(0);
  });

  it('sends the rows again after the request lifetime, except for the probe, if it was not applied', async () => {
    const { summary, requests, waits, doubled } = await add(USERS(4), {
      lose: [{ userId: 'usr_1', appliedMs: 'never' }],
    });
    expect(requests).toEqual([['usr_1', 'usr_2', 'usr_3', 'usr_4'], ['usr_4'], ['usr_1', 'usr_2', 'usr_3']]);
    expect(waits).toEqual([10_000, 110_000]);
    expect(summary).toMatchObject({ created: 4, duplicates: 0, stopped: null });
    expect(doubled()).toEqual([]);
  });

  it('reports a duplicate of the probe alone if the request is applied late, within its lifetime', async () => {
    const { summary, duplicates, doubled, members, result } = await add(USERS(100), {
      lose: [{ userId: 'usr_1', appliedMs: 90_000 }],
    });
    expect(doubled()).toEqual(['usr_100']);
    expect(summary).toMatchObject({ created: 1, recovered: 99, duplicates: 1 });
    expect(duplicates).toEqual([
      { line: 101, entry: 100, userId: 'usr_100', memberIds: [members.get('usr_100')?.[0]], certain: false },
    ]);
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('warning: 1 user may have been added twice: usr_100 on line 101 (mem_1)\n');
  });

  it('waits for the lifetime that --request-lifetime sets', async () => {
    const lose = [{ userId: 'usr_1', appliedMs: 200_000 }];
    const { waits, doubled } = await add(USERS(3), { lose }, ['--request-lifetime', '5m']);
    expect(waits).toEqual([10_000, 290_000]);
    expect(doubled()).toEqual(['usr_3']);
  });

  it('waits once for several requests', async () => {
    const lose = ['usr_1', 'usr_4', 'usr_7'].map((userId) => ({ userId, appliedMs: 'never' as const }));
    const { waits, summary } = await add(USERS(9), { lose }, ['--batch-size', '3', '--concurrency', '1']);
    expect(waits).toEqual([10_000, 110_000]);
    expect(summary).toMatchObject({ created: 9, duplicates: 0 });
  });

  it.each([408, 502, 503, 504])(
    'waits for the lifetime of the request if a gateway responds with %d',
    async (status) => {
      const { doubled, duplicates } = await add(USERS(3), {
        lose: [{ userId: 'usr_1', reply: { status, body: '<h1>Gateway</h1>' }, appliedMs: 60_000 }],
      });
      expect(doubled()).toEqual(['usr_3']);
      expect(duplicates).toMatchObject([{ userId: 'usr_3' }]);
    },
  );

  it('sends no probe for a single row, which waits for the request lifetime', async () => {
    const { requests, waits, doubled } = await add(['usr_1'], { lose: [{ userId: 'usr_1', appliedMs: 100_000 }] });
    expect(requests).toEqual([['usr_1'], ['usr_1']]);
    expect(waits).toEqual([10_000, 110_000]);
    expect(doubled()).toEqual([]);
  });
});

describe('the confirmation of a request whose response has no result', () => {
  it('waits, because the request may still be running', async () => {
    const reply = { status: 202, body: { status: 'queued' } };
    const { doubled, duplicates } = await add(USERS(3), { lose: [{ userId: 'usr_1', reply, appliedMs: 60_000 }] });
    expect(doubled()).toEqual(['usr_3']);
    expect(duplicates).toMatchObject([{ userId: 'usr_3' }]);
  });
});

describe('the confirmation of a request that the service ended with an error', () => {
  it('sends the rows again at once if the probe is created', async () => {
    const reply = { status: 500, body: { message: 'Internal server error' } };
    const lose = [{ userId: 'usr_1', reply, appliedMs: 'never' as const }];
    const { requests, waits } = await add(USERS(3), { lose });
    expect(requests).toEqual([['usr_1', 'usr_2', 'usr_3'], ['usr_3'], ['usr_1', 'usr_2']]);
    expect(waits).toEqual([10_000]);
  });
});

describe('a probe', () => {
  it('is replaced by the row before it if it is rejected, up to three times', async () => {
    const { requests, rows, waits } = await add(USERS(8), {
      unknown: ['usr_5', 'usr_6', 'usr_7', 'usr_8'],
      lose: [{ userId: 'usr_1', appliedMs: 'never' }],
    });
    expect(requests.slice(1)).toEqual([['usr_8'], ['usr_7'], ['usr_6'], ['usr_1', 'usr_2', 'usr_3', 'usr_4', 'usr_5']]);
    expect(waits).toEqual([10_000, 110_000]);
    expect(rows.map(({ userId, state }) => `${userId} ${state}`)).toEqual([
      'usr_5 failed',
      'usr_6 failed',
      'usr_7 failed',
      'usr_8 failed',
    ]);
  });

  it('needs the agreement of a second one if the run has met existing members', async () => {
    const users = USERS(200);
    const { requests, waits, summary } = await add(
      users,
      { existing: ['usr_120'], lose: [{ userId: 'usr_1', appliedMs: 0 }] },
      ['--batch-size', '50'],
    );
    expect(requests.slice(4)).toEqual([['usr_50'], ['usr_49'], users.slice(0, 48)]);
    expect(waits).toEqual([10_000]);
    expect(summary).toMatchObject({ created: 149, existing: 1, recovered: 50 });
  });

  it('proves nothing if most people of the list are members: no row is sent again before the lifetime', async () => {
    const users = USERS(100);
    const { doubled, summary, waits } = await add(
      users,
      { existing: users.filter((_, at) => at % 10 !== 3), lose: [{ userId: 'usr_1', appliedMs: 90_000 }] },
      ['--batch-size', '50'],
    );
    expect(waits).toEqual([10_000, 110_000]);
    expect(doubled()).toEqual([]);
    expect(summary).toMatchObject({ created: 5, recovered: 50, existing: 45, duplicates: 0 });
  });

  it('stays unknown if the message that rejects it may be about a member', async () => {
    const { rows, requests } = await add(USERS(3), {
      message: () => 'duplicate key value violates unique constraint',
      lose: [{ userId: 'usr_1', appliedMs: 0 }],
    });
    expect(requests).toEqual([['usr_1', 'usr_2', 'usr_3'], ['usr_3'], ['usr_2'], ['usr_1']]);
    expect(rows.map(({ userId, state }) => `${userId} ${state}`)).toEqual([
      'usr_1 unknown',
      'usr_2 unknown',
      'usr_3 unknown',
    ]);
  });

  it.each(['Duplicate deviceMgmtLabelId 5', 'An invitation already exists for this user'])(
    'has failed if it is rejected with "%s"',
    async (message) => {
      const { rows } = await add(USERS(2), { message: () => message, lose: [{ userId: 'usr_1', appliedMs: 0 }] });
      expect(rows.map(({ state }) => state)).toEqual(['failed', 'failed']);
    },
  );

  it('leaves its batch unknown if its own outcome is unknown, until --resume', async () => {
    const { summary, requests, result, again, doubled } = await add(USERS(3), {
      lose: [
        { userId: 'usr_1', appliedMs: 60_000 },
        { userId: 'usr_3', appliedMs: 60_000 },
      ],
    });
    expect(requests).toEqual([['usr_1', 'usr_2', 'usr_3'], ['usr_3']]);
    expect(summary).toMatchObject({ unknown: 3 });
    expect(result.code).toBe(3);

    const resumed = await again(['--resume']);
    expect(resumed.summary).toMatchObject({ recovered: 3, unknown: 0, duplicates: 1 });
    expect(resumed.duplicates).toMatchObject([{ userId: 'usr_3', certain: false }]);
    expect(doubled()).toEqual(['usr_3']);
  });
});

describe('a response that lists two memberships of one user', () => {
  const twice = (second: Record<string, unknown>): Reply => ({
    status: 201,
    body: {
      created: [
        { id: 'mem_1', userId: 'usr_1', organizationId: 'org_1', isActive: true },
        { id: 'mem_2', userId: 'usr_1', organizationId: 'org_1', ...second },
      ],
      errors: [],
      summary: { total: 1, successful: 2, failed: 0 },
    },
  });
  const run = async (reply: Reply) => {
    const service = opened(await startScriptedService([reply]));
    return runCli(folder.path, ['people', 'bulk-add', '-', '--json', '--base-url', service.url], {
      stdin: 'userId,role\nusr_1,employee\n',
      env: { ORGADM_API_KEY: 'key-for-tests' },
    });
  };

  it('is reported with both ids if both are active, and the exit code is 3', async () => {
    const result = await run(twice({ isActive: true }));
    expect(result.json()).toMatchObject({
      summary: { created: 1, duplicates: 1 },
      duplicates: [{ line: 2, entry: 1, userId: 'usr_1', memberIds: ['mem_1', 'mem_2'], certain: true }],
    });
    expect(result.stderr).toContain('warning: 1 user has two active memberships: usr_1 on line 2 (mem_1, mem_2)\n');
    expect(result.code).toBe(3);
  });

  it('is reported with the deactivated membership, and not as inconsistent', async () => {
    const result = await run(twice({ isActive: false }));
    expect(result.json()).toMatchObject({ summary: { created: 1, duplicates: 0 }, duplicates: [] });
    expect(result.stderr).toBe('the service also lists a deactivated membership of usr_1\n');
    expect(result.code).toBe(0);
  });
});
