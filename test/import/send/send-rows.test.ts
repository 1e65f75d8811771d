import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { BulkResponse } from '../../../src/client/response-schemas.ts';
import type { MemberEntry } from '../../../src/import/entry.ts';
import { ImportRun } from '../../../src/import/journal/import-run.ts';
import type { ListRow } from '../../../src/import/list/open-list.ts';
import { sendRows } from '../../../src/import/send/scheduler.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { journalDirectory } from '../journal/journal-directory.ts';

const USERS = ['usr_1', 'usr_2', 'usr_3', 'usr_4', 'usr_5', 'usr_6'];

async function* rows(): AsyncGenerator<ListRow[]> {
  for (const [at, userId] of USERS.entries()) {
    const value = { userId, role: 'member' };
    yield [{ line: at + 2, entry: at + 1, userId, value, issues: [], raw: { cells: [userId, 'member'] } }];
  }
}

function created(entries: readonly MemberEntry[]): BulkResponse {
  return { created: entries.map(({ userId }) => ({ userId, organizationId: 'org_1' })), errors: [] };
}

/** Sends the list one row a request, one request at a time. */
async function start(post: (entries: readonly MemberEntry[]) => Promise<BulkResponse>) {
  const path = join(await journalDirectory(), 'journal');
  const head = { list: 'list.csv', baseUrl: 'https://api.example.com', total: USERS.length, startedAt: '' };
  const run = await ImportRun.create(path, head, []);
  const stop = new AbortController();
  const events = sendRows(
    {
      batchSize: 1,
      maxBatchSize: 1,
      concurrency: 1,
      retries: 0,
      timeoutMs: 30_000,
      quietPeriodMs: 10_000,
      requestLifetimeMs: 120_000,
      confirm: true,
    },
    {
      run,
      rows,
      clock: createAutoClock(),
      random: () => 0,
      conventions: { existing: [], errorIndexBase: undefined },
      post: async (entries) => ({ response: await post(entries), rateLimit: undefined }),
      signal: stop.signal,
    },
  );
  const countsInJournal = async () => {
    await run.close();
    const replayed = await ImportRun.open(path, USERS.length);
    await replayed.close();
    return replayed.rowStates.counts();
  };
  return { events, stop, countsInJournal };
}

describe('sendRows', () => {
  it('finishes the request in flight when its consumer leaves, and sends nothing further', async () => {
    let requests = 0;
    const { events, countsInJournal } = await start(async (entries) => {
      requests++;
      await turn();
      return created(entries);
    });
    for await (const event of events) if (event.type === 'batch-sent') break;
    expect(requests).toBe(1);
    expect(await countsInJournal()).toMatchObject({ created: 1, unknown: 0, unsent: 5 });
  });

  it('sends the next request only when its consumer has processed the rows of the one before', async () => {
    let requests = 0;
    const { events } = await start(async (entries) => {
      requests++;
      return created(entries);
    });
    const seen: number[] = [];
    for await (const event of events) {
      if (event.type !== 'rows') continue;
      for (let pause = 0; pause < 5; pause++) await turn();
      seen.push(requests);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('throws the reason of its signal', async () => {
    const { events, stop, countsInJournal } = await start(async (entries) => {
      stop.abort('enough');
      return created(entries);
    });
    const types: string[] = [];
    let reason: unknown;
    for await (const event of events) {
      types.push(event.type);
      if (event.type === 'stopped') reason = event.reason;
    }
    expect(types).toEqual(['batch-sent', 'rows', 'stopped']);
    expect(reason).toBe('enough');
    expect(await countsInJournal()).toMatchObject({ created: 1, unsent: 5 });
  });
});
