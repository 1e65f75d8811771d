import { describe, expect, it } from 'vitest';
import type { Reply } from '../helpers/scripted-service.ts';
import { commandRuns } from '../helpers/service-run.ts';
import { ANSWERS, INPUTS } from './cases.ts';

const cli = commandRuns();

/** What no trouble may lead to, whatever it is. */
const NEVER = [/\n +at .*:\d+:\d+/, /unexpected error/, /\[object Object\]/, /\bundefined\b/];
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const KEY = 'key-that-nobody-may-read';

describe.each([
  { what: 'an input', cases: INPUTS },
  { what: 'an answer', cases: ANSWERS },
])('$what that is bad', ({ cases }) => {
  it.each(cases)('$name: exit $code', async ({ argv, stdin, answer, code, gist }) => {
    const none: Reply = { status: 599, body: 'nothing was to be asked' };
    const { service, run } = await cli.scripted(() => answer ?? none);
    const result = await run(argv, { stdin, env: { ORGADM_API_KEY: KEY } });
    const said = result.stdout + result.stderr;
    expect({ code: result.code, said }).toEqual({ code, said: expect.stringMatching(gist) });
    expect(service.requests.length > 0).toBe(answer !== undefined);
    expect(said).not.toMatch(CONTROL);
    for (const never of NEVER) expect(said).not.toMatch(never);
    expect(said).not.toContain(KEY);
    const isTold =
      code === 0 || code === 3 || /^(error|hint|to continue|nothing was sent)|^\{"error"/m.test(result.stderr);
    expect(isTold).toBe(true);
  });
});

it('stands in one table of at least 100', () => {
  expect(INPUTS.length + ANSWERS.length).toBeGreaterThanOrEqual(100);
  expect(new Set([...INPUTS, ...ANSWERS].map(({ name }) => name)).size).toBe(INPUTS.length + ANSWERS.length);
});
