import { DAY_MS } from '../util/units.ts';
import { findUser, ORGANIZATION_ID } from './data.ts';

/** What a finding is about: the value of one of the four selectors (interface 4.4). */
interface Target {
  taskId?: string;
  evidenceSubmissionId?: string;
  evidenceFormType?: string;
  scope?: string;
}

const LIST: readonly (readonly [target: Target, severity: string, status: string, content: string])[] = [
  [{ taskId: 'tsk_0001' }, 'medium', 'open', 'The list of leavers has no date for "svc-report".\nPlease add it.'],
  [{ taskId: 'tsk_0001' }, 'critical', 'needs_revision', 'Two leavers still have administrator rights.'],
  [{ taskId: 'tsk_0001' }, 'low', 'closed', 'The screenshot shows the settings of one laptop only.'],
  // Wide characters, joined emoji, and combining marks test the alignment of tables.
  [
    { taskId: 'tsk_0002' },
    'high',
    'open',
    '資産台帳に2台のサーバーが記載されていません。棚卸しの日付も確認してください。',
  ],
  [
    { taskId: 'tsk_0002' },
    'low',
    'ready_for_review',
    'Sign-off 👩‍💻 is missing: the checklist has ✅ for 3 of 7 items 🇩🇪.',
  ],
  [
    { taskId: 'tsk_0002' },
    'medium',
    'needs_revision',
    'Le proce\u0300s-verbal n’a pas e\u0301te\u0301 signe\u0301 par le comite\u0301.',
  ],
  [{ evidenceSubmissionId: 'sub_0001' }, 'high', 'needs_revision', 'Das Protokoll nennt keine Größe der Stichprobe.'],
  [{ evidenceFormType: 'penetration-test' }, 'critical', 'open', 'The report is from last year.'],
  [{ scope: 'people' }, 'low', 'open', 'One person has no manager.'],
  [{ scope: 'people_devices' }, 'medium', 'open', 'Three of 41 devices were last seen over 90 days ago.'],
  [{ scope: 'people_devices' }, 'high', 'ready_for_review', 'Two laptops have no screen lock.'],
  [{ scope: 'people_devices' }, 'critical', 'needs_revision', 'The disk of one laptop is not encrypted.'],
];

const FIRST_MS = Date.parse('2025-03-03T08:30:00.000Z');

/** The findings of the sandbox, in the order of their IDs and times. */
export const FINDINGS = LIST.map(([target, severity, status, content], index) => {
  const { taskId = null, evidenceSubmissionId = null, evidenceFormType = null, scope = null } = target;
  const { name, email } = findUser('usr_0003') ?? {};
  return {
    id: `fnd_${String(index + 1).padStart(4, '0')}`,
    type: index % 3 === 0 ? 'soc2' : 'iso27001',
    status,
    severity,
    content,
    createdAt: new Date(FIRST_MS + index * DAY_MS).toISOString(),
    updatedAt: new Date(FIRST_MS + (index + 3) * DAY_MS).toISOString(),
    taskId,
    evidenceSubmissionId,
    evidenceFormType,
    scope,
    organizationId: ORGANIZATION_ID,
    createdBy: { id: 'mem_00003', user: { id: 'usr_0003', name, email } },
  };
});
