import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all'];

const BODY = [
  { id: 'f1', status: 'OPEN', severity: 'Critical' },
  { id: 'f2', status: 'open', severity: 'high' },
  { id: 'f3', status: 'closed', severity: 'HIGH' },
  { id: 'f4', status: 'needs_revision', severity: 'low' },
  { id: 'f5', status: 'closed', severity: 'P1' },
];

describe('filters of findings list', () => {
  it.each([
    { flags: ['--status', 'open'], ids: ['f1', 'f2'] },
    { flags: ['--status', 'Closed, needs_revision'], ids: ['f3', 'f4', 'f5'] },
    // A finding whose severity orgadm does not know may be a severe one.
    { flags: ['--min-severity', 'HIGH'], ids: ['f1', 'f2', 'f3', 'f5'] },
    { flags: ['--status', 'open', '--min-severity', 'critical'], ids: ['f1'] },
  ])('keep $ids with $flags, in every format, and say how many match', async ({ flags, ids }) => {
    const { run } = await cli.scripted(() => ({ body: { data: BODY } }));
    for (const format of ['csv', 'table', 'ndjson', 'json']) {
      const { code, stdout, stderr } = await run([...ALL, ...flags, '-o', format]);
      expect({ code, ids: stdout.match(/\bf\d\b/g) }).toEqual({ code: 0, ids });
      expect(stderr).toMatch(new RegExp(`^${ids.length} of 5 `));
    }
  });

  it('warn about a value that no finding has, and about values that orgadm does not know', async () => {
    const { run } = await cli.scripted(() => ({ body: BODY }));
    const flags = ['--status', 'opne,closed', '--min-severity', 'high', '--jq', 'length'];
    expect(await run([...ALL, ...flags])).toMatchObject({
      code: 0,
      stdout: '2\n',
      stderr:
        '2 of 5 findings match\n' +
        'warning: --status: no finding has "opne" (values seen: "open", "closed", "needs_revision")\n' +
        'warning: --min-severity: kept 1 finding without a known severity: "P1"\n',
    });
  });

  it.each(['--status', '--min-severity'])('reject a field that no finding has, and print nothing: %s', async (flag) => {
    const { run } = await cli.scripted([{ body: [{ id: 'a', state: 'open' }] }]);
    expect(await run([...ALL, flag, 'low', '--json'])).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    ['--status', 'open,'],
    ['--min-severity', 'hihg'],
  ])('reject an empty value, and a minimum without a rank: %s %s', async (...flags) => {
    const { service, run } = await cli.scripted([]);
    expect(await run([...ALL, ...flags])).toMatchObject({ code: 2, stdout: '' });
    expect(service.requests).toEqual([]);
  });
});
