import { describe, expect, it } from 'vitest';
import type { Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { INPUTS, RESPONSES } from './cases.ts';

const cli = createCommandRunner();

/** Text that no failure may print. */
const NEVER = [/\n +at .*:\d+:\d+/, /unexpected error/, /\[object Object\]/, /\bundefined\b/];
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const KEY = 'key-that-must-stay-secret';

describe.each([
  { what: 'input', cases: INPUTS },
  { what: 'response', cases: RESPONSES },
])('an invalid $what', ({ cases }) => {
  it.each(cases)(
    'is reported with its exit code and a helpful message: $name',
    async ({ argv, stdin, response, code, expectedMessage }) => {
      const none: Reply = { status: 599, body: 'unexpected request' };
      const { service, run } = await cli.scripted(() => response ?? none);
      const result = await run(argv, { stdin, env: { ORGADM_API_KEY: KEY } });
      const output = result.stdout + result.stderr;
      expect({ code: result.code, output }).toEqual({ code, output: expect.stringMatching(expectedMessage) });
      expect(service.requests.length > 0).toBe(response !== undefined);
      expect(output).not.toMatch(CONTROL);
      for (const never of NEVER) expect(output).not.toMatch(never);
      expect(output).not.toContain(KEY);
      const isReported =
        code === 0 || code === 3 || /^(error|hint|to continue|nothing was sent)|^\{"error"/m.test(result.stderr);
      expect(isReported).toBe(true);
    },
  );
});
