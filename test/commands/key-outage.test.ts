import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../helpers/people-service.ts';
import { errorOf } from '../helpers/report.ts';
import { type Handler, isFirstRead } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { textLike } from '../helpers/text-like.ts';

/*
 * A service whose database is down returns 500 to the first requests, then 401, because it cannot look up keys. That is an
 * outage and not a rejected key.
 */

const cli = createCommandRunner();
const REJECTED = { status: 401, body: { message: 'Invalid or expired API key' } };
const FAILED = { status: 500, body: { message: 'Internal server error' } };

/** Returns a service that sends these responses, and then the last of them again and again. */
function responding(...responses: object[]): Handler {
  let sent = 0;
  return () => responses[Math.min(sent++, responses.length - 1)] ?? {};
}

describe('a 401 after a 5xx', () => {
  it.each([
    ['findings list', ['findings', 'list', '--all']],
    ['role update', ['role', 'update', 'rol_1', '--name', 'Auditor']],
  ])('is reported as an outage after a minute by %s', async (_name, argv) => {
    const { run } = await cli.scripted(responding(FAILED, REJECTED));
    const { code, stderr } = await run([...argv, '--json']);
    expect({ code, error: errorOf({ stderr }) }).toMatchObject({
      code: 6,
      error: { code: 'service-failed', message: 'the service is failing: 500, then 401 Invalid or expired API key' },
    });
  });

  it('does not hide that a write may have been applied', async () => {
    const { run } = await cli.scripted(responding(FAILED, REJECTED));
    const { stderr } = await run(['role', 'update', 'rol_1', '--name', 'Auditor', '--json']);
    expect({ error: errorOf({ stderr }) }).toMatchObject({
      error: {
        hint: 'Gave up after 20 attempts. The service may have processed an earlier attempt. Check the current state before you try again. Try again later.',
      },
    });
  });

  it('is retried, and forgotten when the service is back', async () => {
    const { run } = await cli.scripted(
      responding(FAILED, REJECTED, REJECTED, REJECTED, REJECTED, REJECTED, { body: [] }),
    );
    expect((await run(['findings', 'list', '--all', '--json'])).code).toBe(0);
  });

  it('is a rejected key if nothing failed before it', async () => {
    const { service, run } = await cli.scripted(responding(REJECTED));
    expect((await run(['findings', 'list', '--all', '--json'])).code).toBe(4);
    expect(service.requests).toHaveLength(1);
  });
});

describe('a 401 in an import', () => {
  const ADD = ['people', 'bulk-add', '-', '--json'];
  const stdin = 'userId,role\nusr_1,member\nusr_2,member\n';

  const ADDED = {
    body: {
      created: [{ id: 'mem_usr_1', userId: 'usr_1' }],
      errors: [],
      summary: { total: 1, successful: 1, failed: 0 },
    },
  };

  /** Runs an import whose first read gets this status, and whose rows get these responses before they are added. */
  async function importAfter(status: number, ...replies: object[]) {
    const add = addsMembers();
    let sent = 0;
    const { run } = await cli.scripted(
      (request, response) =>
        isFirstRead(request.path)
          ? { status, body: status === 200 ? [] : { message: 'no' } }
          : (replies[sent++] ?? add(request, response)),
      { scriptsFirstRead: true },
    );
    const clock = createAutoClock();
    const { code, stderr } = await run([...ADD, '--batch-size', '1', '--concurrency', '1'], { stdin, clock });
    return { code, stderr, waits: clock.sleeps };
  }

  it.each([200, 400, 403])('is an outage after a %i, which shows that the service accepted the key', async (status) => {
    const { code, waits } = await importAfter(status, REJECTED, REJECTED);
    expect({ code, waits }).toEqual({ code: 0, waits: [500, 1_000] });
  });

  it('is a rejected key after a 404, because the service may not have looked at the key', async () => {
    const { code, waits } = await importAfter(404, REJECTED);
    expect({ code, waits }).toEqual({ code: 4, waits: [] });
  });

  it.each([
    [REJECTED, '(401 Invalid or expired API key)'],
    [{ status: 401 }, '(401)'],
  ])('ends the import after a minute: %j', async (reply, rejection) => {
    const { stderr } = await importAfter(200, ...Array(100).fill(reply));
    expect(errorOf({ stderr })).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(
        textLike(`the service accepted the API key until 1 m … s ago and has rejected it since ${rejection}`),
      ),
      hint: 'The service may be failing, or someone revoked the key.',
    });
  });

  it.each<[string, object, number]>([
    ['begins another minute once the service has accepted a request', ADDED, 2],
    ['begins no other minute after a 500, which the service also sends while it cannot look up keys', FAILED, 1],
  ])('%s', async (_name, between, minutes) => {
    const { code, waits } = await importAfter(200, ...Array(8).fill(REJECTED), between, ...Array(8).fill(REJECTED));
    expect({ code, minutes: waits.filter((ms) => ms === 500).length }).toEqual({ code: 0, minutes });
  });

  it('counts once for all requests that were on their way', async () => {
    const add = addsMembers();
    const clock = createAutoClock();
    const arrivals = new EventEmitter();
    const { service, run } = await cli.scripted(async (request, response) => {
      const number = service.requests.length;
      if (number === 1 || number > 5) return add(request, response);
      if (number < 4) await once(arrivals, 'all');
      if (number === 4) await clock.advance(10);
      if (number === 4) arrivals.emit('all');
      return REJECTED;
    });
    const list = `${stdin}usr_3,member\nusr_4,member\n`;
    const { code } = await run([...ADD, '--batch-size', '1'], { stdin: list, clock });
    expect({ code, longest: Math.max(...clock.sleeps) }).toEqual({ code: 0, longest: 1_000 });
  });

  it('is an outage although the service has accepted another request by the time orgadm handles it', async () => {
    const add = addsMembers();
    const rejected = new EventEmitter();
    const isRejected = once(rejected, 'sent');
    const { service, run } = await cli.scripted(async (request, response) => {
      const number = service.requests.length;
      if (number === 2) response.once('finish', () => rejected.emit('sent'));
      if (number === 2) return REJECTED;
      if (number === 3) await isRejected;
      return add(request, response);
    });
    // Two responses arrive while orgadm reads on to the fourth person.
    const invalid = `,${'x'.repeat(60_000)}\n`;
    const list = `${stdin}usr_3,member\n${invalid.repeat(200)}usr_4,member\n`;
    const clock = createAutoClock();
    await run([...ADD, '--invalid', 'skip', '--batch-size', '1'], { stdin: list, clock });
    expect({ waits: clock.sleeps, requests: service.requests.length }).toEqual({ waits: [500], requests: 5 });
  });
});
