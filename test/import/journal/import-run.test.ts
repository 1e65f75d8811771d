import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ImportRun } from '../../../src/import/journal/import-run.ts';
import { emptyBatchOutcome } from '../../../src/import/journal/journal-records.ts';
import { journalDirectory, journalWith } from './journal-directory.ts';

const HEAD = {
  list: 'members.csv',
  baseUrl: 'https://api.example.com',
  total: 6,
  startedAt: '2026-01-05T09:00:00.000Z',
};
const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };

async function newRun(carried: readonly number[] = []): Promise<{ path: string; run: ImportRun }> {
  const path = join(await journalDirectory(), 'journal');
  return {
    path,
    run: await ImportRun.create(
      path,
      HEAD,
      carried.map((entry) => ({ entry, id: 0n })),
    ),
  };
}

/** The run as the next process finds it. */
async function reopened(path: string, total = 6): Promise<ImportRun> {
  const run = await ImportRun.open(path, total);
  await run.close();
  return run;
}

const run = { t: 'run', version: 3, ...HEAD };

describe('Run', () => {
  it('stores an attempt before it is sent, so that the next process knows that its outcome is unknown', async () => {
    const { path, run } = await newRun();
    expect(await run.begin([1, 2, 4], [], 1_000)).toBe(1);
    expect(await readFile(path, 'utf8')).toContain(' {"t":"intent","attempt":1,"rows":"1-2,4","sentAtMs":1000}\n');

    const next = await ImportRun.open(path, 6);
    expect(next.rowStates.counts()).toEqual({ ...NONE, unknown: 3, unsent: 3 });
    expect(await next.messageFor(4)).toBe('the run was interrupted while it was being sent');
    expect(next.unfinished).toBe(true);
    await next.close();
    await run.close();
  });

  it('keeps its state over any number of processes that did nothing', async () => {
    const { path, run } = await newRun();
    await run.begin([1, 2], [], 1_000);
    await run.close();
    await reopened(path);
    const size = (await readFile(path)).length;
    expect((await reopened(path)).rowStates.counts()).toEqual({ ...NONE, unknown: 2, unsent: 4 });
    expect((await readFile(path)).length).toBe(size);
  });

  it('restores every state of a row and its message', async () => {
    const { path, run } = await newRun([6]);
    const attempt = await run.begin([1, 2, 3, 4, 5, 6], [], 1_000);
    run.finish(attempt, {
      ...emptyBatchOutcome(),
      created: [1],
      existing: [[2, 'a member']],
      recovered: [[6, 'a member now']],
      failed: [[3, 'no such user']],
      ambiguous: [[[4, 5], 'timed out']],
    });
    await run.close();
    const { rowStates } = await reopened(path);
    expect(rowStates.counts()).toEqual({ ...NONE, created: 1, existing: 1, recovered: 1, failed: 1, unknown: 2 });
    const next = await ImportRun.open(path, 6);
    const message = await Promise.all([1, 2, 3, 4, 5, 6].map((entry) => next.messageFor(entry)));
    expect(message).toEqual([undefined, 'a member', 'no such user', 'timed out', 'timed out', 'a member now']);
    await next.close();
  });

  it('keeps the state of rows if the service processed none of them', async () => {
    const { path, run } = await newRun([2]);
    run.finish(await run.begin([1, 2], [], 1_000), emptyBatchOutcome());
    await run.close();
    const { rowStates } = await reopened(path);
    expect([1, 2].map((entry) => rowStates.stateOf(entry))).toEqual(['unsent', 'unknown']);
  });

  it('continues the numbers of the attempts, so that each is unique', async () => {
    const { path, run } = await newRun();
    await run.begin([1], [], 1_000);
    await run.begin([2], [], 1_000);
    await run.close();
    const next = await ImportRun.open(path, 6);
    expect(await next.begin([3], [], 1_000)).toBe(3);
    await next.close();
  });

  it('stores what the first response shows about the entire run', async () => {
    const { path, run } = await newRun();
    const user = { id: 'usr_9', email: 'admin@example.com' };
    const member = { userId: 'usr_1', organizationId: 'org_1' };
    run.recordMetadata({ created: [member], authType: 'api-key', authenticatedUser: user }, 1, 'org_1');
    run.recordMetadata({ created: [{ ...member, organizationId: 'org_2' }], authType: 'session' }, 0, 'org_2');
    await run.close();
    expect((await reopened(path)).metadata).toEqual({
      organizationId: 'org_1',
      indexBase: 1,
      authType: 'api-key',
      authenticatedUser: user,
      slowestMs: 0,
      timedOut: false,
    });
  });

  it('stores the slowest response, and that our own timeout ended a request', async () => {
    const { path, run } = await newRun();
    const attempts = [{ durationMs: 800 }, { durationMs: 1_100.5 }, { timedOut: true }, { durationMs: 900 }];
    for (const times of attempts) run.finish(await run.begin([1], [], 1_000), { ...emptyBatchOutcome(), ...times });
    await run.close();
    expect((await reopened(path)).metadata).toMatchObject({ slowestMs: 1_101, timedOut: true });
  });

  it('writes nothing about a created member except its row into the journal', async () => {
    const { path, run } = await newRun();
    const user = { id: 'usr_1', name: 'Anna Abbott', email: 'anna@example.com' };
    run.recordMetadata({ created: [{ userId: 'usr_1', organizationId: 'org_1', user }] }, 0, 'org_1');
    run.finish(await run.begin([1], [], 1_000), { ...emptyBatchOutcome(), created: [1] });
    await run.close();
    expect(await readFile(path, 'utf8')).not.toMatch(/usr_1|Anna|anna@/);
  });
});

describe('a damaged journal', () => {
  it.each<[string, unknown[], string]>([
    ['is empty', [], 'is empty'],
    ['has lost its head', [{ t: 'intent', attempt: 1, rows: '1' }], 'does not begin with its run'],
    ['has two heads', [run, run], 'does not begin with its run'],
    ['was written by a newer version', [{ ...run, version: 4 }], 'was written by a newer version of orgadm'],
    ['was written by an older version', [{ ...run, version: 2 }], 'was written by an older version of orgadm'],
    ['was written by version 0.1', [{ ...run, version: 1 }], 'was written by an older version of orgadm'],
    ['holds a record of a newer version', [run, { t: 'later' }], 'was written by a newer version of orgadm'],
    ['is of a longer list', [{ ...run, total: 7 }], 'is not of this list: it has 7 rows, not 6'],
    [
      'names a row that the list lacks',
      [run, { t: 'outcome', attempt: 1, created: '6-7' }],
      'is not of this list: row 7 is not in a list of 6',
    ],
    [
      'names rows in a way unknown',
      [run, { t: 'carried', rows: '1..3' }],
      'is not of this list: not a range of rows: 1..3',
    ],
  ])('is rejected if it %s', async (_, records, reason) => {
    const path = await journalWith(...records);
    await expect(ImportRun.open(path, 6)).rejects.toMatchObject({
      code: 'journal-damaged',
      exitCode: 2,
      message: `the journal ${path} ${reason}`,
      hint: 'Nothing was sent. --restart starts the list over and treats the outcome of all its rows as unknown.',
    });
  });

  it('is rejected if only its torn head is left, because rows may have been sent', async () => {
    const path = await journalWith();
    await writeFile(path, '5c5651ac {"t":"ru');
    await expect(ImportRun.open(path, 6)).rejects.toMatchObject({ message: `the journal ${path} is empty` });
  });
});
