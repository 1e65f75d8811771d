import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '-o'];

const FINDINGS = [
  { id: 'fnd_low', severity: 'Low', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'fnd_unknown', severity: 'P1', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'fnd_undated', severity: 'critical' },
  { id: 'fnd_old', severity: 'critical', createdAt: '2026-01-05T09:00:00+02:00' },
  { id: 'fnd_new', severity: 'CRITICAL', createdAt: '2026-01-05T08:00:00Z' },
  { id: 'fnd_none', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'fnd_high', severity: 'high', createdAt: '2026-01-01T09:00:00Z' },
];

describe('the order of findings', () => {
  it('is in a table the most severe first, then the newest; others keep their order', async () => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run([...ALL, 'table']);
    expect(stdout.match(/(?<=fnd_)\w+/g)).toEqual(['new', 'old', 'undated', 'high', 'low', 'unknown', 'none']);
  });

  it.each(['json', 'ndjson', 'csv'])('is that of the service as %s', async (format) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run([...ALL, format]);
    expect(stdout.match(/fnd_\w+/g)).toEqual(FINDINGS.map(({ id }) => id));
  });
});
