import * as z from 'zod/mini';
import { SETTING_NAMES, type StoredValue } from '../../config/setting-table.ts';
import { countSchema, nullableText, openEnum, textOf, withExamples } from './render-schema.ts';

const settingValue: z.ZodMiniType<StoredValue> = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** The name of a setting. */
const settingName = openEnum(SETTING_NAMES, 'a setting');

const effectiveSetting = z.object({
  name: openEnum(['profile', ...SETTING_NAMES, 'api-key'], 'a setting'),
  value: z.nullable(settingValue).check(z.describe('null without a value, and for the API key')),
  source: z.enum(['option', 'variable', 'profile', 'default', 'unset']),
  from: nullableText('the option, variable or profile'),
});

/** A setting as it applies to this run. */
export type EffectiveSetting = z.output<typeof effectiveSetting>;

/** What `config list` prints: the settings of each profile, or those of this run. */
export const configListOutput = withExamples(
  z.union([
    z.record(z.string(), z.partialRecord(settingName, settingValue)).check(z.describe('the settings of each profile')),
    z.array(effectiveSetting).check(z.describe('with --effective: every setting of this run')),
  ]),
  { default: { 'base-url': 'https://api.example.com', retries: 7 } },
  [
    { name: 'profile', value: 'default', source: 'default', from: null },
    { name: 'retries', value: 7, source: 'profile', from: 'profile default' },
  ],
);

/** What `config get` prints. */
export const configGetOutput = withExamples(settingValue, 7, 'https://api.example.com', true, ['is on board']);

/** What `config set` prints. */
export const configSetOutput = withExamples(
  z.object({ profile: z.string(), name: settingName, value: settingValue, file: textOf('the file of the settings') }),
  { profile: 'default', name: 'retries', value: 7, file: '/home/ada/.config/orgadm/config.json' },
);

/** What `config unset` prints. */
export const configUnsetOutput = withExamples(
  z.object({ profile: z.string(), removed: z.array(settingName).check(z.describe('the settings that were set')) }),
  { profile: 'default', removed: ['retries'] },
);

/** What `config path` prints. */
export const configPathOutput = withExamples(
  z.object({ config: textOf('the file of the settings'), credentials: textOf('the file of the keys') }),
  { config: '/home/ada/.config/orgadm/config.json', credentials: '/home/ada/.config/orgadm/credentials.json' },
);

/** What `auth login` prints. */
export const authLoginOutput = withExamples(
  z.object({
    profile: z.string(),
    baseUrl: z.string(),
    verified: z.boolean().check(z.describe('the service accepted the key, and it may read findings')),
    detail: nullableText('why the key is not verified'),
    file: textOf('where the key is kept'),
  }),
  {
    profile: 'default',
    baseUrl: 'https://api.example.com',
    verified: true,
    detail: null,
    file: '/home/ada/.config/orgadm/credentials.json',
  },
);

const authStatus = z.object({
  profile: z.string(),
  baseUrl: z.nullable(z.string()),
  baseUrlFrom: nullableText('the option, variable or profile that set it'),
  keyFrom: nullableText('the option, variable or profile that holds the key'),
  verified: z
    .nullable(z.enum(['yes', 'no-permission', 'no', 'unknown']))
    .check(
      z.describe(
        'no-permission: accepted, but without permission to read findings; no: rejected; null: there is no key',
      ),
    ),
  detail: nullableText('why the key is not verified; null also if the service was not asked'),
  verifiedBy: z
    .nullable(z.enum(['request', 'login']))
    .check(z.describe('how the key was verified; login: when it was stored, with --offline')),
  user: z
    .nullable(z.object({ id: z.nullable(z.string()), email: z.nullable(z.string()) }))
    .check(z.describe('whom the key authenticates as, if the service says so')),
});

/** What is known about a profile's service and key; never the key itself. */
export type AuthStatus = z.output<typeof authStatus>;

/** What `auth status` prints. */
export const authStatusOutput = withExamples(authStatus, {
  profile: 'default',
  baseUrl: null,
  baseUrlFrom: null,
  keyFrom: null,
  verified: null,
  detail: null,
  verifiedBy: null,
  user: null,
});

/** What `auth logout` prints. */
export const authLogoutOutput = withExamples(
  z.object({ profile: z.string(), removed: z.boolean().check(z.describe('there was a key')) }),
  { profile: 'default', removed: false },
);

/** Every check, in the order in which they run. */
const CHECK_NAMES = [
  'node',
  'state-directory',
  'disk-space',
  'runs',
  'locks',
  'config-file',
  'credentials-file',
  'settings',
  'base-url',
  'api-key',
  'proxy',
  'certificate-authorities',
  'dns',
  'tcp',
  'tls',
  'service',
  'key-accepted',
  'findings-list',
  'domain-status',
  'role-update',
  'people-bulk-add',
  'clock',
  'rate-limit',
  'latency',
] as const;

const doctorCheck = z.object({
  check: openEnum(CHECK_NAMES, 'name of the check'),
  state: z
    .enum(['ok', 'warning', 'failed', 'skipped'])
    .check(z.describe('skipped: not checked, for the reason in detail')),
  detail: textOf('what was found'),
  fix: nullableText('what to do; null where there is nothing to do'),
});

/** The result of a check. */
export type CheckResult = z.output<typeof doctorCheck>;

const doctorReport = z.object({
  versions: z.object({ orgadm: z.string(), node: z.string(), openssl: z.string(), platform: z.string() }),
  settings: z
    .array(z.object({ name: settingName, value: z.string(), from: z.string() }))
    .check(z.describe('the settings that are set, and where')),
  environment: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .check(z.describe('environment variables that matter to the tool, without secrets')),
});

/** What a bug report contains in addition to the checks, without API keys and passwords. */
export type DoctorReport = z.output<typeof doctorReport>;

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
    checks: z.array(doctorCheck),
    report: z.nullable(doctorReport).check(z.describe('with --report')),
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
  },
);

/** What `sandbox serve` prints once it listens. */
export const sandboxServeOutput = withExamples(
  z.object({ url: textOf('base URL of the sandbox'), apiKey: textOf('the key that it accepts') }),
  { url: 'http://127.0.0.1:4010', apiKey: 'sandbox_0123456789' },
);

/** What `sandbox reset` prints. */
export const sandboxResetOutput = withExamples(z.object({ file: textOf('the file of the state, now removed') }), {
  file: '/home/ada/.local/state/orgadm/sandbox.json',
});

/** What `schema` prints without a command. */
export const schemaListOutput = withExamples(
  z.object({
    schemaVersion: z.int().check(z.describe('grows when a field is removed or changes its type')),
    schemas: z.array(z.string()).check(z.describe('the names that orgadm schema accepts')),
  }),
  { schemaVersion: 1, schemas: ['people bulk-add', 'domain status', 'error'] },
);

/** What `version` prints. */
export const versionOutput = withExamples(z.object({ version: z.string() }), { version: '0.1.0' });
