import { elapsedSince, type Moment } from '../../util/moment.ts';
import type { Duplicate, IntentRecord, JournalRecord, NoteRecord, OutcomeRecord, StoredValue } from './records.ts';
import { emptyOutcome, type RequestOutcome } from './request-outcome.ts';
import { decodeRanges } from './row-ranges.ts';
import { RowStates } from './row-states.ts';

const DIED = 'orgadm ended before the response arrived';

/** A request of unknown outcome. */
export interface UnknownRequest {
  readonly request: number;
  /** Rows whose outcome it left unknown. */
  readonly size: number;
  /** When it ended; its intent, if orgadm died. */
  readonly at: Moment;
  /** When it had ended at the latest, in milliseconds after `at`. */
  readonly timeoutMs: number;
  /** How long the service may process it after that, in milliseconds. */
  readonly lifetimeMs: number;
}

/**
 * Returns how long a request of unknown outcome may still be running, in milliseconds.
 *
 * @param lifetimeMs the present `--request-lifetime`; the longer of this one and that of the intent counts
 */
export function remainingMs(request: UnknownRequest, lifetimeMs: number, present: Moment): number {
  const longestMs = request.timeoutMs + Math.max(request.lifetimeMs, lifetimeMs);
  return Math.max(0, longestMs - elapsedSince(request.at, present));
}

/** Facts about the entire run, from its responses. */
export type RunFacts = Omit<NoteRecord, 't'>;

/** The state of a run, which follows from its records. */
export class RunState {
  readonly rowStates: RowStates;
  readonly facts: RunFacts = {};
  /** Users for whom a response listed two or more active memberships. */
  readonly duplicates: Duplicate[] = [];
  /** Values of created members that the service stored differently from what was sent. */
  readonly mismatches: StoredValue[] = [];
  /** The rows that were sent again during a stall, and may have been added twice. */
  readonly stalled = new Set<number>();
  /** The rows that make the service fail, each with the request that showed it last. */
  readonly failing = new Map<number, number>();
  /** The number of the last request, of this process or an earlier one; 0 before the first. */
  lastRequest = 0;
  /** When a process last sent something or ended the run, in milliseconds since the epoch. */
  lastActiveMs = 0;
  readonly #keepsMemberIds: boolean;
  readonly #open = new Map<number, IntentRecord>();
  readonly #unknown = new Map<number, UnknownRequest>();
  /** By row. Allocated on first use: most runs have few. */
  #messages: (string | undefined)[] | undefined;
  /** Rows that were rejected together with others, and not tried alone. */
  readonly #notAlone = new Set<number>();
  #memberIds: (string | undefined)[] | undefined;

  /** @param keepsMemberIds whether the report shows them; a million of them take 60 MB */
  constructor(total: number, keepsMemberIds: boolean) {
    this.rowStates = new RowStates(total);
    this.#keepsMemberIds = keepsMemberIds;
  }

  /** Applies a record. Throws RangeError for rows that the list does not have. */
  apply(record: JournalRecord): void {
    switch (record.t) {
      case 'run':
        this.lastActiveMs = Date.parse(record.startedAt);
        for (const number of decodeRanges(record.invalid ?? '')) this.rowStates.set(number, 'invalid');
        break;
      case 'intent':
        this.lastRequest = record.request;
        this.lastActiveMs = record.at.clock;
        this.#open.set(record.request, record);
        break;
      case 'outcome':
        this.applyOutcome(record, decodeOutcome(record));
        break;
      case 'note': {
        const { t: _, ...facts } = record;
        Object.assign(this.facts, facts);
        break;
      }
      case 'closed':
        this.lastActiveMs = record.atMs;
    }
  }

  /**
   * Returns the outcomes of the requests that were in flight when their process died. They count from the moment at which the
   * next process begins: what that one records about the same rows comes after them.
   */
  outcomesOfDeadProcess(): OutcomeRecord[] {
    return Array.from(this.#open.values(), ({ request, rows, at, timeoutMs, probe }) => {
      return { t: 'outcome', request, at, timeoutMs, unknown: [[rows, DIED]], ...(probe && { stalled: rows }) };
    });
  }

  /** Whether any row is unsent or unknown. */
  get isUnfinished(): boolean {
    const { unknown, unsent } = this.rowStates.counts();
    return unknown + unsent > 0;
  }

  /** Whether any row has an outcome, or is in flight: otherwise the run leaves nothing behind. */
  get hasOutcome(): boolean {
    const { created, existing, recovered, failed, unknown } = this.rowStates.counts();
    return created + existing + recovered + failed + unknown + this.#open.size > 0;
  }

  /** Returns the request that left the outcome of a row unknown; undefined if the row's state is another one. */
  unknownRequest(number: number): UnknownRequest | undefined {
    if (this.rowStates.stateOf(number) !== 'unknown') return undefined;
    return this.#unknown.get(this.rowStates.requestOf(number));
  }

  /** Returns the rows whose outcome is unknown. */
  unknownRows(): number[] {
    const rows: number[] = [];
    for (let number = 1; number <= this.rowStates.total; number++)
      if (this.rowStates.stateOf(number) === 'unknown') rows.push(number);
    return rows;
  }

  /** Returns the requests that left the outcome of any row unknown. */
  unknownRequests(): UnknownRequest[] {
    if (this.rowStates.counts().unknown === 0) return [];
    const numbers = new Set(this.unknownRows().map((number) => this.rowStates.requestOf(number)));
    return [...numbers].flatMap((number) => this.#unknown.get(number) ?? []);
  }

  /** Returns what a report says about a row: the service's message and a note, or why its outcome is unknown. */
  messageFor(number: number): string | undefined {
    const message = this.#messages?.[number];
    const state = this.rowStates.stateOf(number);
    if (message === undefined || state !== 'failed') return message;
    if (this.rowStates.wasAmbiguous(number)) return `${message} (an earlier request may have added this person)`;
    return this.#notAlone.has(number) ? `rejected together with other rows, not tried alone: ${message}` : message;
  }

  /** Returns the service's own message on a row, or why its outcome is unknown. */
  plainMessageFor(number: number): string | undefined {
    return this.#messages?.[number];
  }

  /** Returns the member ID of a created row; undefined if the response did not name one. */
  memberIdFor(number: number): string | undefined {
    return this.#memberIds?.[number];
  }

  /** Applies the outcome of a request. Throws RangeError for rows that the list does not have. */
  applyOutcome(
    { request, at, timeoutMs = 0 }: Pick<OutcomeRecord, 'request' | 'at' | 'timeoutMs'>,
    { created, memberIds, existing, failed, unknown, duplicates, mismatches, stalled }: RequestOutcome,
  ): void {
    const { rowStates } = this;
    const lifetimeMs = this.#open.get(request)?.lifetimeMs ?? 0;
    this.#open.delete(request);
    for (const [at, number] of created.entries()) {
      rowStates.set(number, 'created');
      this.failing.delete(number);
      const memberId = memberIds[at];
      if (this.#keepsMemberIds && memberId != null) this.#setMemberId(number, memberId);
    }
    for (const [number, message] of existing) this.#setFinal(number, 'existing', message);
    for (const [number, message, note] of failed) {
      this.#setFinal(number, 'failed', message);
      if (note === 'not-alone') this.#notAlone.add(number);
    }
    this.duplicates.push(...duplicates);
    this.mismatches.push(...mismatches);
    for (const number of stalled) this.stalled.add(number);
    let size = 0;
    for (const [numbers, reason, note] of unknown) {
      for (const number of numbers) {
        this.#setUnknown(number, request, reason);
        if (note === 'failing') this.failing.set(number, request);
      }
      size += numbers.length;
    }
    if (size > 0) this.#unknown.set(request, { request, size, at, timeoutMs, lifetimeMs });
  }

  #setFinal(number: number, state: 'existing' | 'failed', message: string): void {
    this.rowStates.set(number, state);
    this.failing.delete(number);
    this.#setMessage(number, message);
  }

  #setUnknown(number: number, request: number, reason: string): void {
    this.failing.delete(number);
    this.rowStates.setUnknown(number, request);
    this.#setMessage(number, reason);
  }

  #setMessage(number: number, message: string): void {
    this.#notAlone.delete(number);
    this.#messages ??= new Array<string | undefined>(this.rowStates.total + 1);
    this.#messages[number] = message;
  }

  #setMemberId(number: number, memberId: string): void {
    this.#memberIds ??= new Array<string | undefined>(this.rowStates.total + 1);
    this.#memberIds[number] = memberId;
  }
}

function decodeOutcome({ created = '', unknown = [], stalled = '', ...record }: OutcomeRecord): RequestOutcome {
  return {
    ...emptyOutcome(),
    ...record,
    created: [...decodeRanges(created)],
    stalled: [...decodeRanges(stalled)],
    unknown: unknown.map(([rows, reason, note]) => [[...decodeRanges(rows)], reason, note]),
  };
}
