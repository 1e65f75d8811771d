import * as z from 'zod/mini';
import { domainStatusSchema, roleSchema } from '../../client/response-schemas.ts';
import { SETTING_NAMES } from '../../config/setting-table.ts';
import { ROW_STATES } from '../../import/journal/row-states.ts';
import { STOP_CODES } from '../../import/report.ts';
import { ERROR_CODES, type ErrorCode } from '../../util/errors.ts';
import { SETTING_ORIGINS } from '../config/list.ts';
import { CALIBRATION_TOPICS } from '../doctor/calibration.ts';
import { CHECK_NAMES, CHECK_STATES } from '../doctor/check.ts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

/** A time, as the service writes it: stated in the schema, and not enforced. */
const dateTime = z.nullish(z.string().check(z.meta({ format: 'date-time' })));

const details = z.object({
  code: z.enum(codes).check(z.describe('a closed list: orgadm help errors')),
  message: z.string().check(z.describe('what happened')),
  hint: z.optional(z.string()).check(z.describe('what to do next')),
  status: z.optional(z.int()).check(z.describe('HTTP status of the response, if there was one')),
  requestId: z.optional(z.string()).check(z.describe("the service's own identifier of the request")),
});

/** An error as part of a document. */
export const errorDetails = details;

/** The line on standard error that a failed command writes with -o json and -o ndjson. */
export const errorOutput = z.object({
  error: z.extend(details, { stack: z.optional(z.string()).check(z.describe('with --debug only')) }),
});

const TITLES: Readonly<Record<string, string>> = {
  error: 'An error of orgadm',
  mapping: 'A mapping file of orgadm people bulk-add',
};

/** Renders a schema as JSON Schema 2020-12. Output allows other fields: the service, or a later version, may add some. */
export function renderSchema(name: string, schema: z.ZodMiniType): object {
  const title = TITLES[name] ?? `JSON output of orgadm ${name}`;
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      if (name !== 'mapping' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { $schema, title, ...rest };
}

/** What `auth login` prints. */
export const authLoginOutput = z.object({
  profile: z.string(),
  baseUrl: z.string(),
  verified: z.boolean().check(z.describe('the service accepted the key, and it may read findings')),
  detail: z.nullable(z.string()).check(z.describe('why the key is not verified')),
  file: z.string().check(z.describe('where the key is kept')),
});

/** What `auth status` prints; never the key. */
export const authStatusOutput = z.object({
  profile: z.string(),
  baseUrl: z.nullable(z.string()),
  baseUrlFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that set it')),
  keyFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that holds the key')),
  verified: z
    .nullable(z.enum(['yes', 'no-permission', 'no', 'unknown']))
    .check(
      z.describe(
        'no-permission: accepted, but without permission to read findings; no: rejected; null: there is no key',
      ),
    ),
  detail: z
    .nullable(z.string())
    .check(z.describe('why the key is not verified; null also if the service was not asked')),
  verifiedBy: z
    .nullable(z.enum(['request', 'login']))
    .check(z.describe('how the key was verified; login: when it was stored, with --offline')),
  user: z
    .nullable(z.object({ id: z.nullable(z.string()), email: z.nullable(z.string()) }))
    .check(z.describe('whom the key authenticates as, if the service says so')),
});

/** What `auth logout` prints. */
export const authLogoutOutput = z.object({
  profile: z.string(),
  removed: z.boolean().check(z.describe('there was a key')),
});

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** What `config list` prints: the settings of each profile, or those of this run. */
export const configListOutput = z.union([
  z.record(z.string(), z.partialRecord(z.enum(SETTING_NAMES), value)).check(z.describe('the settings of each profile')),
  z
    .array(
      z.object({
        name: z.enum(['profile', ...SETTING_NAMES, 'api-key']),
        value: z.nullable(value).check(z.describe('null without a value, and for the API key')),
        source: z.enum(SETTING_ORIGINS),
        from: z.nullable(z.string()).check(z.describe('the option, variable or profile')),
      }),
    )
    .check(z.describe('with --effective: every setting of this run')),
]);

/** What `config get` prints. */
export const configGetOutput = value;

/** What `config set` prints. */
export const configSetOutput = z.object({
  profile: z.string(),
  name: z.enum(SETTING_NAMES),
  value,
  file: z.string().check(z.describe('the file of the settings')),
});

/** What `config unset` prints. */
export const configUnsetOutput = z.object({
  profile: z.string(),
  removed: z.array(z.enum(SETTING_NAMES)).check(z.describe('the settings that were set')),
});

/** What `config path` prints. */
export const configPathOutput = z.object({
  config: z.string().check(z.describe('the file of the settings')),
  credentials: z.string().check(z.describe('the file of the keys')),
});

const check = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.nullable(z.string()),
  state: z.enum(['found', 'missing', 'different', 'unchecked', 'unknown']),
  actual: z.array(z.string()).check(z.describe('the values found')),
  error: z.optional(z.string()).check(z.describe('why the record is unchecked or unknown')),
});

const returnedStatus = z
  .looseObject({
    ...domainStatusSchema.shape,
    state: z.enum(['ready', 'not-verified', 'misconfigured', 'unknown']),
    ready: z.boolean().check(z.describe('verified, and not reported as misconfigured')),
    dns: z.optional(z.array(check)).check(z.describe('with --check-dns: the state of each record in the DNS')),
  })
  .check(z.describe("the service's response"));

const failedStatus = z
  .object({ domain: z.string(), state: z.literal('error'), ready: z.literal(false), error: errorDetails })
  .check(z.describe('one of several domains, whose request failed'));

/** What `domain status` prints: for each domain the status of interface 2.4, with any other fields the service sent. */
export const domainStatusOutput = z.array(z.union([returnedStatus, failedStatus]));

/** What `findings list` prints. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = z.union([
  z.array(z.looseObject({})).check(z.describe('the findings, each as the service returned it')),
  z.int().check(z.minimum(0), z.describe('with --count')),
  z
    .array(z.object({ value: z.unknown(), count: z.int().check(z.minimum(0)) }))
    .check(z.describe('with --count --group-by: value is null for findings without the field')),
  z.array(z.string()).check(z.describe('with --columns help: the names of the fields')),
]);

const count = z.int().check(z.minimum(0));
const fromOne = z.int().check(z.minimum(1));

const summary = z.object({
  total: count.check(z.describe('rows of the list: the sum of all states')),
  valid: z.optional(count).check(z.describe('of a dry run: rows that would be sent')),
  created: count.check(z.describe('added by this run')),
  existing: count.check(z.describe('already a member')),
  recovered: count.check(z.describe('a member now, possibly added by an attempt whose response was lost')),
  failed: count.check(z.describe('rejected by the service')),
  invalid: count.check(z.describe('invalid, never sent')),
  unknown: count.check(z.describe('sent, outcome unknown')),
  unsent: count.check(z.describe('not sent')),
  duplicates: count.check(z.describe('users who have, or may have, two active memberships')),
  stopped: z
    .nullable(
      z.object({
        code: z
          .enum([...STOP_CODES, ...codes])
          .check(z.describe('interrupted, dry-run, invalid-list, or the code of the error that ended the run')),
        message: z.string(),
      }),
    )
    .check(z.describe('why the run ended early; null if it did not')),
});

const row = z.object({
  line: z.nullable(fromOne).check(z.describe('physical line in the list; null if the list has changed since')),
  entry: fromOne.check(z.describe('place among the rows of the list')),
  userId: z.nullable(z.string()),
  state: z.enum(ROW_STATES),
  error: z.nullable(z.string()).check(z.describe("the service's message, or why the row is invalid")),
  memberId: z
    .optional(z.nullable(z.string()))
    .check(z.describe('with --all-rows: id of the created member; null for other rows')),
});

const duplicate = z.object({
  line: z.nullable(fromOne).check(z.describe('physical line in the list; null if the list has changed since')),
  entry: fromOne.check(z.describe('place among the rows of the list')),
  userId: z.nullable(z.string()),
  memberIds: z.array(z.string()).check(z.describe('the memberships, if the service listed them')),
  certain: z.boolean().check(z.describe('whether a response listed both; false where they follow from two requests')),
});

const mapping = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        source: z.nullable(z.string()).check(z.describe('column or key; null if the list has none')),
        inverted: z.boolean(),
        values: z.record(z.string(), z.string()).check(z.describe('translated values; * is any other')),
        default: z.nullable(z.string()),
      }),
    ),
    ignored: z.array(z.string()).check(z.describe('columns or keys that are not read')),
    sample: z.array(z.looseObject({})).check(z.describe('the first entries as they would be sent')),
  })
  .check(z.describe('of a dry run: what each field is read from'));

const issue = z.object({
  message: z.string(),
  rows: count.check(z.describe('number of rows with this issue')),
  lines: z.array(fromOne).check(z.describe('lines of the first of them')),
});

/** What `people bulk-add` prints: the report of the whole list (interface 4.2 for the last two fields). */
export const bulkAddOutput = z.object({
  summary,
  rows: z
    .array(row)
    .check(z.describe('the rows that were not created; for a dry run or a rejected list the invalid ones')),
  digest: z
    .optional(z.string())
    .check(z.describe('of a dry run: SHA-256 of the list and of the options for reading it, for --expect-digest')),
  mapping: z.optional(mapping),
  issues: z
    .optional(z.array(issue))
    .check(z.describe('for a dry run or a rejected list: what is wrong with many rows, once')),
  duplicates: z.array(duplicate).check(z.describe('users who have, or may have, two active memberships')),
  authType: z.nullable(z.string()).check(z.describe('how the requests were authenticated')),
  authenticatedUser: z
    .nullable(z.looseObject({ id: z.nullish(z.string()), email: z.nullish(z.string()) }))
    .check(z.describe('the caller, if the service reports it')),
});

const runStatus = z.enum(['running', 'unfinished', 'finished', 'damaged']);
const time = z.nullable(z.string());

/** What `runs list` prints, newest first. Fields are null in a damaged run, and where the run did not record them. */
export const runsListOutput = z.array(
  z.object({
    id: z.string().check(z.describe('32 hex digits')),
    state: runStatus.check(z.describe('running: a process is working on it; damaged: its journal cannot be read')),
    startedAt: time.check(z.describe('ISO 8601, UTC')),
    lastActiveAt: time.check(z.describe('when a process last ended the run or sent something')),
    list: z.nullable(z.string()),
    path: z.nullable(z.string()).check(z.describe('absolute path of the list; null if it is not a file')),
    service: z.nullable(z.string()).check(z.describe('base URL; for the sandbox the path of its state')),
    profile: z.nullable(z.string()),
    summary: z.nullable(z.omit(summary, { stopped: true })),
    command: z
      .nullable(z.string())
      .check(z.describe('continues an unfinished run, or prints the report of a finished one')),
    error: z.nullable(z.string()).check(z.describe('why a run is damaged')),
  }),
);

/** What `runs remove` prints. */
export const runsRemoveOutput = z.object({
  removed: z.array(z.object({ id: z.string(), list: z.nullable(z.string()), state: runStatus })),
});

/** What `people template` prints: entries of interface 4.2. */
export const templateOutput = z.array(
  z.object({
    userId: z.string(),
    role: z.string(),
    department: z.optional(z.string()),
    isActive: z.optional(z.boolean()),
    deviceMgmtLabelId: z.optional(z.int()),
  }),
);

const dryRun = z
  .object({
    method: z.literal('PATCH'),
    path: z.string(),
    body: z.object({
      name: z.optional(z.string()),
      permissions: z.optional(z.record(z.string(), z.array(z.string()))),
      obligations: z.optional(z.record(z.string(), z.boolean())),
    }),
  })
  .check(z.describe('with --dry-run: the request that would be sent'));

const mismatch = z.object({
  path: z.string().check(z.describe('id, name, permissions.<resource> or obligations.<key>')),
  sent: z.unknown().check(z.describe('null where nothing was sent')),
  stored: z.unknown().check(z.describe('null where the service holds nothing')),
});

const updated = z
  .looseObject({
    ...roleSchema.shape,
    createdAt: dateTime,
    updatedAt: dateTime,
    mismatches: z
      .array(mismatch)
      .check(z.describe('values that the service stored differently from what was sent; empty if there are none')),
  })
  .check(z.describe('the role as the service now holds it; mismatches alone if the response has no role'));

/** What `role update` prints: the role of interface 2.1, with any other fields the service returned. */
export const roleUpdateOutput = z.union([updated, dryRun]);

/** What `version` prints. */
export const versionOutput = z.object({ version: z.string() });

/** What `schema` prints without a command. */
export const schemaListOutput = z.object({
  schemaVersion: z.int().check(z.describe('grows when a field is removed or changes its type')),
  schemas: z.array(z.string()).check(z.describe('the names that orgadm schema accepts')),
});

/** What `sandbox reset` prints. */
export const sandboxResetOutput = z.object({
  file: z.string().check(z.describe('the file of the state, now removed')),
});

/** What `sandbox serve` prints once it listens. */
export const sandboxServeOutput = z.object({ url: z.string(), apiKey: z.string() });

const doctorCheck = z.object({
  check: z.enum(CHECK_NAMES),
  state: z.enum(CHECK_STATES).check(z.describe('skipped: not checked, for the reason in detail')),
  detail: z.string().check(z.describe('what was found')),
  fix: z.nullable(z.string()).check(z.describe('what to do; null where there is nothing to do')),
});

const doctorReport = z.object({
  versions: z.object({ orgadm: z.string(), node: z.string(), openssl: z.string(), platform: z.string() }),
  settings: z
    .array(z.object({ name: z.enum(SETTING_NAMES), value: z.string(), from: z.string() }))
    .check(z.describe('the settings that are set, and where')),
  environment: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .check(z.describe('environment variables that matter to the tool, without secrets')),
});

const doctorCalibration = z.object({
  learned: z.array(
    z.object({
      topic: z.enum(CALIBRATION_TOPICS),
      value: z
        .nullable(z.union([z.string(), z.number(), z.boolean()]))
        .check(z.describe('what was learned; null for what the service leaves open')),
      detail: z.string(),
      setting: z.nullable(z.enum(SETTING_NAMES)).check(z.describe('the setting that holds it')),
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
export const doctorOutput = z.object({
  summary: z.object({ ok: count, warning: count, failed: count, skipped: count }).check(z.describe('checks by state')),
  checks: z.array(doctorCheck),
  report: z.nullable(doctorReport).check(z.describe('with --report')),
  calibration: z.nullable(doctorCalibration).check(z.describe('with --calibrate')),
});
