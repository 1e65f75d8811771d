import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import type { Variants } from '../behaviors.ts';
import { jsonResponse, type Operation, RequestRejection, type SandboxResponse } from '../operation.ts';
import { findSeedUser, ORGANIZATION_ID } from '../seed.ts';

/** A finding; exactly one of the four target fields is not null. Times are ISO 8601. */
interface SeedFinding {
  readonly taskId: string | null;
  readonly evidenceSubmissionId: string | null;
  readonly evidenceFormType: string | null;
  readonly scope: string | null;
  readonly [field: string]: unknown;
}

type Target = Partial<Pick<SeedFinding, 'taskId' | 'evidenceSubmissionId' | 'evidenceFormType' | 'scope'>>;

/** All tasks with their titles; the last one has no findings. */
const SEED_TASKS: ReadonlyMap<string, string> = new Map([
  ['tsk_0001', 'Review access rights of leavers'],
  ['tsk_0002', 'Encrypt laptops'],
  ['tsk_0003', 'Restore a backup'],
  ['tsk_0004', 'Train new staff'],
  ['tsk_0005', 'Renew the supplier register'],
  ['tsk_0006', 'Test the evacuation plan'],
]);

/** All evidence submissions with their form types; the last one has no findings. */
const SEED_SUBMISSIONS: ReadonlyMap<string, string> = new Map([
  ['sub_0001', 'board-meeting'],
  ['sub_0002', 'penetration-test'],
  ['sub_0003', 'access-request'],
  ['sub_0004', 'network-diagram'],
]);

const STATUSES = ['open', 'ready_for_review', 'needs_revision', 'closed'];
const SEVERITIES = ['low', 'medium', 'high', 'critical'];
const TEMPLATES = [
  { id: 'tpl_evidence', category: 'evidence', title: 'Evidence is incomplete' },
  { id: 'tpl_access', category: 'access', title: 'Access is wider than needed' },
  { id: 'tpl_document', category: 'documents', title: 'Document is out of date' },
];
const CONTENTS = [
  'The list of leavers for March has no date of removal for two accounts, "svc-report" and "svc-backup".\nPlease add it, or say why they stay.',
  'The screenshot shows the settings of one laptop only; the sample asked for is five.',
  'Das Protokoll nennt keine Beschlüsse zur Größe der Stichprobe – bitte ergänzen.',
  'Three of 41 devices were last seen over 90 days ago, yet count as encrypted.',
  'The report is from last year; the control asks for one every six months.',
  // Wide characters, joined emoji and combining marks test the alignment of tables.
  '資産台帳に2台のサーバーが記載されていません。棚卸しの日付も確認してください。',
  'Sign-off 👩‍💻 is missing: the checklist has ✅ for 3 of 7 items, and 🇩🇪 sites are left out.',
  'Le proce\u0300s-verbal n’a pas e\u0301te\u0301 signe\u0301 par le comite\u0301.',
];

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2025-03-03T08:30:00.000Z');

/** All findings in the order of their ids: 25 on tasks, 9 on submissions, 12 on form types, 12 on scopes. */
const SEED_FINDINGS: readonly SeedFinding[] = [
  ...repeat(5, [...SEED_TASKS.keys()].slice(0, -1)).map((taskId): Target => ({ taskId })),
  ...repeat(3, [...SEED_SUBMISSIONS.keys()].slice(0, -1)).map(
    (evidenceSubmissionId): Target => ({ evidenceSubmissionId }),
  ),
  ...EVIDENCE_FORM_TYPES.map((evidenceFormType): Target => ({ evidenceFormType })),
  ...repeat(3, PEOPLE_SCOPES).map((scope): Target => ({ scope })),
].map(makeFinding);

function makeFinding(target: Target, index: number): SeedFinding {
  const created = FIRST_DAY + index * DAY_MS;
  const { taskId = null, evidenceSubmissionId = null, evidenceFormType = null, scope = null } = target;
  const status = pick(STATUSES, index);
  return {
    id: `fnd_${String(index + 1).padStart(4, '0')}`,
    type: index % 3 === 0 ? 'soc2' : 'iso27001',
    status,
    severity: pick(SEVERITIES, index + Math.floor(index / 4)),
    content: pick(CONTENTS, index),
    revisionNote: status === 'needs_revision' ? 'The second page is still missing.' : null,
    createdAt: new Date(created).toISOString(),
    updatedAt: new Date(created + 3 * DAY_MS).toISOString(),
    taskId,
    evidenceSubmissionId,
    evidenceFormType,
    scope,
    organizationId: ORGANIZATION_ID,
    createdBy: auditor(index),
    template: pick(TEMPLATES, index),
    task: taskId && { id: taskId, title: SEED_TASKS.get(taskId) },
    evidenceSubmission: evidenceSubmissionId && {
      id: evidenceSubmissionId,
      formType: SEED_SUBMISSIONS.get(evidenceSubmissionId),
    },
  };
}

/** Returns the author of a finding: usr_0002 or usr_0003. */
function auditor(index: number): unknown {
  const number = 2 + (index % 2);
  const user = findSeedUser(`usr_000${number}`);
  return {
    id: `mem_0000${number}`,
    user: user && { id: user.id, name: user.name, email: user.email, image: user.image },
  };
}

function repeat<T>(times: number, values: readonly T[]): T[] {
  return values.flatMap((value) => new Array<T>(times).fill(value));
}

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % values.length];
}

type FindingSelector = 'taskId' | 'evidenceSubmissionId' | 'evidenceFormType' | 'scope';

/** Rejects an unknown value of each selector. */
const REJECT_UNKNOWN: Readonly<Record<FindingSelector, (value: string, variants: Variants) => void>> = {
  taskId: (value, variants) => {
    if (!SEED_TASKS.has(value) && variants['unknown-task'] === 'reject')
      throw new RequestRejection(404, `Task ${value} not found`);
  },
  evidenceSubmissionId: (value) => {
    if (!SEED_SUBMISSIONS.has(value)) throw new RequestRejection(404, `Evidence submission ${value} not found`);
  },
  evidenceFormType: (value) => rejectOther('evidenceFormType', value, EVIDENCE_FORM_TYPES),
  scope: (value) => rejectOther('scope', value, PEOPLE_SCOPES),
};

const SELECTORS = Object.keys(REJECT_UNKNOWN) as FindingSelector[];

/** GET /v1/findings (interface 4.4): the findings of one task, submission, form type or scope, or all of them. */
export const listFindingsOperation: Operation = (call, { variants }) => {
  const findings = selectFindings(call.query, variants);
  return () => listResponse(findings, variants);
};

function selectFindings(query: URLSearchParams, variants: Variants): readonly SeedFinding[] {
  const known = variants['ignore-scope'] === 'yes' ? SELECTORS.filter((name) => name !== 'scope') : SELECTORS;
  const parameterOf = (selector: FindingSelector) => (selector === 'taskId' && variants['task-name']) || selector;
  const parameters = known.map(parameterOf);
  rejectUnknown(query, parameters, variants);
  const [selector, ...others] = known.filter((name) => query.has(parameterOf(name)));
  if (selector === undefined) return withoutSelector(parameters, variants);
  if (others.length > 0) throw new RequestRejection(400, `Only one of ${parameters.join(', ')} is allowed`);
  const parameter = parameterOf(selector);
  const [value, ...more] = query.getAll(parameter);
  if (!value) throw new RequestRejection(400, [`${parameter} should not be empty`]);
  if (more.length > 0) throw new RequestRejection(400, [`${parameter} must be a string`]);
  REJECT_UNKNOWN[selector](value, variants);
  return SEED_FINDINGS.filter((finding) => finding[selector] === value);
}

function rejectUnknown(query: URLSearchParams, parameters: readonly string[], variants: Variants): void {
  if (variants['unknown-parameter'] === 'ignore') return;
  const unknown = [...query.keys()].filter((name) => !parameters.includes(name));
  if (unknown.length > 0) {
    throw new RequestRejection(
      400,
      unknown.map((name) => `property ${name} should not exist`),
    );
  }
}

function withoutSelector(parameters: readonly string[], variants: Variants): readonly SeedFinding[] {
  // A service that does not know a selector handles the request as one without a selector.
  if (variants['no-selector'] === 'all' || variants['ignore-scope'] === 'yes') return SEED_FINDINGS;
  throw new RequestRejection(400, `One of ${parameters.join(', ')} is required`);
}

function rejectOther(selector: FindingSelector, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RequestRejection(400, [`${selector} must be one of the following values: ${allowed.join(', ')}`]);
}

function listResponse(findings: readonly SeedFinding[], variants: Variants): SandboxResponse {
  const { envelope } = variants;
  const size = variants['page-size'] ?? findings.length;
  const page = findings.slice(0, size);
  const isCut = page.length < findings.length;
  const note = `${page.length} findings`;
  if (envelope === undefined) {
    const response = jsonResponse(200, page, note);
    return isCut ? { ...response, headers: { 'x-total-count': String(findings.length) } } : response;
  }
  const metadata = { count: page.length, ...(isCut ? { total: findings.length, hasMore: true } : {}) };
  const [outer = '', inner] = envelope.split('.');
  const list = inner === undefined ? { [outer]: page, ...metadata } : { [outer]: { [inner]: page, ...metadata } };
  return jsonResponse(200, list, note);
}
