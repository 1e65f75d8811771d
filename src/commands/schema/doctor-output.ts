import * as z from 'zod/mini';
import { CALIBRATION_TOPICS } from '../doctor/calibration.ts';
import { CHECK_NAMES, CHECK_STATES } from '../doctor/check.ts';
import { settingName } from './config-output.ts';
import { countSchema, openEnum, withExamples } from './render-schema.ts';

const check = z.object({
  check: openEnum(CHECK_NAMES, 'name of the check'),
  state: z.enum(CHECK_STATES).check(z.describe('skipped: not checked, for the reason in detail')),
  detail: z.string().check(z.describe('what was found')),
  fix: z.nullable(z.string()).check(z.describe('what to do; null where there is nothing to do')),
});

const report = z.object({
  versions: z.object({ orgadm: z.string(), node: z.string(), openssl: z.string(), platform: z.string() }),
  settings: z
    .array(z.object({ name: settingName, value: z.string(), from: z.string() }))
    .check(z.describe('the settings that are set, and where')),
  environment: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .check(z.describe('environment variables that matter to the tool, without secrets')),
});

const calibration = z.object({
  learned: z.array(
    z.object({
      topic: openEnum(CALIBRATION_TOPICS, 'what the interface leaves open'),
      value: z
        .nullable(z.union([z.string(), z.number(), z.boolean()]))
        .check(z.describe('what was learned; null for what the service leaves open')),
      detail: z.string(),
      setting: z.nullable(settingName).check(z.describe('the setting that holds it')),
    }),
  ),
  added: z
    .array(z.object({ userId: z.nullable(z.string()), memberId: z.nullable(z.string()) }))
    .check(z.describe('members whom the service added all the same')),
  profile: z
    .nullable(z.string())
    .check(z.describe('the profile that holds what was learned; null if nothing was stored')),
});

/** What `doctor` prints. */
export const doctorOutput = withExamples(
  z.object({
    summary: z
      .object({
        ok: countSchema('checks without a problem'),
        warning: countSchema('checks that passed with a warning'),
        failed: countSchema('checks that failed'),
        skipped: countSchema('checks that were not made'),
      })
      .check(z.describe('checks by state')),
    checks: z.array(check),
    report: z.nullable(report).check(z.describe('with --report')),
    calibration: z.nullable(calibration).check(z.describe('with --calibrate')),
  }),
  {
    summary: { ok: 1, warning: 0, failed: 1, skipped: 1 },
    checks: [
      { check: 'node', state: 'ok', detail: 'Node.js 20.20.2', fix: null },
      {
        check: 'tcp',
        state: 'failed',
        detail: 'cannot connect to api.example.com port 443: connection refused',
        fix: 'Check the base URL, and that the service is running.',
      },
      { check: 'tls', state: 'skipped', detail: 'not checked, because tcp failed', fix: null },
    ],
    report: null,
    calibration: null,
  },
);
