import * as z from 'zod/mini';
import { settingName } from '../config/config-output.ts';
import { countSchema, nullableText, openEnum, textSchema, withDescription, withExample } from '../output-schema.ts';

/** Every check, in the order in which they run. */
const CHECK_NAMES = [
  'node',
  'state-directory',
  'runs',
  'configuration',
  'base-url',
  'api-key',
  'service',
  'clock',
] as const;

const checkResult = z.object({
  check: openEnum(CHECK_NAMES, 'name of the check'),
  state: withDescription(
    z.enum(['ok', 'warning', 'failed', 'skipped']),
    'skipped: orgadm could not check it, for the reason in detail',
  ),
  detail: textSchema('what was found'),
  fix: nullableText('what to do; null if you have nothing to do'),
});

/** The result of a check. */
export type CheckResult = z.output<typeof checkResult>;

const doctorReport = z.object({
  versions: z.object({ orgadm: z.string(), node: z.string(), openssl: z.string(), platform: z.string() }),
  settings: withDescription(
    z.array(z.object({ name: settingName, value: z.string(), from: z.string() })),
    'the settings that are set, and where',
  ),
  environment: withDescription(
    z.array(z.object({ name: z.string(), value: z.string() })),
    'environment variables that orgadm reads, without secrets',
  ),
});

/** The facts that a bug report needs in addition to the checks, without API keys and passwords. */
export type DoctorReport = z.output<typeof doctorReport>;

const checkCounts = z.object({
  ok: countSchema('checks without a problem'),
  warning: countSchema('checks that passed with a warning'),
  failed: countSchema('checks that failed'),
  skipped: countSchema('checks that orgadm skipped'),
});

const diagnosis = z.object({
  summary: withDescription(checkCounts, 'checks by state'),
  checks: withDescription(z.array(checkResult), 'failed checks first, then warnings, then the others'),
  report: withDescription(z.nullable(doctorReport), 'with --report'),
});

/** The results of all checks. */
export type Diagnosis = z.output<typeof diagnosis>;

/** The output of `doctor`. */
export const doctorOutput = withExample(diagnosis, {
  summary: { ok: 1, warning: 0, failed: 1, skipped: 1 },
  checks: [
    {
      check: 'service',
      state: 'failed',
      detail: 'cannot reach https://api.example.com: the connection was refused',
      fix: 'Check that the base URL is correct and the service is running; behind a proxy, set HTTPS_PROXY.',
    },
    { check: 'node', state: 'ok', detail: 'Node.js 20.20.2', fix: null },
    { check: 'clock', state: 'skipped', detail: 'service failed', fix: null },
  ],
  report: null,
});
