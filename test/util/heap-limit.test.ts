import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundled } from '../helpers/bundled.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** Creates short-lived garbage and returns the final size of the young generation, in MiB. */
async function youngMemoryAfterWork(built: string, prepare: string): Promise<number> {
  const program = `
    import { setImmediate as turn } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { limitHeap } from ${JSON.stringify(built)};
    ${prepare}
    const held = [];
    for (let round = 0; round < 3000; round++) {
      held[round % 40] = Array.from({ length: 1000 }, (_, at) => ({ round, at }));
      await turn();
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20);
  `;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stderr).toBe('');
  return Number(stdout);
}

describe('limitHeap', () => {
  it('keeps the young generation of the heap small on this version of Node.js', async () => {
    const built = await bundled('src/util/heap-limit.ts', temporaryFolder());
    expect(await youngMemoryAfterWork(built, 'limitHeap();')).toBeLessThanOrEqual(16);
    expect(await youngMemoryAfterWork(built, '')).toBeGreaterThan(16);
  });
});
