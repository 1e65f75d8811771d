import { describe, expect, it } from 'vitest';
import { openSandbox } from '../open-sandbox.ts';

const BULK = '/v1/people/bulk';
const GOOD = Array.from({ length: 20 }, (_, index) => ({ userId: `usr_${1000 + index}`, role: 'member' }));
const BAD = Array.from({ length: 5 }, (_, index) => ({ userId: `usr_900${index}`, role: 'member' }));

interface BulkBody {
  created: { id: string; userId: string; isActive: boolean }[];
  errors: { index: number; userId?: string }[];
  summary: { total: number; successful: number; failed: number };
}

async function bulk(faults: string): Promise<BulkBody> {
  const { send } = await openSandbox({ faults });
  return (await send('POST', BULK, { members: [...BAD, ...GOOD] })).body as BulkBody;
}

describe('faults in the rows of a bulk response', () => {
  it('missing-rows omits some rows, so that the total exceeds the sum', async () => {
    const { created, errors, summary } = await bulk('missing-rows=1,seed=1');
    expect(summary.total).toBe(25);
    expect(created.length + errors.length).toBeLessThan(25);
    expect(summary).toMatchObject({ successful: created.length, failed: errors.length });
  });

  it('double-rows returns a former membership next to the new one', async () => {
    const { created } = await bulk('double-rows=1,seed=1');
    const former = created.filter((row) => !row.isActive);
    expect(former.length).toBeGreaterThan(0);
    expect(created).toHaveLength(20 + former.length);
    for (const { id, userId } of former) {
      const current = created.find((row) => row.isActive && row.userId === userId);
      expect(id).toBe(`${current?.id}_former`);
    }
    expect(new Set(created.map(({ userId }) => userId)).size).toBe(20);
  });

  it('no-user-id omits the user id from errors', async () => {
    const { created, errors } = await bulk('no-user-id=1');
    expect(created).toHaveLength(20);
    expect(errors.map((row) => Object.keys(row))).toEqual(new Array(5).fill(['index', 'error']));
  });

  it('shuffle returns the same rows in another order', async () => {
    const { created, errors } = await bulk('shuffle=1,seed=1');
    const users = created.map(({ userId }) => userId);
    const expected = GOOD.map(({ userId }) => userId);
    expect(users).not.toEqual(expected);
    expect(users.toSorted()).toEqual(expected);
    expect(errors.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  it('stores the members that it omits from the response', async () => {
    const { send } = await openSandbox({ faults: 'missing-rows=1,seed=1' });
    await send('POST', BULK, { members: GOOD });
    const { body } = await send('POST', BULK, { members: GOOD });
    expect(body).toMatchObject({ created: [] });
  });
});
