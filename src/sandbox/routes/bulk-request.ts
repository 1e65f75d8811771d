import * as z from 'zod/mini';
import { describeIssues, RequestRejection, validateBody } from '../operation.ts';
import { BUILT_IN_ROLES } from '../seed/seed-state.ts';
import type { Variants } from '../variants.ts';

const DEPARTMENTS = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'];

const requestSchema = z.strictObject(
  {
    members: z
      .array(z.unknown(), { error: 'must be an array' })
      .check(z.minLength(1, { error: 'should not be empty' })),
  },
  { error: 'must be an object' },
);

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
  const isMissing = (value: unknown) => value === undefined || value === null || value === '';
  return z.string({ error: ({ input }) => (isMissing(input) ? 'should not be empty' : 'must be a string') }).check(
    z.minLength(1, { error: 'should not be empty', abort: true }),
    z.refine((value) => !allowed || allowed.includes(value), {
      error: `must be one of the following values: ${allowed?.join(', ')}`,
    }),
  );
}

/** Returns the name of an entry's device label. */
export function labelName(variants: Variants): string {
  return variants['label-name'] ?? 'deviceMgmtLabelId';
}

/** An entry of a bulk request that is well formed. */
export interface SandboxMemberEntry {
  readonly userId: string;
  readonly role: string;
  readonly department?: string;
  readonly isActive?: boolean;
  readonly labelId?: number;
}

type EntryValidation = SandboxMemberEntry | { readonly problems: readonly string[]; readonly userId?: string };

/**
 * Validates the body of a bulk request and its entries, in the order of the request.
 *
 * @throws RequestRejection for a body that is not valid, too many entries, or a malformed entry that causes the whole
 *   request to be rejected
 */
export function readBulkRequest(body: unknown, variants: Variants): readonly EntryValidation[] {
  const { members } = validateBody(requestSchema, body);
  rejectLength(members.length, variants);
  const schema = createEntrySchema(variants);
  const results = members.map((value) => schema.safeParse(value));
  if (variants['entry-rejection'] === 'request') {
    const problems = results.flatMap(({ error }, index) =>
      error ? describeIssues(error, ['members', String(index)]) : [],
    );
    if (problems.length > 0) throw new RequestRejection(400, problems);
  }
  return results.map(({ data, error }, index) => {
    if (error) return { problems: describeIssues(error), ...readUserId(members[index]) };
    const { [labelName(variants)]: labelId, ...entry } = data;
    // A null in an optional field means no value.
    const fields = Object.entries({ ...entry, labelId }).filter(([, value]) => value !== null && value !== undefined);
    return Object.fromEntries(fields) as unknown as SandboxMemberEntry;
  });
}

function rejectLength(length: number, variants: Variants): void {
  const limit = variants['batch-limit'];
  if (length <= limit) return;
  const namesLimit = variants['batch-limit-message'] === 'number';
  const message = namesLimit ? `Maximum ${limit} members allowed per bulk request` : 'request entity too large';
  throw new RequestRejection(Number(variants['batch-limit-status']), message);
}

function readUserId(entry: unknown): { userId?: string } {
  return z.object({ userId: z.string() }).safeParse(entry).data ?? {};
}
