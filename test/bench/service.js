/*
 * The service that the benchmark sends to, in a process of its own. It does as little as it can, so that the client is what is
 * measured. Sends its port to the parent. Below /ok, it responds at once; below /slow, after the time that real services take.
 */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const SLOW_MS = { GET: 20, POST: 200 };
/** Findings that differ. A longer list repeats them, because making them takes longer than sending them. */
const DIFFERENT = 1_000;
const STATUSES = ['open', 'ready_for_review', 'needs_revision', 'closed'];
const SEVERITIES = ['low', 'medium', 'high', 'critical'];
const CONTENT = 'The screenshot shows the settings of another account, and the date is older than the period. '.repeat(
  5,
);

/** Returns finding number `at` of a task, of about 1.3 KB. */
const finding = (at, taskId) =>
  JSON.stringify({
    id: `fnd_${String(at).padStart(8, '0')}`,
    type: 'soc2',
    status: STATUSES[at % 4],
    severity: SEVERITIES[(at >> 2) % 4],
    content: `${at}: ${CONTENT}`,
    revisionNote: null,
    createdAt: '2026-03-01T09:00:00.000Z',
    updatedAt: '2026-03-02T10:30:00.000Z',
    taskId,
    evidenceSubmissionId: null,
    evidenceFormType: null,
    scope: null,
    organizationId: 'org_bench',
    createdBy: { id: 'mem_1', user: { id: 'usr_1', name: 'Ada Example', email: 'ada@example.com', image: null } },
    template: { id: 'tpl_0001', category: 'evidence', title: 'Evidence does not show what it should' },
    task: { id: taskId, title: 'Review the access rights of all employees every quarter' },
    evidenceSubmission: null,
  });

/** Yields the list of a task that has as many findings as its ID says. */
function* findings(taskId) {
  const count = Number(taskId) || 0;
  const different = Array.from({ length: Math.min(count, DIFFERENT) }, (_, at) => finding(at, taskId)).join();
  yield '[';
  for (let sent = 0; sent < count; sent += DIFFERENT) yield sent === 0 ? different : `,${different}`;
  yield ']';
}

/** Returns a created member, of about 300 bytes. */
const member = (userId) =>
  `{"id":"mem_${userId.slice(-12)}","organizationId":"org_bench","userId":"${userId}","role":"member","department":"it",` +
  `"isActive":true,"createdAt":"2026-03-01T09:00:00.000Z","user":{"id":"${userId}","name":"User ${userId}",` +
  `"email":"${userId}@example.com","emailVerified":true,"createdAt":"2025-11-20T08:30:00.000Z"}}`;

const service = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const body = await text(request);
  if (url.pathname.startsWith('/slow/')) await setTimeout(SLOW_MS[request.method]);
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') {
    Readable.from(findings(url.searchParams.get('taskId'))).pipe(response);
    return;
  }
  const created = Array.from(body.matchAll(/"userId":"([^"]+)"/g), ([, userId]) => member(userId));
  const summary = `{"total":${created.length},"successful":${created.length},"failed":0}`;
  response.writeHead(201).end(`{"created":[${created}],"errors":[],"summary":${summary},"authType":"api-key"}`);
});

service.listen(0, '127.0.0.1', () => process.send(service.address().port));
process.on('disconnect', () => process.exit());
