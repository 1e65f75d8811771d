import * as z from 'zod/mini';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';
import {
  ACTIONS,
  BUILT_IN_ROLES,
  DEPARTMENTS,
  DOMAINS,
  findUser,
  MISSING_PERMISSION,
  memberId,
  ORGANIZATION_ID,
  RESOURCES,
  SUBMISSIONS,
  TASKS,
} from './data.ts';
import { FINDINGS } from './findings.ts';
import type { SandboxStore, StoredMember } from './store.ts';

/** What the operations of a sandbox share. */
export interface SandboxContext {
  readonly store: SandboxStore;
  /** Returns the time, in ISO 8601. */
  now(): string;
  /** Number of status requests for each domain since the start. */
  readonly domainReads: Map<string, number>;
}

/** A response before any fault is injected. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A request that the sandbox rejects, with one text, or one for each invalid field. */
export class Rejection extends Error {
  readonly status: number;
  readonly texts: string | readonly string[];

  constructor(status: number, texts: string | readonly string[]) {
    super(`rejected with ${status}`);
    this.status = status;
    this.texts = texts;
  }
}

/** An operation of the interface (section 4). */
interface Route {
  readonly method: string;
  /** Its group, if it has one, is the ID. */
  readonly path: RegExp;
  /**
   * Validates and executes a request.
   *
   * @param input the body; for GET, the parameters of the query
   * @throws Rejection
   */
  execute(input: unknown, id: string, context: SandboxContext): Reply;
}

function route<T>(
  method: string,
  path: RegExp,
  schema: z.ZodMiniType<T>,
  execute: (input: T, context: SandboxContext, id: string) => Reply,
): Route {
  return { method, path, execute: (input, id, context) => execute(validate(schema, input), context, id) };
}

/** The body of a role update (interface 4.1). */
const roleChange = z.strictObject({
  name: z.optional(z.string().check(z.minLength(2), z.maxLength(50))),
  permissions: z.optional(z.partialRecord(z.enum(RESOURCES), z.array(z.enum(ACTIONS)))),
  obligations: z.optional(z.record(z.string(), z.boolean())),
});

/** The body of a bulk request (interface 4.2). */
const newMembers = z.strictObject({
  members: z
    .array(
      z.strictObject({
        userId: z.string().check(z.minLength(1)),
        role: z.enum(BUILT_IN_ROLES),
        department: z.nullish(z.enum(DEPARTMENTS)),
        isActive: z.nullish(z.boolean()),
        deviceMgmtLabelId: z.nullish(z.int()),
      }),
    )
    .check(z.minLength(1), z.maxLength(1000)),
});

/** The parameters of a domain status (interface 4.3). */
const domainQuery = z.strictObject({ domain: z.string().check(z.minLength(1)) });

/** The selectors of findings (interface 4.4). */
const findingsQuery = z.strictObject({
  taskId: z.optional(z.string().check(z.minLength(1))),
  evidenceSubmissionId: z.optional(z.string().check(z.minLength(1))),
  evidenceFormType: z.optional(z.enum(EVIDENCE_FORM_TYPES)),
  scope: z.optional(z.enum(PEOPLE_SCOPES)),
});

export const ROUTES: readonly Route[] = [
  route('PATCH', /^\/v1\/roles\/([^/]+)$/, roleChange, updateRole),
  route('POST', /^\/v1\/people\/bulk$/, newMembers, addMembers),
  route('GET', /^\/v1\/trust-portal\/domain\/status$/, domainQuery, readDomainStatus),
  route('GET', /^\/v1\/findings$/, findingsQuery, listFindings),
];

/** Replaces the permissions and the obligations; nothing is merged. */
function updateRole(change: z.output<typeof roleChange>, { store, now }: SandboxContext, id: string): Reply {
  if (BUILT_IN_ROLES.some((name) => id === `rol_${name}`)) throw new Rejection(400, 'Cannot modify built-in roles');
  const { roles } = store.read();
  const role = roles.find((candidate) => candidate.id === id);
  if (role === undefined) throw new Rejection(404, `Role ${id} not found`);
  const { resource, action } = MISSING_PERMISSION;
  if (change.permissions?.[resource]?.includes(action)) {
    throw new Rejection(403, `Cannot grant '${resource}:${action}' permission - you don't have this permission`);
  }
  const updated = { ...role, ...change, updatedAt: now() };
  store.write({ roles: roles.map((other) => (other === role ? updated : other)) });
  // The response does not echo obligations (interface 2.1).
  const { name, permissions, createdAt, updatedAt } = updated;
  return { status: 200, body: { id, name, permissions, isBuiltIn: false, createdAt, updatedAt } };
}

/** Adds the people who are no members before the request. */
function addMembers({ members: entries }: z.output<typeof newMembers>, { store, now }: SandboxContext): Reply {
  const { members } = store.read();
  const existing = new Set(members.map(({ userId }) => userId));
  const createdAt = now();
  const added: StoredMember[] = [];
  const errors: { index: number; userId: string; error: string }[] = [];
  for (const [index, { userId, role, department, isActive, deviceMgmtLabelId }] of entries.entries()) {
    const user = findUser(userId);
    if (user === undefined) {
      errors.push({ index, userId, error: `User ${userId} not found` });
    } else if (existing.has(userId)) {
      errors.push({ index, userId, error: `User ${user.email} is already a member of this organization` });
    } else {
      const id = memberId(members.length + added.length + 1);
      const values = { role, department: department ?? 'none', isActive: isActive ?? true };
      added.push({ id, userId, ...values, deviceMgmtLabelId: deviceMgmtLabelId ?? undefined, createdAt });
    }
  }
  if (added.length > 0) store.write({ members: [...members, ...added] });
  const created = added.map((member) => ({
    ...member,
    organizationId: ORGANIZATION_ID,
    user: findUser(member.userId),
  }));
  const summary = { total: entries.length, successful: created.length, failed: errors.length };
  const { id, email } = findUser('usr_0001') ?? {};
  return { status: 201, body: { created, errors, summary, authType: 'api-key', authenticatedUser: { id, email } } };
}

function readDomainStatus(query: z.output<typeof domainQuery>, { domainReads }: SandboxContext): Reply {
  const domain = query.domain.toLowerCase();
  const statuses = DOMAINS.get(domain);
  if (statuses === undefined) throw new Rejection(404, `Domain ${domain} not found`);
  const reads = domainReads.get(domain) ?? 0;
  domainReads.set(domain, reads + 1);
  return { status: 200, body: { domain, ...statuses[Math.min(reads, statuses.length - 1)] } };
}

/** Returns the findings that all selectors select. */
function listFindings({
  taskId,
  evidenceSubmissionId,
  evidenceFormType,
  scope,
}: z.output<typeof findingsQuery>): Reply {
  if (taskId !== undefined && !TASKS.includes(taskId)) throw new Rejection(404, `Task ${taskId} not found`);
  if (evidenceSubmissionId !== undefined && !SUBMISSIONS.includes(evidenceSubmissionId)) {
    throw new Rejection(404, `Evidence submission ${evidenceSubmissionId} not found`);
  }
  const matches = (selector: string | undefined, value: string | null) => selector === undefined || selector === value;
  const found = FINDINGS.filter(
    (finding) =>
      matches(taskId, finding.taskId) &&
      matches(evidenceSubmissionId, finding.evidenceSubmissionId) &&
      matches(evidenceFormType, finding.evidenceFormType) &&
      matches(scope, finding.scope),
  );
  return { status: 200, body: found };
}

function validate<T>(schema: z.ZodMiniType<T>, input: unknown): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw new Rejection(400, result.error.issues.flatMap(describeIssue));
}

/** Returns one text for each problem: `name must be of type string`, `property color should not exist`. */
function describeIssue(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...path, 'property'].join('.')} ${key} should not exist`);
  }
  return [`${path.join('.') || 'the body'} ${describeProblem(issue)}`];
}

function describeProblem(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined || issue.input === '') return 'should not be empty';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of the following values: ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return `must have a length of at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must have a length of at most ${issue.maximum}`;
  return 'is not valid';
}
