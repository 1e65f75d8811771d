import { API_KEY } from '../helpers/api-key.ts';
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

/** Exit codes of runs that print no error, except for `STORED_AS_ACTIVE`. */
const NO_ERROR = [0, 3, 7];
/** The error of a run that stops with exit code 3, because the service ignores who is inactive. */
const STORED_AS_ACTIVE = '{"error":{"code":"stored-as-active"';

/**
 * Checks what is true for every service.
 *
 * @param users those of the list, in its order
 * @returns one text for each violation
 */
export function findViolations(operation: Operation, reported: Outcome, users: readonly string[]): string[] {
  const violations = reported.service.faults.map((fault) => `the service received an invalid request: ${fault}`);
  const invariant = (holds: boolean, text: string) => {
    if (!holds) violations.push(text);
  };
  const { code, stdout, stderr } = reported;
  invariant(EXIT_CODES[operation].includes(code), `exit code ${code}`);
  invariant(!stderr.includes('"internal"'), 'an internal error');
  invariant(!`${stdout}${stderr}`.includes(API_KEY), 'the key is printed');
  const [lastLine = ''] = stderr.trimEnd().split('\n').slice(-1);
  const isStoredAsActive = operation === 'people' && code === 3 && lastLine.startsWith(STORED_AS_ACTIVE);
  invariant(
    (NO_ERROR.includes(code) && !isStoredAsActive) !== lastLine.startsWith('{"error":{"code":"'),
    'an error without its line, or a line without one',
  );
  // A check that does not understand a domain prints its status, too.
  const hasData = operation === 'people' || /"message":"[^"]* trust\.acme\.test [^"]*: /.test(lastLine);
  invariant(NO_ERROR.includes(code) || hasData || stdout === '', 'data next to an error');
  for (const { operation: done, status, value } of reported.service.responses) {
    const due = status === 204 ? undefined : dueWarning(done, value);
    // A response that other behaviors have made unusable leads to an error instead.
    if (due !== undefined && NO_ERROR.includes(code)) invariant(due.test(stderr), `a missing warning: ${due}`);
  }
  if (operation === 'role' && stdout !== '') {
    const { mismatches } = JSON.parse(stdout) as { mismatches: unknown[] };
    invariant(code === (mismatches.length > 0 ? 3 : 0), `exit code ${code} with ${mismatches.length} mismatches`);
  }
  if (operation === 'people') violations.push(...violationsReport(reported, users));
  return violations;
}

/** Returns a pattern of the warning that such a response must lead to. */
function dueWarning(operation: Operation, value: unknown): RegExp | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (operation === 'people') {
    const { created } = value as { created?: { userId?: unknown }[] | null };
    const isUnnamed = created?.some?.((member) => member?.userId === 'usr_77') ?? false;
    return isUnnamed ? /^warning: .*\bcreated member/m : undefined;
  }
  if (operation === 'role') {
    const { name } = value as { name?: unknown };
    return typeof name === 'string' && name !== 'Lead Auditor' ? /^warning: .*\bname\b/m : undefined;
  }
  const isAstray = operation === 'findings' && Array.isArray(value) && value.some((one) => one?.taskId === 'tsk_2');
  return isAstray ? /^warning: .* tsk_1\b/m : undefined;
}

/** Checks a report: every row has one state, and every state is true. */
function violationsReport({ code, stdout, stderr, service }: Outcome, users: readonly string[]): string[] {
  const report = JSON.parse(stdout);
  const states = statesOf(report);
  const { total, stopped, ...counts } = report.summary;
  const sum = Object.values<number>(counts).reduce((total, count) => total + count, 0);
  const violations: string[] = [];
  if (sum !== total) violations.push('the counts are not the total');
  if (total !== users.length) violations.push('rows are missing');
  for (const [at, userId] of users.entries()) {
    const state = states[at] ?? 'missing';
    const ours = service.added.get(userId) ?? 0;
    const { error = null } = report.rows.find(({ entry }: { entry: number }) => entry === at + 1) ?? {};
    // Next to the service's message, the report says that an earlier request may have added this person.
    const mayBeAdded = error?.endsWith(')') ?? false;
    if (!mayBeAdded && !isTrue(state, ours, EXISTING_MEMBERS.has(userId)))
      violations.push(`${userId} is reported as ${state}, and was added ${ours} times`);
  }
  const isDone =
    report.possibleDuplicates.length === 0 && states.every((state) => state === 'created' || state === 'recovered');
  if (stopped === null && code !== (isDone ? 0 : 3)) violations.push(`exit code ${code} for ${states.join(' ')}`);
  const isStoredAsActive = code === 3 && stderr.includes(STORED_AS_ACTIVE);
  if (stopped !== null && NO_ERROR.includes(code) && !isStoredAsActive)
    violations.push('a run that was stopped ends without an error');
  if (stopped === null && isStoredAsActive) violations.push('a run that was stopped is reported as complete');
  return violations;
}

/** Whether a state is true of a user whom the service has added `ours` times, or who was a member before. */
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

/** Where a change is made. */
const TARGET = /^[^:\n]* http:\/\/127\.0\.0\.1:\d+\S*\n(?: {2}.*\n)*/;
/** How long a run took, if it took long. */
const DURATION = /^[a-z]+ \d+ s(?:, \d+ s .*)?\n/m;
/** The next step after rejected rows. */
const NEXT_STEP = /^.* --errors-file rejected\.csv\n/m;

/** A wait before a request is sent again. */
const WAIT = /^[^{\n].* in \d+ [smh]\b.*\n/gm;

/** Removes what every change prints on standard error, whatever the service. */
export function withoutProgress(stderr: string): string {
  return [TARGET, DURATION, NEXT_STEP, WAIT].reduce((text, message) => text.replace(message, ''), stderr);
}
