import type { Moment } from '../../util/moment.ts';
import { type Outcome, type Outcomes, ROW_STATES, type RowState, type StoredValue } from '../outcome.ts';
import { decodeOutcomes, outcomeOfDeath } from './outcome-record.ts';
import { PossibleDuplicates, type RowStates } from './possible-duplicates.ts';
import type { IntentRecord, JournalRecord, NoteRecord, OthersRecord, OutcomeRecord } from './records.ts';
import { decodeRanges } from './row-ranges.ts';
import { type Restart, type UnknownRequest, UnknownRequests } from './unknown-requests.ts';

/** Facts about the entire run, from its responses. */
export type RunFacts = Omit<NoteRecord, 't'>;

const UNSENT = ROW_STATES.indexOf('unsent');
/** Why the outcome of a row is unknown that this run has not sent. */
const OTHERS = 'another run may have added this person';
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
  readonly #unknown = new UnknownRequests();
  #lastIntent: IntentRecord | undefined;
  /** The requests that each probe in flight probes. */
  readonly #probedBy = new Map<number, readonly number[]>();
  readonly #possibleDuplicates = new PossibleDuplicates();
  readonly #rowStates: RowStates = {
    stateOf: (number) => this.stateOf(number),
    isFailing: (number) => this.failing.has(number),
  };

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
        this.#begin(record);
        break;
      case 'others':
        this.lastRequest = record.request;
        this.#applyOthers(record);
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

  #begin(intent: IntentRecord): void {
    this.#lastIntent = intent;
    if (intent.probe !== undefined) this.#beginProbe(intent.request, intent.probe, [...decodeRanges(intent.rows)]);
    this.#unknown.begin(intent);
  }

  /** Records that rows are probed: for the request that left them unknown first, and for an earlier probe that did so, too. */
  #beginProbe(request: number, probed: number, rows: readonly number[]): void {
    const earlier = rows.flatMap((number) => {
      const last = this.unknownRequest(number);
      return last?.purpose === 'probe' ? last.request : [];
    });
    const all = new Set([probed, ...earlier]);
    this.#probedBy.set(request, [...all]);
    for (const one of all) {
      const left = this.unknownRows().filter((number) => this.unknownRequest(number)?.request === one);
      const ofRequest = one === probed ? rows : rows.filter((number) => left.includes(number));
      if (!this.#possibleDuplicates.has(one)) {
        const { isStuck } = this.#unknown.get(one) ?? {};
        this.#possibleDuplicates.addRequest(one, [...left, ...ofRequest], { isStuck });
      }
      this.#possibleDuplicates.probe(one, ofRequest);
    }
  }

  #applyOthers(record: OthersRecord): void {
    const { request, rows, stuck = false, anybody = false, atRisk = '', strangers = [] } = record;
    const numbers = [...decodeRanges(rows)];
    for (const number of numbers) {
      this.#setState(number, 'unknown');
      this.#setMessage(number, OTHERS);
      this.failing.delete(number);
      this.#markUnknown(number, request);
    }
    this.#unknown.addOthers(record, numbers.length);
    this.#possibleDuplicates.addRequest(request, numbers, { isStuck: stuck, isOthers: true, isAnybody: anybody });
    const risky = [...decodeRanges(atRisk)];
    this.#possibleDuplicates.probe(request, risky);
    this.#possibleDuplicates.stuck(request, risky);
    this.#possibleDuplicates.addStrangers(request, strangers);
  }

  /**
   * Applies the outcomes of a request. Rows that it does not name were not processed, and are as they were before. Throws
   * RangeError for rows that the list does not have.
   */
  applyOutcomes(
    {
      request,
      at,
      timeoutMs = 0,
      stuck,
      timedOut,
    }: Pick<OutcomeRecord, 'request' | 'at' | 'timeoutMs' | 'stuck' | 'timedOut'>,
    outcomes: Outcomes,
  ): void {
    const [isStuck, isTimeout] = [stuck === true, timedOut === true];
    const intent = this.#unknown.intentOf(request);
    const created: number[] = [];
    const unknown: number[] = [];
    for (const [number, outcome] of outcomes) {
      if (outcome.state === 'created') created.push(number);
      if (outcome.state === 'unknown') unknown.push(number);
      if (outcome.state === 'existing' && intent?.probe !== undefined) this.#foundMember(number, at);
      this.#set(number, outcome, request);
    }
    const [size, hasCreated] = [unknown.length, created.length > 0];
    this.#unknown.end(request, { at, timeoutMs, size, isStuck, isTimeout, hasCreated });
    if (intent?.again && isTimeout) this.#possibleDuplicates.timedOut(unknown);
    for (const probed of this.#probedBy.get(request) ?? []) {
      this.#possibleDuplicates.created(probed, created);
      if (isStuck || this.#possibleDuplicates.isRequestStuck(probed)) this.#possibleDuplicates.stuck(probed, unknown);
    }
    this.#probedBy.delete(request);
  }

  #foundMember(number: number, at: Moment): void {
    const last = this.unknownRequest(number);
    if (last === undefined) return;
    if (last.purpose === 'others' && !this.#possibleDuplicates.isStuck(last.request, number)) return;
    this.#unknown.foundMember(last.request, at);
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
      this.#markUnknown(number, request);
      if (outcome.note === 'failing') this.failing.set(number, request);
    }
    const { memberships, mismatches = [] } = outcome;
    if (memberships !== undefined) this.duplicates.push({ number, memberIds: memberships });
    for (const value of mismatches) this.mismatches.push({ number, ...value });
  }

  #markUnknown(number: number, request: number): void {
    this.#states[number] = (this.#states[number] ?? 0) | AMBIGUOUS;
    this.#requests[number] = request;
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

  /** Returns the outcome of a row, without what `duplicates`, `mismatches`, and `possibleDuplicates` say about it. */
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
    return invalid + unsent < this.total || this.#unknown.hasOpen;
  }

  /** Returns the outcomes of the requests that were in flight when their process died. */
  outcomesOfDeadProcess(): OutcomeRecord[] {
    return this.#unknown.openIntents.map(outcomeOfDeath);
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

  /** Returns the rows of unknown outcome by the request that left them unknown last. */
  unknownRequests(): Map<UnknownRequest, number[]> {
    const found = new Map<UnknownRequest, number[]>();
    if (this.#counts.unknown === 0) return found;
    for (const number of this.unknownRows()) {
      const request = this.unknownRequest(number);
      if (request === undefined) continue;
      const rows = found.get(request);
      if (rows === undefined) found.set(request, [number]);
      else rows.push(number);
    }
    return found;
  }

  /** The last time that a row was a member because its probe had been stuck: see `UnknownRequests`. */
  get restart(): Restart | undefined {
    return this.#unknown.restart;
  }

  /** Returns the rows whose people may be in the organization twice, because orgadm sent them again too early. */
  possibleDuplicates(): number[] {
    return this.#possibleDuplicates.rows(this.#rowStates);
  }

  /** Returns the user IDs of people who may be in the organization twice because of another run, and are not on this list. */
  strangers(): string[] {
    return this.#possibleDuplicates.strangers(this.#rowStates);
  }

  /** Whether the last request is this one. */
  hasSent(request: number, at: Moment): boolean {
    return this.#lastIntent?.request === request && this.#lastIntent.at.clock === at.clock;
  }

  /** Returns the rows that may have been added twice, if that shows in the end: those of one probed request, or all of them. */
  atRisk(probed?: number): number[] {
    return this.#possibleDuplicates.atRisk(this.#rowStates, probed);
  }

  /** Whether a row that was sent as a probe may have been added twice, if that shows in the end. */
  isAtRisk(number: number): boolean {
    return this.#possibleDuplicates.isAtRisk(number, this.stateOf(number));
  }

  /** Whether this run knows that another run has probed a person, who has this row, or none. */
  isKnownRisk(userId: string, number: number | undefined): boolean {
    return number === undefined
      ? this.#possibleDuplicates.hasStranger(userId)
      : this.#possibleDuplicates.hasProbeOfOthers(number);
  }
}
