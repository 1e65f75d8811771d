import { describe, expect, it } from 'vitest';
import type { JournalRecord, RunRecord } from '../../../src/import/journal/journal-records.ts';
import {
  createDetailsReader,
  duplicatesIn,
  inspectJournal,
  replayJournal,
} from '../../../src/import/journal/replay.ts';
import { encodeHashes } from '../../../src/import/journal/secret.ts';
import { journalWith } from './journal-directory.ts';

const RUN: RunRecord = {
  t: 'run',
  version: 3,
  list: 'members.csv',
  baseUrl: 'https://api.example.com',
  total: 6,
  startedAt: '2026-01-05T09:00:00.000Z',
};

/** The run that these records describe, after the one that begins it. */
async function replayed(...records: JournalRecord[]) {
  const run = await replayJournal(await journalWith(RUN, ...records), undefined, 'read');
  const details = createDetailsReader(run.journal, run.state.rowStates);
  const rows = [];
  for (let entry = 1; entry <= RUN.total; entry++)
    rows.push({ state: run.state.rowStates.stateOf(entry), ...(await details(entry)) });
  await run.journal.close();
  return { ...run, rows, duplicates: duplicatesIn(run.state), ambiguous: [...run.state.ambiguous.values()] };
}

async function inspected(...records: JournalRecord[]) {
  return inspectJournal(await journalWith(RUN, ...records));
}

/** The intent and the outcome of a request. */
function request(
  attempt: number,
  rows: string,
  outcome: Partial<Extract<JournalRecord, { t: 'outcome' }>>,
  intent: Partial<Extract<JournalRecord, { t: 'intent' }>> = {},
): JournalRecord[] {
  return [
    { t: 'intent', attempt, rows, sentAtMs: attempt * 1_000, ...intent },
    { t: 'outcome', attempt, ...outcome },
  ];
}

describe('replayJournal', () => {
  it('restores a run without any other record', async () => {
    const run = await replayed();
    expect(run).toMatchObject({
      head: RUN,
      attempts: 0,
      keyFingerprint: undefined,
      closed: undefined,
      lastActiveMs: 0,
    });
    expect(run.rows).toEqual(Array(6).fill({ state: 'unsent' }));
  });

  it('restores the state of every row, its message and its member', async () => {
    const run = await replayed(
      { t: 'invalid', rows: '6' },
      ...request(1, '1-5', {
        created: '1',
        memberIds: ['mem_1'],
        existing: [[2, 'a member']],
        recovered: [[3, 'a member now']],
        failed: [[4, 'no such user']],
        ambiguous: [['5', 'timed out']],
      }),
    );
    expect(run.rows).toEqual([
      { state: 'created', memberId: 'mem_1' },
      { state: 'existing', message: 'a member' },
      { state: 'recovered', message: 'a member now' },
      { state: 'failed', message: 'no such user' },
      { state: 'unknown', message: 'timed out' },
      { state: 'invalid' },
    ]);
  });

  it('reads the message of each row from the record that holds it', async () => {
    const { rows } = await replayed(
      ...request(1, '1-2', { failed: [[1, 'one']] }),
      ...request(2, '2-3', {
        failed: [
          [2, 'two'],
          [3, 'three'],
        ],
      }),
    );
    expect(rows.slice(0, 3).map(({ message }) => message)).toEqual(['one', 'two', 'three']);
  });

  it('makes failed rows unsent again after a retry, and leaves the others', async () => {
    const { rows } = await replayed(...request(1, '1-2', { created: '1', failed: [[2, 'no']] }), { t: 'retry' });
    expect(rows.slice(0, 2)).toEqual([{ state: 'created' }, { state: 'unsent' }]);
  });

  it('returns the attempts that have no outcome', async () => {
    const run = await replayed(
      ...request(1, '1-2', {}),
      { t: 'intent', attempt: 3, rows: '3', sentAtMs: 9_000, userIds: encodeHashes([7n]) },
      { t: 'intent', attempt: 2, rows: '4', sentAtMs: 8_000 },
    );
    expect([...run.state.open]).toEqual([
      [3, { t: 'intent', attempt: 3, rows: '3', sentAtMs: 9_000 }],
      [2, { t: 'intent', attempt: 2, rows: '4', sentAtMs: 8_000 }],
    ]);
    expect(run).toMatchObject({ attempts: 3, lastActiveMs: 9_000 });
    expect(run.state.metadata).toEqual({ slowestMs: 0, timedOut: false });
  });

  it('returns the requests of unknown outcome', async () => {
    const { ambiguous } = await replayed(
      ...request(1, '1', { ambiguous: [['1', 'timed out']], mayBeRunning: true }),
      ...request(2, '2', { ambiguous: [['2', 'not mentioned']] }),
      { t: 'outcome', attempt: 0, ambiguous: [['3', 'not tried alone']] },
      { t: 'carried', rows: '4', sentAtMs: 500 },
      ...request(3, '5', { created: '5' }),
    );
    expect(ambiguous).toEqual([
      { record: 3, sentAtMs: 1_000, mayBeRunning: true, isCarried: false, probes: [] },
      { record: 5, sentAtMs: 2_000, mayBeRunning: false, isCarried: false, probes: [] },
      { record: 6, sentAtMs: 0, mayBeRunning: false, isCarried: false, probes: [] },
      { record: 7, sentAtMs: 500, mayBeRunning: true, isCarried: true, probes: [] },
    ]);
  });

  it('keeps the probes of an ambiguous request until another row of it resolves them', async () => {
    const records = [
      ...request(1, '1-3', { ambiguous: [['1-3', 'timed out']] }),
      ...request(2, '1', { created: '1', probe: { entry: 1, memberId: 'mem_1' } }, { confirms: 3 }),
      ...request(3, '2', { ambiguous: [['2', 'lost']], probe: { entry: 2, memberId: null } }, { confirms: 3 }),
    ];
    const open = await replayed(...records);
    expect(open.ambiguous[0]?.probes).toEqual([
      { entry: 1, memberId: 'mem_1' },
      { entry: 2, memberId: null },
    ]);
    expect(open.duplicates).toEqual([
      { entry: 1, memberIds: ['mem_1'], certain: false },
      { entry: 2, memberIds: [], certain: false },
    ]);
    const resolved = await replayed(...records, { t: 'outcome', attempt: 0, resolves: 3 });
    expect(resolved.ambiguous[0]?.probes).toEqual([]);
    expect(resolved.duplicates).toEqual([]);
  });

  it('returns each user who may be there twice once, and a certain statement rather than a later guess', async () => {
    const guess = { entry: 1, memberIds: ['mem_1'], certain: false };
    const certain = { entry: 1, memberIds: ['mem_1', 'mem_2'], certain: true };
    const ids = async (...duplicates: (typeof guess)[]) =>
      (await replayed(...duplicates.map((one): JournalRecord => ({ t: 'outcome', attempt: 0, duplicates: [one] }))))
        .duplicates;
    expect(await ids(guess, certain)).toEqual([certain]);
    expect(await ids(certain, guess)).toEqual([certain]);
    expect(await ids(guess, { ...guess, memberIds: ['mem_1', 'mem_3'] })).toEqual([
      { ...guess, memberIds: ['mem_1', 'mem_3'] },
    ]);
    expect(await ids(guess, { ...guess, entry: 2 })).toHaveLength(2);
  });

  it('restores what the responses showed about the run', async () => {
    const { state } = await replayed(
      { t: 'metadata', organizationId: 'org_1', indexBase: 1 },
      ...request(1, '1', { durationMs: 900, timedOut: true }),
      ...request(2, '2', { durationMs: 800 }),
      { t: 'metadata', otherOrganization: 'org_2' },
    );
    expect(state.metadata).toEqual({
      organizationId: 'org_1',
      otherOrganization: 'org_2',
      indexBase: 1,
      slowestMs: 900,
      timedOut: true,
    });
  });

  it('returns the key that the run was last continued with', async () => {
    const path = await journalWith({ ...RUN, keyFingerprint: 'k1' });
    const { journal, keyFingerprint } = await replayJournal(path, 6, 'read');
    await journal.close();
    expect(keyFingerprint).toBe('k1');
    expect((await replayed({ t: 'key', keyFingerprint: 'k2' })).keyFingerprint).toBe('k2');
  });

  it('returns the last record if it closed the journal, and when a process was last active', async () => {
    const closed: JournalRecord = {
      t: 'closed',
      unknown: 0,
      atMs: 7_000,
      stopped: { code: 'aborted', message: 'stop' },
    };
    expect(await replayed(closed)).toMatchObject({ closed, lastActiveMs: 7_000 });
    const moved: JournalRecord = { t: 'moved', rows: '1', to: 'other' };
    expect(await replayed(closed, moved, { t: 'closed', unknown: 1 })).toMatchObject({
      closed: { t: 'closed', unknown: 1 },
      lastActiveMs: 7_000,
    });
    expect(await replayed(closed, moved)).toMatchObject({ closed: undefined, lastActiveMs: 7_000 });
  });

  it('rejects an older journal with its head, so that the run can be started over', async () => {
    const head = { ...RUN, version: 2 };
    await expect(replayJournal(await journalWith(head), 6, 'read')).rejects.toMatchObject({ head });
  });

  it('passes on an error that is not about the journal', async () => {
    const path = await journalWith(RUN, { t: 'carried', rows: null, sentAtMs: 0 });
    await expect(replayJournal(path, 6, 'read')).rejects.toBeInstanceOf(TypeError);
  });
});

describe('inspectJournal', () => {
  it('returns the rows of unknown outcome, with the hashes of their user ids as far as they are known', async () => {
    const { head, ambiguous } = await inspected(
      { t: 'carried', rows: '1', sentAtMs: 0, userIds: encodeHashes([11n]) },
      ...request(1, '2-3', { created: '2', ambiguous: [['3', 'timed out']] }, { userIds: encodeHashes([12n, 13n]) }),
      { t: 'intent', attempt: 2, rows: '4', sentAtMs: 0, userIds: encodeHashes([14n]) },
      { t: 'intent', attempt: 3, rows: '6', sentAtMs: 0 },
    );
    expect(head).toEqual(RUN);
    expect(ambiguous).toEqual([
      { entry: 1, id: 11n },
      { entry: 3, id: 13n },
      { entry: 4, id: 14n },
      { entry: 6, id: 0n },
    ]);
  });

  it('leaves out rows that were moved to another run, unless this run sends them again', async () => {
    const records: JournalRecord[] = [
      { t: 'carried', rows: '1-2', sentAtMs: 0 },
      { t: 'moved', rows: '1-2', to: 'other' },
    ];
    expect((await inspected(...records)).ambiguous).toEqual([]);
    const again = await inspected(...records, { t: 'intent', attempt: 1, rows: '2', sentAtMs: 0 });
    expect(again.ambiguous).toEqual([{ entry: 2, id: 0n }]);
  });

  it('rejects a damaged journal', async () => {
    await expect(inspectJournal(await journalWith())).rejects.toMatchObject({ code: 'journal-damaged' });
  });
});
