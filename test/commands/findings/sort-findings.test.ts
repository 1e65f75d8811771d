import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '-o'];

const FINDINGS = [
  { id: 'low', severity: 'Low', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'unknown', severity: 'P1', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'undated', severity: 'critical' },
  { id: 'old', severity: 'critical', createdAt: '2026-01-05T09:00:00+02:00' },
  { id: 'new', severity: 'CRITICAL', createdAt: '2026-01-05T08:00:00Z' },
  { id: 'none', createdAt: '2026-01-09T09:00:00Z' },
  { id: 'high', severity: 'high', createdAt: '2026-01-01T09:00:00Z' },
];

describe('the order of findings', () => {
  it('is in a table the most severe first, then the newest; others keep their order', async () => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run([...ALL, 'table']);
    const ids = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
    expect(ids).toEqual(['new', 'old', 'undated', 'high', 'low', 'unknown', 'none']);
  });

  it.each(['json', 'ndjson', 'csv'])('is that of the service as %s', async (format) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run([...ALL, format]);
    const places = FINDINGS.map(({ id }) => stdout.indexOf(id === 'low' ? 'low' : id));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});
