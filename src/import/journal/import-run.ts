import { parseIdentifier } from '../../client/bulk-response.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import { JournalFile } from './journal-file.ts';
import {
  type AmbiguousRequest,
  type BatchOutcome,
  type CarriedRecord,
  type Duplicate,
  decodeRanges,
  emptyBatchOutcome,
  encodeRanges,
  type IndexBase,
  type IntentRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  type MetadataRecord,
  outcomeRecord,
  type Probe,
  type RowDetails,
  type RunRecord,
  type RunStop,
} from './journal-records.ts';
import {
  type AmbiguousRow,
  applyCarried,
  applyMetadata,
  applyOutcome,
  createDetailsReader,
  duplicatesIn,
  emptyRunState,
  probablyDoubled,
  type RunMetadata,
  type RunState,
  replayJournal,
} from './replay.ts';
import type { RowStates } from './row-states.ts';
import { encodeHashes, type Secret } from './secret.ts';

export type { AmbiguousRequest, Duplicate } from './journal-records.ts';
export type { RunMetadata } from './replay.ts';

export const INTERRUPTED_REASON = 'the run was interrupted while it was being sent';
/** Maximum number of rows sent one by one before a response shows to which organization a new key belongs. */
const KEY_CHECKS = 3;
/** Rows in one record of invalid rows. */
const INVALID_ROWS = 10_000;

export interface RunEnd {
  /** In milliseconds since the epoch. */
  atMs: number;
  /** Why the run ended early. */
  stopped?: RunStop;
}

/** Hashes that identify the key and the user ids in a journal, which contains neither. */
export interface RunHashes {
  /** Fingerprint of the key. */
  key: string;
  secret: Secret;
}

/**
 * What is known of the key of a resumed run: `same` as before, being `checked` while single rows are sent, found to belong
 * to the run's organization (`verified`), not found to (`unverified`: the responses did not show an organization), or
 * `unverifiable`: the run has not learned its organization.
 */
export type KeyState = 'same' | 'checked' | 'verified' | 'unverified' | 'unverifiable';

/**
 * A run of a list: the state of each row, and the journal that outlives the process. The intent to send a row is on disk
 * before it is sent, and its outcome before anything further is sent.
 *
 * A failure of the journal is thrown at the next `begin`, or at `close`. The outcomes of requests in flight are applied all
 * the same, so that the report is correct.
 */
export class ImportRun {
  readonly #journal: JournalFile;
  readonly #state: RunState;
  readonly #hashes: RunHashes | undefined;
  #attempts: number;
  #keyState: KeyState = 'same';
  #keyChecks = 0;
  /** Existing members that responses named while the key was checked: of the run's organization only if the key is. */
  #heldBack: Pick<BatchOutcome, 'existing' | 'recovered'> = { existing: [], recovered: [] };
  #isKeyRecordDue = false;
  /** Number of the record with which an earlier process closed the journal; 0 if it did not. */
  #closedAt = 0;
  #startedAtMs = 0;
  /** Fingerprint of the key that an earlier process used. */
  #recordedKey: string | undefined;
  readonly #details: (entry: number) => Promise<RowDetails>;

  private constructor(journal: JournalFile, state: RunState, attempts: number, hashes: RunHashes | undefined) {
    this.#journal = journal;
    this.#state = state;
    this.#details = createDetailsReader(journal, state.rowStates);
    this.#hashes = hashes;
    this.#attempts = attempts;
  }

  /**
   * Starts a run in a new journal, which replaces one that is there.
   *
   * @param carried rows of unknown outcome in an earlier run of this list, or in that of another one
   * @param invalid rows that are never sent
   */
  static async create(
    path: string,
    head: Omit<RunRecord, 't' | 'version'>,
    carried: readonly AmbiguousRow[],
    hashes?: RunHashes,
    invalid: readonly number[] = [],
  ): Promise<ImportRun> {
    const journal = await JournalFile.create(path);
    try {
      const run = new ImportRun(journal, emptyRunState(head.total), 0, hashes);
      const key = hashes && { keyFingerprint: hashes.key, secretId: hashes.secret.id };
      journal.append({ t: 'run', version: JOURNAL_VERSION, ...head, ...key } satisfies JournalRecord);
      for (let at = 0; at < invalid.length; at += INVALID_ROWS) {
        const rows = invalid.slice(at, at + INVALID_ROWS);
        journal.append({ t: 'invalid', rows: encodeRanges(rows) } satisfies JournalRecord);
        for (const entry of rows) run.rowStates.finalize(entry, 'invalid');
      }
      if (carried.length > 0) {
        const record: CarriedRecord = {
          t: 'carried',
          rows: encodeRanges(carried.map(({ entry }) => entry)),
          sentAtMs: Date.parse(head.startedAt),
          userIds: encodeHashes(carried.map(({ id }) => id)),
        };
        applyCarried(record, journal.append(record), run.#state);
      }
      await journal.commitFile();
      return run;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /**
   * Opens a run as its journal describes it. The outcome of requests that were in flight is unknown, and the service may
   * still be processing them.
   *
   * @throws JournalDamagedError
   */
  static async open(path: string, total: number, hashes?: RunHashes): Promise<ImportRun> {
    const { journal, head, state, attempts, keyFingerprint, closed } = await replayJournal(path, total);
    const run = new ImportRun(journal, state, attempts, hashes);
    run.#recordedKey = keyFingerprint;
    run.#startedAtMs = Date.parse(head.startedAt);
    if (closed !== undefined) run.#closedAt = journal.lastNumber;
    for (const { attempt, rows, confirms } of [...state.open.values()]) {
      const entries = [...decodeRanges(rows)];
      const probe = confirms === undefined ? undefined : { entry: entries[0] ?? 0, memberId: null };
      run.finish(attempt, {
        ...emptyBatchOutcome(),
        ambiguous: [[entries, INTERRUPTED_REASON]],
        mayBeRunning: true,
        probe,
      });
    }
    run.#compareKey();
    return run;
  }

  #compareKey(): void {
    if (this.#hashes === undefined || this.#recordedKey === this.#hashes.key || !this.unfinished) return;
    const isComparable = this.metadata.organizationId !== undefined;
    this.#keyState = isComparable ? 'checked' : 'unverifiable';
    this.#isKeyRecordDue = !isComparable;
  }

  /**
   * Makes the rows that ended as failed unsent again, also for later processes: it is on disk before they are sent.
   *
   * @returns the number of these rows
   * @throws JournalWriteError
   */
  retryFailed(): number {
    const { failed } = this.rowStates.counts();
    if (failed === 0) return 0;
    this.#journal.append({ t: 'retry' } satisfies JournalRecord);
    this.rowStates.reopenFailed();
    this.#compareKey();
    return failed;
  }

  /** When the run of an opened journal was started, in milliseconds since the epoch. */
  get startedAtMs(): number {
    return this.#startedAtMs;
  }

  get keyState(): KeyState {
    return this.#keyState;
  }

  /** Whether rows have to be sent one by one: it is not known yet whether a new key belongs to the run's organization. */
  get keyChanged(): boolean {
    return this.#keyState === 'checked' || this.#keyState === 'unverified';
  }

  /** Whether outcomes were not applied, because they may be about members of another organization. */
  get hasHeldBack(): boolean {
    return this.#heldBack.existing.length + this.#heldBack.recovered.length > 0;
  }

  get rowStates(): RowStates {
    return this.#state.rowStates;
  }

  get metadata(): RunMetadata {
    return this.#state.metadata;
  }

  /** Users who have, or may have, two active memberships, each once: probes of requests that are not resolved included. */
  get duplicates(): readonly Duplicate[] {
    return duplicatesIn(this.#state);
  }

  /** The request after which the outcome of a row is unknown; undefined if the row's state is another one. */
  ambiguousRequest(entry: number): AmbiguousRequest | undefined {
    const { rowStates, ambiguous } = this.#state;
    return rowStates.isUnknown(entry) ? ambiguous.get(rowStates.recordOf(entry)) : undefined;
  }

  /** Whether any row is not finalized. */
  get unfinished(): boolean {
    const { unknown, unsent } = this.rowStates.counts();
    return unknown + unsent > 0;
  }

  /**
   * Logs the intent to send these rows; it is on disk when the promise resolves.
   *
   * @param userIds those of the rows, in their order
   * @param nowMs milliseconds since the epoch
   * @param confirms for a probe: the ambiguous request that it is to resolve
   * @returns the attempt's number
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async begin(
    entries: readonly number[],
    userIds: readonly string[],
    nowMs: number,
    confirms?: AmbiguousRequest,
  ): Promise<number> {
    if (this.#isKeyRecordDue) this.#recordKey();
    const attempt = ++this.#attempts;
    const record: IntentRecord = {
      t: 'intent',
      attempt,
      rows: encodeRanges(entries),
      sentAtMs: nowMs,
      ...(confirms !== undefined && { confirms: confirms.record }),
    };
    const hashes = this.#hashes && { userIds: this.#hashes.secret.hashUserIds(userIds).toString('base64') };
    this.#journal.append({ ...record, ...hashes } satisfies JournalRecord);
    this.#state.open.set(attempt, record);
    await this.#journal.commit();
    return attempt;
  }

  /**
   * Applies the outcome of an attempt and logs it; it is on disk before the next attempt begins. While the key is checked,
   * rows that are existing members stay as they are. Never throws.
   */
  finish(attempt: number, outcome: BatchOutcome): void {
    const record = outcomeRecord(attempt, this.keyChanged ? this.#holdBack(outcome) : outcome);
    this.#append(record);
    applyOutcome(record, this.#journal.lastNumber, this.#state);
    if (this.keyChanged && hasDecision(outcome) && ++this.#keyChecks >= KEY_CHECKS) this.#keyState = 'unverified';
  }

  #holdBack(outcome: BatchOutcome): BatchOutcome {
    this.#heldBack.existing.push(...outcome.existing);
    this.#heldBack.recovered.push(...outcome.recovered);
    return { ...outcome, existing: [], recovered: [] };
  }

  /**
   * Records the outcome of the probes of an ambiguous request, now that its other rows were sent.
   *
   * @param doubled the rows that were probably added twice
   */
  resolveProbes({ record }: AmbiguousRequest, doubled: readonly Probe[]): void {
    this.finish(0, { ...emptyBatchOutcome(), duplicates: doubled.map(probablyDoubled), resolves: record });
  }

  /** Records what a response shows about the entire run, once. Never throws. */
  recordMetadata(response: BulkResponse, indexBase: IndexBase | undefined, organizationId: string | undefined): void {
    const user = response.authenticatedUser;
    const record: MetadataRecord = { t: 'metadata' };
    if (this.keyChanged && organizationId !== undefined && organizationId === this.metadata.organizationId)
      this.#acceptKey();
    if (this.metadata.indexBase === undefined && indexBase !== undefined) record.indexBase = indexBase;
    if (this.metadata.organizationId === undefined && organizationId !== undefined)
      record.organizationId = organizationId;
    if (this.metadata.authType === undefined && response.authType != null) record.authType = response.authType;
    if (this.metadata.authenticatedUser === undefined && user != null) {
      const id = parseIdentifier(user.id);
      record.authenticatedUser = {
        ...(id !== undefined && { id }),
        ...(user.email != null && { email: user.email }),
      };
    }
    if (Object.keys(record).length === 1) return;
    applyMetadata(record, this.#state);
    this.#append(record);
  }

  /** Records that people were added to another organization too. Never throws. */
  recordOtherOrganization(otherOrganization: string): void {
    if (this.metadata.otherOrganization !== undefined) return;
    this.metadata.otherOrganization = otherOrganization;
    this.#append({ t: 'metadata', otherOrganization });
  }

  /** Returns the service's message on a row, or why its outcome is unknown. */
  async messageFor(entry: number): Promise<string | undefined> {
    return (await this.#details(entry)).message;
  }

  /** Returns the member id of a created row; undefined if the response did not name one. */
  async memberId(entry: number): Promise<string | undefined> {
    return (await this.#details(entry)).memberId;
  }

  /**
   * Makes everything durable and closes the journal.
   *
   * @param end when the run ended, in milliseconds since the epoch, and why, if it ended early
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async close(end?: RunEnd): Promise<void> {
    if (this.#journal.lastNumber !== this.#closedAt && this.#state.open.size === 0)
      this.#append({ t: 'closed', unknown: this.rowStates.counts().unknown, ...end });
    try {
      await this.#journal.commit();
    } finally {
      await this.#journal.close();
    }
  }

  /** From now on the key is not checked again. */
  #acceptKey(): void {
    this.#keyState = 'verified';
    this.#recordKey();
    if (this.hasHeldBack) this.finish(0, { ...emptyBatchOutcome(), ...this.#heldBack });
    this.#heldBack = { existing: [], recovered: [] };
  }

  #recordKey(): void {
    this.#isKeyRecordDue = false;
    if (this.#hashes !== undefined) this.#append({ t: 'key', keyFingerprint: this.#hashes.key });
  }

  /** Appends a record. A failure is reported by the next `begin`, or by `close`. */
  #append(record: JournalRecord): void {
    try {
      this.#journal.append(record);
    } catch {}
  }
}

/** Whether the service decided on a row. A rate limit or a lost response shows nothing about the key. */
function hasDecision({ created, existing, recovered, failed }: BatchOutcome): boolean {
  return created.length + existing.length + recovered.length + failed.length > 0;
}
