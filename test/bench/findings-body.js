import { Readable } from 'node:stream';

const IN_ONE_CHUNK = 50;
const STATUSES = ['open', 'ready_for_review', 'needs_revision', 'closed'];
const SEVERITIES = ['low', 'medium', 'high', 'critical'];
const CONTENT = 'The screenshot shows the settings of another account, and the date is older than the period. '.repeat(
  5,
);

/** A finding of about 1.3 KB, number `at` of the list of this task. */
function finding(at, taskId) {
  const number = String(at).padStart(8, '0');
  return JSON.stringify({
    id: `fnd_${number}`,
    type: 'soc2',
    status: STATUSES[at % 4],
    severity: SEVERITIES[(at >> 2) % 4],
    content: `${number}: ${CONTENT}`,
    revisionNote: null,
    createdAt: '2026-03-01T09:00:00.000Z',
    updatedAt: '2026-03-02T10:30:00.000Z',
    taskId,
    evidenceSubmissionId: null,
    evidenceFormType: null,
    scope: null,
    organizationId: 'org_bench',
    createdBy: {
      id: 'mem_000000000001',
      user: {
        id: 'usr_000000000001',
        name: 'Ada Example',
        email: 'ada@example.com',
        image: 'https://img.example/a.png',
      },
    },
    template: { id: 'tpl_0001', category: 'evidence', title: 'Evidence does not show what it should' },
    task: { id: taskId, title: 'Review the access rights of all employees every quarter' },
    evidenceSubmission: null,
  });
}

/** The body of a list of `count` findings, made as it is read. */
export function findingsArray(count) {
  function* chunks() {
    for (let from = 0; from < count; from += IN_ONE_CHUNK) {
      const to = Math.min(count, from + IN_ONE_CHUNK);
      const texts = Array.from({ length: to - from }, (_, at) => finding(from + at, String(count)));
      yield `${from === 0 ? '[' : ','}${texts.join(',')}`;
    }
    yield count === 0 ? '[]' : ']';
  }
  return Readable.from(chunks(), { objectMode: false });
}
