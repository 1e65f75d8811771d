import * as z from 'zod/mini';
import { type RowFault, type Variants, writeStatus } from '../behaviors.ts';
import { describeZodIssues, jsonResponse, type Operation, RequestRejection, validateBody } from '../operation.ts';
import { BUILT_IN_ROLES, findSeedUser, KEY_HOLDER_ID, memberId, ORGANIZATION_ID } from '../seed.ts';
import type { StoredMember } from '../store.ts';

/**
 * POST /v1/people/bulk (interface 4.2). Existing members are looked up when the request arrives, new ones are added when
 * it ends: a user who occurs twice, in one request or in two at the same time, becomes a member twice.
 */
export const addMembersOperation: Operation = (call, { store, variants, clock }) => {
  const existing = new Set(store.read().members.map(({ userId }) => userId));
  const entries = readBulkRequest(call.body, variants).map((entry): ValidatedEntry => {
    if (entry.error !== undefined) return entry;
    const { userId } = entry;
    const user = findSeedUser(userId);
    if (!user) return { userId, error: `User ${userId} not found` };
    return existing.has(userId) ? { userId, error: MEMBER_MESSAGES[variants['member-message']](user.email) } : entry;
  });
  const isNamed = (field: 'index' | 'userId') => ['both', field].includes(variants['error-names']);
  const errors = entries.flatMap(({ userId, error }, position): FailedRow[] => {
    if (error === undefined) return [];
    const index = isNamed('index') ? position + Number(variants['index-base']) : undefined;
    return [{ index, userId: isNamed('userId') ? userId : undefined, error }];
  });
  return () => {
    const createdAt = new Date(clock.now()).toISOString();
    const { members } = store.read();
    const added = entries
      .filter((entry) => entry.error === undefined)
      .map((entry, position) => ({ ...entry, id: memberId(members.length + 1 + position), createdAt }));
    if (added.length > 0) store.change({ members: [...members, ...added] });
    const created = CREATED_VARIANTS[variants.created](added.map((member) => memberRow(member, variants)));
    const { rowFaults, random } = call.faultPlan;
    const rows = [...rowFaults].reduce((result: BulkResponseRows, fault) => ROW_CORRUPTIONS[fault](result, random), {
      created,
      errors,
    });
    const body = {
      ...rows,
      summary: summaryOf(entries.length, rows, variants),
      authType: variants['auth-type'] === 'absent' ? undefined : variants['auth-type'],
      authenticatedUser: variants['authenticated-user'] === 'no' ? undefined : KEY_HOLDER,
    };
    return jsonResponse(writeStatus(variants, 201), body, `${entries.length} entries`);
  };
};

const KEY_HOLDER = { id: KEY_HOLDER_ID, email: findSeedUser(KEY_HOLDER_ID)?.email };

/** Renders a member (interface 2.2). The device label may have another name. */
function memberRow(member: StoredMember, variants: Variants) {
  const { id, userId, role, createdAt, department, isActive, labelId } = member;
  const row = { id, organizationId: ORGANIZATION_ID, userId, role, createdAt, department, isActive };
  return { ...row, [labelName(variants)]: labelId, user: findSeedUser(userId) };
}

type CreatedRow = ReturnType<typeof memberRow>;

/** A rejected entry (interface 4.2). */
interface FailedRow {
  readonly index?: number | undefined;
  readonly userId?: string | undefined;
  readonly error: string;
}

interface BulkResponseRows {
  readonly created: readonly CreatedRow[];
  readonly errors: readonly FailedRow[];
}

type CorruptRows = (rows: BulkResponseRows, random: () => number) => BulkResponseRows;

/** The effect of each row fault on a response; the stored members stay unchanged. About every fifth row is lost or duplicated. */
const ROW_CORRUPTIONS: Readonly<Record<RowFault, CorruptRows>> = {
  'missing-rows': ({ created, errors }, random) => {
    const lost = pickSome([...created, ...errors], random);
    return { created: created.filter((row) => !lost.has(row)), errors: errors.filter((row) => !lost.has(row)) };
  },
  'double-rows': ({ created, errors }, random) => {
    const duplicated = pickSome(created, random);
    return { created: created.flatMap((row) => (duplicated.has(row) ? [deactivated(row), row] : [row])), errors };
  },
  'no-user-id': ({ created, errors }) => ({ created, errors: errors.map(({ index, error }) => ({ index, error })) }),
  shuffle: ({ created, errors }, random) => ({ created: shuffled(created, random), errors: shuffled(errors, random) }),
};

/** Picks about a fifth of the values, and at least one. */
function pickSome<T>(values: readonly T[], random: () => number): ReadonlySet<T> {
  const guaranteed = Math.floor(random() * values.length);
  return new Set(values.filter((_, index) => random() < 0.2 || index === guaranteed));
}

/** Returns a former membership of the same user. */
function deactivated(row: CreatedRow): CreatedRow {
  return { ...row, id: `${row.id}_former`, isActive: false };
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const weighted = values.map((value) => ({ value, weight: random() }));
  return weighted.sort((a, b) => a.weight - b.weight).map(({ value }) => value);
}

/** The message for a user who is already a member (interface 4.2). */
const MEMBER_MESSAGES: Readonly<Record<Variants['member-message'], (email: string) => string>> = {
  default: (email) => `User ${email} is already a member of this organization`,
  exists: (email) => `Membership of ${email} already exists`,
  code: () => 'ALREADY_MEMBER',
  other: (email) => `${email} is on board already`,
};

/** The order and number of created members in a response. */
const CREATED_VARIANTS: Readonly<Record<Variants['created'], (rows: CreatedRow[]) => CreatedRow[]>> = {
  'in-order': (rows) => rows,
  reversed: (rows) => rows.toReversed(),
  twice: (rows) => rows.flatMap((row) => [deactivated(row), row]),
};

function summaryOf(total: number, { created, errors }: BulkResponseRows, { summary }: Variants): object | undefined {
  if (summary === 'absent') return undefined;
  if (summary === 'wrong') return { total, successful: total, failed: 0 };
  // Counts entries, not rows (interface 4.2, rule 2).
  return { total, successful: new Set(created.map(({ userId }) => userId)).size, failed: errors.length };
}

const DEPARTMENTS = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'];

const requestSchema = z.strictObject(
  {
    members: z
      .array(z.unknown(), { error: 'must be an array' })
      .check(z.minLength(1, { error: 'should not be empty' })),
  },
  { error: 'must be an object' },
);

const identifiedSchema = z.object({ userId: z.string() });

/** Describes a valid entry of a bulk request (interface 4.2) under these variants. */
function createEntrySchema(variants: Variants) {
  const department = requiredText(DEPARTMENTS);
  return z.strictObject(
    {
      userId: requiredText(),
      role: requiredText(BUILT_IN_ROLES),
      department: variants.department === 'required' ? department : z.nullish(department),
      isActive: z.nullish(z.boolean({ error: 'must be a boolean value' })),
      [labelName(variants)]: z.nullish(z.int({ error: 'must be an integer number' })),
    },
    { error: 'must be an object' },
  );
}

/** Describes a text that is not empty and, where values are listed, one of them. */
function requiredText(allowed?: readonly string[]) {
  return z.string({ error: ({ input }) => ((input ?? '') === '' ? 'should not be empty' : 'must be a string') }).check(
    z.minLength(1, { error: 'should not be empty', abort: true }),
    z.refine((value) => !allowed || allowed.includes(value), {
      error: `must be one of the following values: ${allowed?.join(', ')}`,
    }),
  );
}

const DEFAULT_LABEL_NAME = 'deviceMgmtLabelId';

/** Returns the name of an entry's device label. Its type is that of the default name, so that objects with it keep theirs. */
function labelName(variants: Variants): typeof DEFAULT_LABEL_NAME {
  return (variants['label-name'] ?? DEFAULT_LABEL_NAME) as typeof DEFAULT_LABEL_NAME;
}

type ValidEntry = Omit<StoredMember, 'id' | 'createdAt'> & { readonly error?: undefined };
type ValidatedEntry = ValidEntry | { readonly userId?: string | undefined; readonly error: string };

/**
 * Validates the body of a bulk request and its entries, in the order of the request.
 *
 * @throws RequestRejection for a body that is not valid, too many entries, or a malformed entry that causes the entire
 *   request to be rejected
 */
function readBulkRequest(body: unknown, variants: Variants): readonly ValidatedEntry[] {
  const { members } = validateBody(requestSchema, body);
  rejectLength(members.length, variants);
  const schema = createEntrySchema(variants);
  const results = members.map((value) => schema.safeParse(value));
  if (variants['entry-rejection'] === 'request') {
    const problems = results.flatMap(({ error }, index) =>
      error ? describeZodIssues(error, ['members', String(index)]) : [],
    );
    if (problems.length > 0) throw new RequestRejection(400, problems);
  }
  return results.map(({ data, error }, index) => {
    if (error) {
      const { userId } = identifiedSchema.safeParse(members[index]).data ?? {};
      return { userId, error: describeZodIssues(error).join('; ') };
    }
    const { userId, role, department, isActive, [labelName(variants)]: labelId } = data;
    return {
      userId,
      role,
      department: department ?? 'none',
      isActive: isActive ?? true,
      labelId: labelId ?? undefined,
    };
  });
}

function rejectLength(length: number, variants: Variants): void {
  const limit = variants['batch-limit'];
  if (length <= limit) return;
  const isVague = variants['batch-limit-message'] === 'vague';
  const message = isVague ? 'request entity too large' : `Maximum ${limit} members allowed per bulk request`;
  throw new RequestRejection(Number(variants['batch-limit-status']), message);
}
