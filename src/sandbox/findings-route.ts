import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';
import { DAY_MS } from '../util/units.ts';
import { jsonResponse, type Operation, RequestRejection, readParameter } from './operation.ts';
import { findSeedUser, ORGANIZATION_ID } from './seed.ts';

/** A finding; exactly one of its four selectors is not null. Times are ISO 8601. */
type SeedFinding = Readonly<Record<string, unknown>>;

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

const SEED_STATUSES = ['open', 'ready_for_review', 'needs_revision', 'closed'];
const SEED_SEVERITIES = ['low', 'medium', 'high', 'critical'];
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

const FIRST_FINDING_MS = Date.parse('2025-03-03T08:30:00.000Z');

type FindingSelector = 'taskId' | 'evidenceSubmissionId' | 'evidenceFormType' | 'scope';

interface SelectorValues {
  readonly known: readonly string[];
  /** Number of findings on each value, except on the last of those that have a noun. */
  readonly findings: number;
  /** The noun for the values in a message; undefined if the interface lists them. */
  readonly noun?: string;
}

const SELECTOR_VALUES: Readonly<Record<FindingSelector, SelectorValues>> = {
  taskId: { known: [...SEED_TASKS.keys()], findings: 5, noun: 'Task' },
  evidenceSubmissionId: { known: [...SEED_SUBMISSIONS.keys()], findings: 3, noun: 'Evidence submission' },
  evidenceFormType: { known: EVIDENCE_FORM_TYPES, findings: 1 },
  scope: { known: PEOPLE_SCOPES, findings: 3 },
};

const SEED_SELECTORS = Object.keys(SELECTOR_VALUES) as FindingSelector[];

/** All findings in the order of their ids: 25 on tasks, 9 on submissions, 12 on form types, 12 on scopes. */
const SEED_FINDINGS: readonly SeedFinding[] = SEED_SELECTORS.flatMap((selector) => {
  const { known, findings, noun } = SELECTOR_VALUES[selector];
  const values = noun === undefined ? known : known.slice(0, -1);
  return values.flatMap((value) => new Array<FindingTarget>(findings).fill({ [selector]: value }));
}).map(makeFinding);

type FindingTarget = Partial<Record<FindingSelector, string>>;

function makeFinding(target: FindingTarget, index: number): SeedFinding {
  const created = FIRST_FINDING_MS + index * DAY_MS;
  const { taskId = null, evidenceSubmissionId = null, evidenceFormType = null, scope = null } = target;
  const status = pick(SEED_STATUSES, index);
  return {
    id: `fnd_${String(index + 1).padStart(4, '0')}`,
    type: index % 3 === 0 ? 'soc2' : 'iso27001',
    status,
    severity: pick(SEED_SEVERITIES, index + Math.floor(index / 4)),
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
function auditor(index: number): object {
  const number = 2 + (index % 2);
  const { id, name, email, image } = findSeedUser(`usr_000${number}`) ?? {};
  return { id: `mem_0000${number}`, user: { id, name, email, image } };
}

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % values.length];
}

/** GET /v1/findings (interface 4.4): the findings that all selectors select. */
export const listFindingsOperation: Operation = ({ query }) => {
  const findings = selectFindings(query);
  return () => jsonResponse(200, findings, `${findings.length} findings`);
};

function selectFindings(query: URLSearchParams): readonly SeedFinding[] {
  const values = SEED_SELECTORS.filter((name) => query.has(name)).map(
    (name) => [name, readParameter(query, name)] as const,
  );
  for (const [selector, value] of values) rejectUnknownValue(selector, value);
  return SEED_FINDINGS.filter((finding) => values.every(([selector, value]) => finding[selector] === value));
}

function rejectUnknownValue(selector: FindingSelector, value: string): void {
  const { known, noun } = SELECTOR_VALUES[selector];
  if (known.includes(value)) return;
  if (noun) throw new RequestRejection(404, `${noun} ${value} not found`);
  throw new RequestRejection(400, [`${selector} must be one of the following values: ${known.join(', ')}`]);
}
