import { resolveSetting, type SettingSources } from './setting-sources.ts';
import type { FieldNames } from './settings.ts';

/** What the names on the wire are unless a profile says otherwise. */
export const DEFAULT_FIELD_NAMES: FieldNames = {
  findings: {
    task: 'taskId',
    evidenceSubmission: 'evidenceSubmissionId',
    evidenceFormType: 'evidenceFormType',
    scope: 'scope',
  },
  member: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
};

/** The names on the wire that the profile sets, the usual ones for the rest. */
export function resolveFieldNames(sources: SettingSources): FieldNames {
  const { findings, member } = DEFAULT_FIELD_NAMES;
  return {
    findings: {
      task: resolveSetting('wire.findings.task', sources)?.value ?? findings.task,
      evidenceSubmission:
        resolveSetting('wire.findings.evidenceSubmission', sources)?.value ?? findings.evidenceSubmission,
      evidenceFormType: resolveSetting('wire.findings.evidenceFormType', sources)?.value ?? findings.evidenceFormType,
      scope: resolveSetting('wire.findings.scope', sources)?.value ?? findings.scope,
    },
    member: {
      deviceMgmtLabelId: resolveSetting('wire.member.deviceMgmtLabelId', sources)?.value ?? member.deviceMgmtLabelId,
      existing: resolveSetting('wire.member.existing', sources)?.value ?? member.existing,
    },
  };
}
