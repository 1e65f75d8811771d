import { elapsedSince, type Moment } from '../../util/moment.ts';
import { type Outcome, type Outcomes, ROW_STATES, type RowState, type StoredValue } from '../outcome.ts';
import { decodeOutcomes, outcomeOfDeath } from './outcome-record.ts';
import type { IntentRecord, JournalRecord, NoteRecord, OutcomeRecord } from './records.ts';
import { decodeRanges } from './row-ranges.ts';

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

const UNSENT = ROW_STATES.indexOf('unsent');
/** Set for a row that was ever part of a request of unknown outcome, and never cleared. */
const AMBIGUOUS = 0x80;

/**
 * The state of a run, which follows from its records. The outcome belongs to a row, not to its request, so the counts always add
 * up to the total. A state takes one byte, and what few rows have is allocated on first use: a list may have a million rows.
 */
export class RunState {
  /** Rows of the list; they are numbered from 1. */
  readonly total: number;
  readonly facts: RunFacts = {};
  /** The active memberships of users, each time that a response listed two or more. */
  readonly duplicates: { readonly number: number; readonly memberIds: readonly string[] }[] = [];
  /** Values of members that the service stored differently from what was sent. */
  readonly mismatches: ({ readonly number: number } & StoredValue)[] = [];
  /** The rows that were sent again during a stall, and may have been added twice. */
  readonly stalled = new Set<number>();
  /** The rows that make the service fail, each with the request that showed it last. */
  readonly failing = new Map<number, number>();
  /** The number of the last request, of this process or an earlier one; 0 before the first. */
  lastRequest = 0;
  /** When a process last sent something or ended the run, in milliseconds since the epoch. */
  lastActiveMs = 0;
  readonly #states: Uint8Array;
  readonly #counts: Record<RowState, number>;
  /** The request of unknown outcome that each row was part of last. */
  readonly #requests: Uint32Array;
  #messages: (string | undefined)[] | undefined;
  #memberIds: (string | undefined)[] | undefined;
  /** Failed rows that were rejected together with others, and not tried alone. */
  readonly #notAlone = new Set<number>();
  readonly #keepsMemberIds: boolean;
  readonly #open = new Map<number, IntentRecord>();
  readonly #unknown = new Map<number, UnknownRequest>();

  /** @param keepsMemberIds whether the report shows them; a million of them take 60 MB */
  constructor(total: number, keepsMemberIds = false) {
    this.total = total;
    this.#states = new Uint8Array(total + 1).fill(UNSENT);
    this.#counts = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: total };
    this.#requests = new Uint32Array(total + 1);
    this.#keepsMemberIds = keepsMemberIds;
  }

  /** Applies a record. Throws RangeError for rows that the list does not have. */
  apply(record: JournalRecord): void {
    switch (record.t) {
      case 'run':
        this.lastActiveMs = Date.parse(record.startedAt);
        for (const number of decodeRanges(record.invalid ?? '')) this.setInvalid(number);
        break;
      case 'intent':
        this.lastRequest = record.request;
        this.lastActiveMs = record.at.clock;
        this.#open.set(record.request, record);
        break;
      case 'outcome':
        this.applyOutcomes(record, decodeOutcomes(record));
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

  /** Makes a row one that is never sent. */
  setInvalid(number: number): void {
    this.#setState(number, 'invalid');
  }

  /**
   * Applies the outcomes of a request. Rows that it does not name were not processed, and are as they were before. Throws
   * RangeError for rows that the list does not have.
   */
  applyOutcomes(
    { request, at, timeoutMs = 0 }: Pick<OutcomeRecord, 'request' | 'at' | 'timeoutMs'>,
    outcomes: Outcomes,
  ): void {
    const lifetimeMs = this.#open.get(request)?.lifetimeMs ?? 0;
    this.#open.delete(request);
    let size = 0;
    for (const [number, outcome] of outcomes) {
      this.#set(number, outcome, request);
      if (outcome.state === 'unknown') size++;
    }
    if (size > 0) this.#unknown.set(request, { request, size, at, timeoutMs, lifetimeMs });
  }

  #set(number: number, outcome: Outcome, request: number): void {
    const isRecovered = outcome.state === 'existing' && this.#wasAmbiguous(number);
    this.#setState(number, isRecovered ? 'recovered' : outcome.state);
    this.#setMessage(number, 'message' in outcome ? outcome.message : undefined);
    this.failing.delete(number);
    this.#notAlone.delete(number);
    if (outcome.state === 'created') this.#setMemberId(number, outcome.memberId);
    if (outcome.state === 'failed' && outcome.note === 'not-alone') this.#notAlone.add(number);
    if (outcome.state === 'unknown') {
      this.#states[number] = (this.#states[number] ?? 0) | AMBIGUOUS;
      this.#requests[number] = request;
      if (outcome.note === 'failing') this.failing.set(number, request);
    }
    const { memberships, mismatches = [], isAtRisk } = outcome;
    if (memberships !== undefined) this.duplicates.push({ number, memberIds: memberships });
    for (const value of mismatches) this.mismatches.push({ number, ...value });
    if (isAtRisk) this.stalled.add(number);
  }

  #setState(number: number, state: RowState): void {
    if (!(Number.isInteger(number) && number >= 1 && number <= this.total))
      throw new RangeError(`row ${number} is not in a list of ${this.total}`);
    this.#counts[this.stateOf(number)]--;
    this.#states[number] = ROW_STATES.indexOf(state) | ((this.#states[number] ?? 0) & AMBIGUOUS);
    this.#counts[state]++;
  }

  #setMessage(number: number, message: string | undefined): void {
    if (message === undefined && this.#messages === undefined) return;
    this.#messages ??= new Array<string | undefined>(this.total + 1);
    this.#messages[number] = message;
  }

  #setMemberId(number: number, memberId: string | undefined): void {
    if (memberId === undefined || !this.#keepsMemberIds) return;
    this.#memberIds ??= new Array<string | undefined>(this.total + 1);
    this.#memberIds[number] = memberId;
  }

  stateOf(number: number): RowState {
    return ROW_STATES[(this.#states[number] ?? UNSENT) & ~AMBIGUOUS] ?? 'unsent';
  }

  /** Whether a request of unknown outcome may have added the row, whatever its state is now. */
  #wasAmbiguous(number: number): boolean {
    return ((this.#states[number] ?? 0) & AMBIGUOUS) !== 0;
  }

  /** Returns the outcome of a row, without what `duplicates`, `mismatches`, and `stalled` say about it. */
  outcomeOf(number: number): Outcome {
    const state = this.stateOf(number);
    const message = this.#messages?.[number] ?? '';
    switch (state) {
      case 'created':
        return { state, memberId: this.#memberIds?.[number] };
      case 'failed':
        if (this.#wasAmbiguous(number)) return { state, message, note: 'maybe-added' };
        return { state, message, note: this.#notAlone.has(number) ? 'not-alone' : undefined };
      case 'unknown':
        return { state, message, note: this.failing.has(number) ? 'failing' : undefined };
      case 'existing':
      case 'recovered':
        return { state, message };
      case 'invalid':
      case 'unsent':
        return { state };
    }
  }

  counts(): Record<RowState, number> {
    return { ...this.#counts };
  }

  /** Number of rows that are neither unsent nor unknown. */
  get finalized(): number {
    return this.total - this.#counts.unknown - this.#counts.unsent;
  }

  /** Whether any row is unsent or unknown. */
  get isUnfinished(): boolean {
    return this.finalized < this.total;
  }

  /** Whether any row has an outcome, or is in flight: otherwise the run leaves nothing behind. */
  get hasOutcome(): boolean {
    const { invalid, unsent } = this.#counts;
    return invalid + unsent < this.total || this.#open.size > 0;
  }

  /** Returns the outcomes of the requests that were in flight when their process died. */
  outcomesOfDeadProcess(): OutcomeRecord[] {
    return Array.from(this.#open.values(), outcomeOfDeath);
  }

  /** Returns the request that left the outcome of a row unknown; undefined if the row's state is another one. */
  unknownRequest(number: number): UnknownRequest | undefined {
    if (this.stateOf(number) !== 'unknown') return undefined;
    return this.#unknown.get(this.#requests[number] ?? 0);
  }

  /** Returns the rows whose outcome is unknown. */
  unknownRows(): number[] {
    const rows: number[] = [];
    for (let number = 1; number <= this.total; number++) if (this.stateOf(number) === 'unknown') rows.push(number);
    return rows;
  }

  /** Returns the requests that left the outcome of any row unknown. */
  unknownRequests(): UnknownRequest[] {
    if (this.#counts.unknown === 0) return [];
    return [...new Set(this.unknownRows().map((number) => this.unknownRequest(number)))].filter(
      (request) => request !== undefined,
    );
  }
}
