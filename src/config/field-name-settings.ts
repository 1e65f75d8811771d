import { type Sources, settle } from './setting-sources.ts';
import type { WireNames } from './settings.ts';

/** What the names on the wire are unless a profile says otherwise. */
export const DEFAULT_WIRE_NAMES: WireNames = {
  findings: {
    task: 'taskId',
    evidenceSubmission: 'evidenceSubmissionId',
    evidenceFormType: 'evidenceFormType',
    scope: 'scope',
  },
  member: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
};

/** The names on the wire that the profile sets, the usual ones for the rest. */
export function wireNames(sources: Sources): WireNames {
  const { findings, member } = DEFAULT_WIRE_NAMES;
  return {
    findings: {
      task: settle('wire.findings.task', sources)?.value ?? findings.task,
      evidenceSubmission: settle('wire.findings.evidenceSubmission', sources)?.value ?? findings.evidenceSubmission,
      evidenceFormType: settle('wire.findings.evidenceFormType', sources)?.value ?? findings.evidenceFormType,
      scope: settle('wire.findings.scope', sources)?.value ?? findings.scope,
    },
    member: {
      deviceMgmtLabelId: settle('wire.member.deviceMgmtLabelId', sources)?.value ?? member.deviceMgmtLabelId,
      existing: settle('wire.member.existing', sources)?.value ?? member.existing,
    },
  };
}
