import { Readable } from 'node:stream';

const IN_ONE_CHUNK = 50;
const MADE = 1_000;
const STATUSES = ['open', 'ready_for_review', 'needs_revision', 'closed'];
const SEVERITIES = ['low', 'medium', 'high', 'critical'];
const CONTENT = 'The screenshot shows the settings of another account, and the date is older than the period. '.repeat(
  5,
);

/** As csv has them. */
const COLUMNS =
  'id,severity,status,type,content,createdAt,revisionNote,updatedAt,taskId,evidenceSubmissionId,evidenceFormType,scope,' +
  'organizationId,createdBy.id,createdBy.user.id,createdBy.user.name,createdBy.user.email,createdBy.user.image,' +
  'template.id,template.category,template.title,task.id,task.title,evidenceSubmission';
/** The filter with which jq writes the same rows. */
export const CSV_FILTER = `.[] | [.${COLUMNS.replaceAll(',', ',.')}] | @csv`;

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

/**
 * The body of a list of `count` findings. They are made before the body is read, for what makes them must not be what is
 * measured: a longer list repeats them, 50 at a time.
 */
export function findingsArray(count) {
  const made = Array.from({ length: Math.min(count, MADE) }, (_, at) => finding(at, String(count)));
  const pieces = Array.from({ length: Math.ceil(made.length / IN_ONE_CHUNK) }, (_, piece) =>
    Buffer.from(`,${made.slice(piece * IN_ONE_CHUNK, (piece + 1) * IN_ONE_CHUNK)}`),
  );
  function* chunks() {
    yield Buffer.from('[');
    for (let at = 0; at * IN_ONE_CHUNK < count; at++) {
      const piece = pieces[at % pieces.length];
      yield at === 0 ? piece.subarray(1) : piece;
    }
    yield Buffer.from(']');
  }
  return Readable.from(chunks(), { objectMode: false });
}
