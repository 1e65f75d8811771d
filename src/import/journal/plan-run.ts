import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../util/errors.ts';
import { type ReplayedRun, readRun } from './import-run.ts';
import { JournalDamagedError } from './journal-errors.ts';
import { detailsOf, isUnfinished, type RunDetails, readRunHeads } from './recorded-runs.ts';
import { JOURNAL_VERSION, type RunHead } from './records.ts';
import { belongsToKey, isSameService, type RunIdentity, shortRunId } from './run-identity.ts';
import type { RunState } from './run-state.ts';

/** Which run a command is about. */
export interface RunSelection {
  /** Directory that contains the directories of the runs. */
  root: string;
  /** Directory of the services, with a lock and the requests in flight of each. Independent of `root`. */
  services: string;
  identity: RunIdentity;
  apiKey: string;
  /** Name of the list, for messages. */
  list: string;
  /** Absolute path of the list; undefined for a list that came from standard input. */
  path: string | undefined;
  /** Begins a run of the entire list, whatever earlier runs have done. */
  restart: boolean;
  /** The run that the user named. Otherwise, it is the last one of the same list. */
  id: string | undefined;
}

/**
 * What a command does with the run of its list:
 * - `start`: begins a run. `isFirst` is whether there is no other. `superseded` is the unfinished run of the same path that it
 *   does not continue. `laterThan` is when the run started that it replaces or supersedes.
 * - `continue`: sends the unsent rows of an unfinished run, and resolves those of unknown outcome
 * - `resend`: sends the failed rows of a finished run again, because the service may accept them by now
 * - `report`: prints the report of a finished run, and sends nothing
 */
export type RunPlan =
  | {
      readonly kind: 'start';
      readonly isFirst: boolean;
      readonly superseded?: SupersededRun;
      readonly laterThan?: string;
    }
  | { readonly kind: 'continue' | 'resend' | 'report'; readonly run: RunDetails };

/** A run whose list has changed. It is unfinished, or orgadm cannot read its journal: then it has no counts. */
export type SupersededRun = RunDetails | (RunHead & { readonly counts?: undefined });

/**
 * Decides what a command does with the run of its list. A run belongs to the list, its mapping, the service, and the key.
 *
 * @returns the plan, and the state of the run that it does not start
 * @throws UsageError if the unfinished run that the user named belongs to another key
 * @throws JournalDamagedError
 */
export async function planRun(selection: RunSelection): Promise<{ plan: RunPlan; state?: RunState }> {
  const { root, id, restart } = selection;
  const heads = await readRunHeads(root);
  const found = heads.find((head) => (id === undefined ? isSameRun(head, selection) : head.id === id));
  if (found === undefined || restart) {
    const superseded = restart ? undefined : await findSuperseded(heads, selection);
    const isFirst = heads.length === 0;
    const laterThan = (found ?? superseded)?.startedAt;
    return { plan: { kind: 'start', isFirst, ...(superseded && { superseded }), ...(laterThan && { laterThan }) } };
  }
  const replayed = await replayRun(found, selection);
  const { state } = replayed;
  const run = detailsOf(replayed);
  if (!isUnfinished(run)) {
    const kind = id === undefined && run.counts.failed > 0 ? 'resend' : 'report';
    return { plan: { kind, run }, state };
  }
  if (!belongsToKey(found, selection.apiKey)) throw otherKey(found);
  return { plan: { kind: 'continue', run }, state };
}

/** Whether two plans do the same with the same runs, which no process has worked on in between. */
export function isSamePlan(one: RunPlan, other: RunPlan): boolean {
  // An import of another list changes `isFirst`.
  return isDeepStrictEqual({ ...one, isFirst: false }, { ...other, isFirst: false });
}

/** Whether a run is that of the list. With a journal of another format, it is so whatever its key: orgadm cannot read what it sent. */
function isSameRun(head: RunHead, { identity, apiKey }: RunSelection): boolean {
  const isSameList = head.digest === identity.digest && isSameService(head.service, identity.service);
  return isSameList && (head.version !== JOURNAL_VERSION || belongsToKey(head, apiKey));
}

/** Returns the last run of the same path, if it is another one, and is unfinished or cannot be read. */
async function findSuperseded(heads: readonly RunHead[], selection: RunSelection): Promise<SupersededRun | undefined> {
  const { path, identity } = selection;
  const last = path && heads.find((head) => head.path === path && isSameService(head.service, identity.service));
  if (!last) return undefined;
  try {
    const run = detailsOf(await replayRun(last, selection));
    return isUnfinished(run) ? run : undefined;
  } catch (error) {
    // This run does not depend on it.
    if (error instanceof JournalDamagedError) return last;
    throw error;
  }
}

function replayRun({ id }: RunHead, { root }: RunSelection): Promise<ReplayedRun> {
  return readRun(join(root, id, 'journal'));
}

function otherKey({ id, list }: RunHead): UsageError {
  return new UsageError(
    `run ${shortRunId(id)} belongs to another API key`,
    `Nothing was sent. Use the key that started the run, or import ${list} with this one as a new run.`,
    'key-changed',
  );
}
