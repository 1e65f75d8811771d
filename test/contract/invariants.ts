import type { Operation } from './behaviors.ts';
import { EXISTING_MEMBERS } from './fixtures.ts';
import type { Outcome } from './run.ts';
import { statesOf } from './run.ts';

const EXIT_CODES: Readonly<Record<Operation, readonly number[]>> = {
  role: [0, 1, 3, 4, 5, 6],
  people: [0, 1, 3, 4, 5, 6],
  domain: [0, 1, 4, 5, 6, 7],
  findings: [0, 1, 4, 5, 6],
};

/** Runs that end with these codes have said all there is on standard output. */
const NO_ERROR = [0, 3, 7];

/**
 * What holds whatever a service answers. `users` are those of the list, in its order.
 *
 * @returns what is broken, a sentence each
 */
export function findViolations(operation: Operation, reported: Outcome, users: readonly string[]): string[] {
  const broken = reported.service.faults.map((fault) => `the service got what it should not: ${fault}`);
  const invariant = (holds: boolean, text: string) => {
    if (!holds) broken.push(text);
  };
  const { code, stdout, stderr } = reported;
  invariant(EXIT_CODES[operation].includes(code), `exit code ${code}`);
  invariant(!stderr.includes('"internal"'), 'an internal error');
  invariant(!`${stdout}${stderr}`.includes('contract-key'), 'the key is shown');
  const [lastLine = ''] = stderr.trimEnd().split('\n').slice(-1);
  invariant(
    NO_ERROR.includes(code) !== lastLine.startsWith('{"error":{"code":"'),
    'an error without its line, or a line without one',
  );
  invariant(NO_ERROR.includes(code) || operation === 'people' || stdout === '', 'data beside an error');
  for (const { operation: done, status, asked, value } of reported.service.responses) {
    const due = status === 204 ? undefined : dueWarning(done, value, asked.members.length);
    // An answer that was cut off from its meaning by other points brings an error instead.
    if (due !== undefined && NO_ERROR.includes(code)) invariant(stderr.includes(due), `a warning that is due: ${due}`);
  }
  if (operation === 'role' && stdout !== '') {
    const { mismatches } = JSON.parse(stdout) as { mismatches: unknown[] };
    invariant(code === (mismatches.length > 0 ? 3 : 0), `exit code ${code} with ${mismatches.length} mismatches`);
  }
  if (operation === 'people') broken.push(...brokenReport(reported, users));
  return broken;
}

/** Words that must be on standard error after such an answer, worked out from the answer alone. */
function dueWarning(operation: Operation, value: unknown, sent: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (operation === 'people') {
    const { summary } = value as { summary?: { total?: unknown } | null };
    const total = summary?.total;
    return typeof total === 'number' && total !== sent ? 'the response of the service is inconsistent: ' : undefined;
  }
  if (operation === 'role') {
    const { name } = value as { name?: unknown };
    return typeof name === 'string' && name !== 'Lead Auditor' ? 'name: "Lead Auditor" was sent, but ' : undefined;
  }
  if (operation === 'domain') {
    const { domain } = value as { domain?: unknown };
    return domain === 'other.test' ? 'the service answered for other.test' : undefined;
  }
  const astray = Array.isArray(value) && value.some((one) => one?.taskId === 'tsk_2');
  return astray ? 'findings do not belong to tsk_1' : undefined;
}

/** The laws of a report: every row has one state, and none that is not true. */
function brokenReport({ code, stdout, service }: Outcome, users: readonly string[]): string[] {
  const report = JSON.parse(stdout);
  const states = statesOf(report);
  const { total, stopped, duplicates: _, ...counts } = report.summary;
  const sum = Object.values<number>(counts).reduce((sofar, count) => sofar + count, 0);
  const broken: string[] = [];
  if (sum !== total) broken.push('the counts are not the total');
  if (total !== users.length) broken.push('rows are missing');
  for (const [at, userId] of users.entries()) {
    const state = states[at] ?? 'missing';
    const ours = service.added.get(userId) ?? 0;
    if (!isTrue(state, ours, EXISTING_MEMBERS.has(userId)))
      broken.push(`${userId} is told as ${state}, and was added ${ours} times`);
  }
  const isDone =
    report.summary.duplicates === 0 && states.every((state) => state === 'created' || state === 'recovered');
  if (stopped === null && code !== (isDone ? 0 : 3)) broken.push(`exit code ${code} for ${states.join(' ')}`);
  if (stopped !== null && NO_ERROR.includes(code)) broken.push('a run that was stopped ends without an error');
  return broken;
}

/** Whether a state is true of somebody whom the service has added so often for us, or who was a member before. */
function isTrue(state: string, ours: number, before: boolean): boolean {
  switch (state) {
    case 'created':
    case 'recovered':
      return ours === 1 || before;
    case 'existing':
      return before && ours === 0;
    case 'failed':
    case 'unsent':
      return ours === 0;
    default:
      return state === 'unknown';
  }
}
