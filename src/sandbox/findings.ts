import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';
import { DAY_MS } from '../util/units.ts';
import { ORGANIZATION_ID, SUBMISSIONS, TASKS } from './fixtures.ts';
import { findUser } from './users.ts';

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

const FIRST_FINDING_MS = Date.parse('2025-03-03T08:30:00.000Z');

/** Who created the findings, in turn. */
const AUDITORS = ['usr_0002', 'usr_0003'].map((userId) => {
  const { id, name, email, image } = findUser(userId) ?? {};
  return { id: userId.replace('usr_', 'mem_0'), user: { id, name, email, image } };
});

/** What a finding is about: the value of one of the four selectors (interface 4.4). */
interface Target {
  readonly taskId?: string;
  readonly evidenceSubmissionId?: string;
  readonly evidenceFormType?: string;
  readonly scope?: string;
}

/** The targets of all findings. The last task and the last submission have none. */
const TARGETS: readonly Target[] = [
  ...[...TASKS.keys()].slice(0, -1).flatMap((taskId) => repeat(5, { taskId })),
  ...[...SUBMISSIONS.keys()].slice(0, -1).flatMap((evidenceSubmissionId) => repeat(3, { evidenceSubmissionId })),
  ...EVIDENCE_FORM_TYPES.map((evidenceFormType) => ({ evidenceFormType })),
  ...PEOPLE_SCOPES.flatMap((scope) => repeat(3, { scope })),
];

function repeat(times: number, target: Target): Target[] {
  return new Array<Target>(times).fill(target);
}

/** All findings in the order of their ids. Times are ISO 8601. */
export const FINDINGS = TARGETS.map((target, index) => {
  const created = FIRST_FINDING_MS + index * DAY_MS;
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
    createdBy: pick(AUDITORS, index),
    template: pick(TEMPLATES, index),
    task: taskId && { id: taskId, title: TASKS.get(taskId) },
    evidenceSubmission: evidenceSubmissionId && {
      id: evidenceSubmissionId,
      formType: SUBMISSIONS.get(evidenceSubmissionId),
    },
  };
});

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % values.length];
}
