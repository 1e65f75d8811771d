import { describe, expect, it } from 'vitest';
import { addsMembers, holdRequest, membersOf, startPeopleService } from '../../helpers/people-service.ts';
import { errorOf, reportOf } from '../../helpers/report.ts';
import type { Handler, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-', '--json'];
const LIST = `userId,role\n${Array.from({ length: 900 }, (_, at) => `usr_${at},Employee\n`).join('')}`;
const MESSAGE = 'role must be one of the following values: admin, employee';

describe('the first batch', () => {
  it('is sent alone until it has ended', async () => {
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const { run } = await cli.scripted([]);
    const running = run([...ADD, '--batch-size', '100', '--base-url', service.url], { stdin: LIST });
    await arrival;
    // If it were not alone, three others would arrive before another request is answered.
    await (await fetch(service.url)).text();
    expect(service.requests).toBe(1);
    release();
    expect(reportOf(await running).summary).toMatchObject({ created: 900 });
    expect(service.requests).toBe(9);
  });

  it.each<[string, Handler]>([
    [
      'rejects as a whole',
      (request) => {
        const message = membersOf(request).map((_, at) => `members.${at}.${MESSAGE}`);
        return { status: 400, body: { message, error: 'Bad Request', statusCode: 400 } };
      },
    ],
    ['rejects row by row', addsMembers({ rejects: () => MESSAGE })],
  ])('of which the service %s every row ends the run with one error that quotes it once', async (_how, service) => {
    const { service: asked, run } = await cli.scripted(service);
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, requests: asked.requests.length }).toEqual({ code: 1, requests: 1 });
    expect(reportOf(result).summary).toMatchObject({ failed: 500, unsent: 400 });
    const { code, message } = errorOf(result);
    expect(code).toBe('rejected');
    expect(message.match(/role must be one of the following values: admin, employee/g)).toHaveLength(1);
    expect(message).toMatch(/\b500 rows\b/);
  });

  it('of which the service accepts one row does not end the run', async () => {
    const { run } = await cli.scripted(addsMembers({ rejects: (id) => (id === 'usr_3' ? undefined : MESSAGE) }));
    const { summary } = reportOf(await run(ADD, { stdin: LIST }));
    expect(summary).toMatchObject({ created: 1, failed: 899, unsent: 0 });
  });
});

describe('a 401 during an import', () => {
  const REJECTED: Reply = { status: 401, body: { message: 'Invalid API key' } };

  /** Rejects the key of one bulk request, by its number from 1. */
  const rejectingKeyOf = (rejected: number): Handler => {
    const adds = addsMembers();
    let requests = 0;
    return (request, response) => (++requests === rejected ? REJECTED : adds(request, response));
  };

  it.each([
    { name: 'after the service has accepted the key', rejected: 2, created: 500, hint: /accepted the key earlier/ },
    { name: 'to the first batch', rejected: 1, created: 0, hint: /^(?!.*earlier)/ },
  ])('ends it, says what to do, and the same command completes it: $name', async ({ rejected, created, hint }) => {
    const { service, run } = await cli.scripted(rejectingKeyOf(rejected));
    const result = await run(ADD, { stdin: LIST });
    expect({ code: result.code, requests: service.requests.length }).toEqual({ code: 4, requests: rejected });
    const { summary } = reportOf(result);
    expect(summary).toMatchObject({ created, unsent: 900 - created, stopped: { code: 'unauthorized' } });
    expect(errorOf(result)).toMatchObject({ code: 'unauthorized', hint: expect.stringMatching(hint) });
    const again = await run(ADD, { stdin: LIST });
    expect({ code: again.code, created: reportOf(again).summary.created }).toEqual({ code: 0, created: 900 });
  });
});
