import * as z from 'zod/mini';
import { ROW_STATES, type RowState, STORED_FIELDS } from '../../../import/outcome.ts';
import { ERROR_CODE_NAMES } from '../../error-output.ts';
import {
  countSchema,
  nullableText,
  openEnum,
  positionOf,
  textSchema,
  withDescription,
  withExample,
} from '../../output-schema.ts';
import { mappingOutput } from '../mapping/mapping-output.ts';

/** The counts of an import. */
export const importCounts = z.object({
  total: countSchema('rows of the list: the sum of all states'),
  created: countSchema('added by this run'),
  existing: countSchema('already a member'),
  recovered: countSchema('now a member, but the response to an earlier request was lost'),
  failed: countSchema('rejected by the service'),
  invalid: countSchema('invalid, never sent'),
  unknown: countSchema('sent, outcome unknown'),
  unsent: countSchema('not sent'),
  duplicates: countSchema('users with two active memberships'),
} satisfies Record<RowState | 'total' | 'duplicates', unknown>);

const stopReasonSchema = z.object({
  code: openEnum(
    ['limit', 'running', ...ERROR_CODE_NAMES],
    'limit, running, or the code of the error that ended the run (orgadm help errors)',
  ),
  message: z.string(),
});

const runSummary = z.extend(importCounts, {
  stopped: z.nullable(stopReasonSchema).check(z.describe('why the run ended early; null if it did not')),
});

const line = z
  .nullable(positionOf('physical line in the list'))
  .check(z.describe('physical line in the list; null if the list has changed since'));
const entry = positionOf('position among the rows of the list');

const row = z.object({
  line,
  entry,
  userId: z.nullable(z.string()),
  state: z.enum(ROW_STATES),
  error: nullableText("the service's message, or why the row is invalid"),
  memberId: z
    .optional(z.nullable(z.string()))
    .check(z.describe('with --all-rows: ID of the created member; null for other rows')),
});

const place = { line, entry, userId: z.nullable(z.string()) };

const duplicate = z.object({
  ...place,
  memberIds: z.array(z.string()).check(z.describe('the active memberships that a response listed')),
});

const mismatch = z.object({
  ...place,
  path: z.enum(STORED_FIELDS),
  sent: z
    .nullable(z.union([z.string(), z.boolean()]))
    .check(z.describe('null if the list has changed since; for organizationId, that of the first people of the run')),
  stored: z.union([z.string(), z.boolean()]),
});

/** The report of an import. The last two fields are those of interface 4.2. */
const importReport = z.object({
  summary: z.extend(runSummary, { valid: z.optional(countSchema('of a dry run: rows that orgadm would send')) }),
  run: withDescription(
    z.nullable(
      z.object({
        id: textSchema('32 hex digits'),
        continued: z.boolean().check(z.describe('whether an earlier command began the run')),
      }),
    ),
    'null if there is nothing to continue or to show again',
  ),
  rows: z
    .array(row)
    .check(
      z.describe(
        'the rows that were not created, or all rows with --all-rows; for a dry run, the invalid rows; for a rejected list, the invalid and unsent rows',
      ),
    ),
  duplicates: z.array(duplicate).check(z.describe('users for whom a response listed two active memberships')),
  possibleDuplicates: z
    .array(z.object(place))
    .check(
      z.describe('people whom orgadm sent again while the service was stalled, and who may have been added twice'),
    ),
  mismatches: z
    .array(mismatch)
    .check(z.describe('values of created members that the service stored differently from what orgadm sent')),
  mapping: z.optional(mappingOutput),
  authType: nullableText('how the requests were authenticated: api-key or session'),
  authenticatedUser: z
    .nullable(z.looseObject({ id: z.nullish(z.string()), email: z.nullish(z.string()) }))
    .check(z.describe('the caller, if the service reports it')),
});

/** The report of an import, as JSON has it. */
export type ImportDocument = z.infer<typeof importReport>;
/** The counts of a report: `total` is always the sum of the states that follow it. */
export type ImportSummary = ImportDocument['summary'];
/** Why a run ended early, or why nothing was sent. */
export type StopReason = NonNullable<ImportSummary['stopped']>;
/** One row of a report. */
export type ReportRow = ImportDocument['rows'][number];
/** The place of a row in its list. */
export type RowPlace = Pick<ReportRow, 'line' | 'entry' | 'userId'>;
/** A user with two or more active memberships. */
export type ReportDuplicate = ImportDocument['duplicates'][number];
/** A value that the service stored differently from what was sent. */
export type ReportMismatch = ImportDocument['mismatches'][number];

/** The counts of the import of the README. */
export const EXAMPLE_COUNTS = {
  total: 13,
  created: 12,
  existing: 1,
  recovered: 0,
  failed: 0,
  invalid: 0,
  unknown: 0,
  unsent: 0,
  duplicates: 0,
};

/** The output of `people bulk-add`, `runs show`, and `runs resume`. */
export const importReportOutput = withExample(importReport, {
  summary: { ...EXAMPLE_COUNTS, stopped: null },
  run: { id: '5633a158d8c1dae5889252ae299fac67', continued: false },
  rows: [
    {
      line: 6,
      entry: 5,
      userId: 'usr_0003',
      state: 'existing',
      error: 'User chloe.okafor@berlin.example.com is already a member of this organization',
    },
  ],
  mapping: {
    fields: ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'].map((field) => {
      return { field, source: field, inverted: false, lookup: null, values: {}, default: null };
    }),
    ignored: [],
    totals: {
      active: 10,
      inactive: 2,
      unset: 1,
      roles: { employee: 7, auditor: 2, contractor: 2, admin: 1, member: 1 },
    },
  },
  duplicates: [],
  possibleDuplicates: [],
  mismatches: [],
  authType: 'api-key',
  authenticatedUser: { id: 'usr_0001', email: 'anna.abbott@example.com' },
});
