import { expect, it } from 'vitest';
import { holdFindings } from '../../../src/commands/findings/hold-findings.ts';

/** Yields this many findings, whose text has 100 characters, in two groups. */
async function* findings(count: number) {
  const all = Array.from({ length: count }, (_, id) => ({ text: `{"id":${id}}`.padEnd(100), value: { id } }));
  yield all.slice(0, 3);
  yield all.slice(3);
}

it('holds findings up to a size, of which each takes 200 characters more than its text', async () => {
  expect(await holdFindings(findings(5), ({ value }) => value.id, 1_500)).toEqual([0, 1, 2, 3, 4]);
  await expect(holdFindings(findings(6), ({ value }) => value.id, 1_500)).rejects.toMatchObject({
    code: 'response-too-large',
    exitCode: 1,
  });
});
