import { describe, expect, it } from 'vitest';
import type { Handler } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

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
    expect({ code, ...JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') }).toMatchObject({
      code: 6,
      error: { code: 'service-failed', message: 'the service is failing: 500, then 401 Invalid or expired API key' },
    });
  });

  it('does not hide that a write may have been applied', async () => {
    const { run } = await cli.scripted(responding(FAILED, REJECTED));
    const { stderr } = await run(['role', 'update', 'rol_1', '--name', 'Auditor', '--json']);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
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
