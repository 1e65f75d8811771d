import type { Clock } from '../../clock.ts';
import type { Member } from '../../service/bulk-rows.ts';
import type { BulkAnswer } from '../../service/contract.ts';
import { ServiceError } from '../../service/errors.ts';
import { identifierOf } from '../../service/identifier.ts';
import type { Entry } from '../entry.ts';
import { type AttemptOutcome, emptyOutcome } from '../journal/records.ts';
import type { Run } from '../journal/run.ts';
import { account, type EntryOutcome } from './account.ts';
import { isExisting } from './existing.ts';
import { judge, type Verdict } from './verdict.ts';

/** A row on its way to the service. */
export interface SendRow {
  readonly entry: number;
  readonly line: number;
  readonly value: Entry;
}

/** Of how many of its rows an answer does not tell what became. */
export type Untold = 'none' | 'some' | 'all';

/** What came of one request. `isElsewhere`: it added people to another organization than the first one did. */
export type Attempted =
  | { kind: 'answered'; untold: Untold; isElsewhere: boolean; contradictions: string[] }
  | { kind: 'failed'; verdict: Verdict; error: ServiceError };

export interface AttemptContext {
  readonly run: Run;
  readonly clock: Clock;
  /** Further words that mean "is a member already". */
  readonly existingWords: readonly string[];
  /** Sends the entries in one request: interface 4.2. Throws ServiceError. */
  readonly post: (entries: readonly Entry[]) => Promise<BulkAnswer>;
  /** Is told how long the service took for an answer of any kind. */
  readonly onAnswer: (durationMs: number) => void;
  /** Is told of each member the service says it created. */
  readonly onCreated: (row: SendRow, member: Member) => void;
}

const LOST = 'it was being sent when the run failed';

/**
 * Sends rows once: written down before, accounted for and written down after. Only rows whose fate the answer tells are
 * settled; rows of a request that was refused or not processed are as they were before, and what to do with them is the
 * caller's decision. A row refused alone is settled here.
 */
export async function attempt(rows: readonly SendRow[], context: AttemptContext): Promise<Attempted> {
  const { run, clock, post } = context;
  const number = await run.begin(rows.map(({ entry }) => entry));
  const began = clock.now();
  try {
    const answer = await post(rows.map(({ value }) => value));
    const answeredMs = answered(clock.now() - began, context);
    return settle(number, rows, answer, answeredMs, context);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      // Whatever broke in this process: the request may be on its way.
      run.finish(number, { ...emptyOutcome(), unclear: [[rows.map(({ entry }) => entry), LOST]] });
      throw error;
    }
    const answeredMs = error.status === undefined ? undefined : answered(clock.now() - began, context);
    const verdict = judge(error, rows.length, (words) => isExisting(words, context.existingWords));
    const timedOut = verdict.kind === 'unclear' && verdict.timedOut;
    run.finish(number, { ...outcomeOf(verdict, rows, context), answeredMs, timedOut });
    return { kind: 'failed', verdict, error };
  }
}

function answered(durationMs: number, { onAnswer }: AttemptContext): number {
  onAnswer(durationMs);
  return durationMs;
}

function settle(
  number: number,
  rows: readonly SendRow[],
  answer: BulkAnswer,
  answeredMs: number,
  context: AttemptContext,
): Attempted {
  const { run } = context;
  const userIds = rows.map(({ value }) => value.userId);
  const { outcomes, base, contradictions } = account(userIds, answer, run.facts.base);
  run.learn(answer, base, organizationOf(outcomes));

  const outcome = { ...emptyOutcome(), answeredMs };
  const unclear = new Map<string, number[]>();
  const leaveUnclear = (entry: number, why: string) => {
    const entries = unclear.get(why);
    if (entries === undefined) unclear.set(why, [entry]);
    else entries.push(entry);
  };
  let otherOrganization: string | undefined;
  for (const [at, row] of rows.entries()) {
    const { entry } = row;
    const result = outcomes[at];
    if (result?.kind === 'created') {
      outcome.created.push(entry);
      context.onCreated(row, result.member);
      const organizationId = identifierOf(result.member.organizationId);
      if (organizationId !== undefined && organizationId !== run.facts.organizationId)
        otherOrganization = organizationId;
    } else if (result?.kind === 'error') {
      const mark = run.ledger.hasUnclearMark(entry);
      if (isExisting(result.words, context.existingWords))
        outcome[mark ? 'recovered' : 'existing'].push([entry, result.words]);
      // After an attempt of ours that may have added it, other words do not prove that it was not added.
      else if (mark) leaveUnclear(entry, result.words);
      else outcome.failed.push([entry, result.words]);
    } else leaveUnclear(entry, result?.why ?? 'the answer does not mention it');
  }
  outcome.unclear = [...unclear].map(([why, entries]) => [entries, why]);
  if (otherOrganization !== undefined) run.learnOtherOrganization(otherOrganization);
  run.finish(number, outcome);
  const untold = outcomes.filter(({ kind }) => kind === 'unclear').length;
  const share: Untold = untold === 0 ? 'none' : untold === rows.length ? 'all' : 'some';
  return { kind: 'answered', untold: share, isElsewhere: otherOrganization !== undefined, contradictions };
}

/** The organization that the first of these rows was added to; members that were not asked for tell nothing of it. */
function organizationOf(outcomes: readonly EntryOutcome[]): string | undefined {
  for (const outcome of outcomes) {
    const found = outcome.kind === 'created' ? identifierOf(outcome.member.organizationId) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function outcomeOf(verdict: Verdict, rows: readonly SendRow[], { run, existingWords }: AttemptContext): AttemptOutcome {
  const outcome = emptyOutcome();
  const entries = rows.map(({ entry }) => entry);
  if (verdict.kind === 'unclear') outcome.unclear.push([entries, verdict.why]);
  if (verdict.kind === 'stop' && verdict.unclear)
    outcome.unclear.push([entries, 'the service answered with a redirect']);
  if ((verdict.kind === 'refused' || verdict.kind === 'too-large') && rows.length === 1) {
    const [entry = 0] = entries;
    if (isExisting(verdict.words, existingWords)) {
      outcome[run.ledger.hasUnclearMark(entry) ? 'recovered' : 'existing'].push([entry, verdict.words]);
      return outcome;
    }
    // Alone it is always the first: its place in the request would mislead whoever reads a list.
    return refusedOutcome(entries, verdict.words.replaceAll(/\bmembers(?:\.0\.|\[0\]\.?|\/0\/)/g, ''), run);
  }
  return outcome;
}

/** Rows that the service refuses: failed, unless an earlier attempt of ours may have added them. */
export function refusedOutcome(entries: readonly number[], words: string, run: Run): AttemptOutcome {
  const outcome = emptyOutcome();
  const marked = entries.filter((entry) => run.ledger.hasUnclearMark(entry));
  if (marked.length > 0) outcome.unclear.push([marked, words]);
  for (const entry of entries) if (!run.ledger.hasUnclearMark(entry)) outcome.failed.push([entry, words]);
  return outcome;
}
