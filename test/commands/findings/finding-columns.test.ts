import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe('findings list -o csv', () => {
  it('has a column for every field, nested ones too, which is empty for a finding that lacks it', async () => {
    const { run } = await cli.scripted([{ body: [...FINDINGS, { id: 'fnd_3' }] }]);
    const { stdout } = await run(['findings', 'list', '--task', 'tsk_1', '-o', 'csv']);
    expect(stdout).toMatch(/^id,severity,status,type,createdAt,content,taskId,createdBy\.id,createdBy\.user\.email\n/);
    expect(stdout).toMatch(/\nfnd_3,,,,,,,,\n$/);
  });

  it('reads a key that contains dots before a nested field', async () => {
    const body = [{ id: 'f1', 'dotted.name': 'own', dotted: { name: 'nested', other: 1 } }];
    const { run } = await cli.scripted([{ body }]);
    expect((await run(['findings', 'list', '--all', '-o', 'csv'])).stdout).toBe(
      'id,dotted.name,dotted.other\nf1,own,1\n',
    );
  });
});

const FINDING = {
  id: 'fnd_0001',
  severity: 'critical',
  status: 'ready_for_review',
  type: 'iso27001',
  content: 'The screenshot shows the settings of one laptop only; the sample asked for is five.',
  createdAt: '2025-03-03T08:30:00.000Z',
};

describe('findings list in a terminal', () => {
  const argv = ['findings', 'list', '--task', 't1'];
  const env = { NO_COLOR: '1' };

  it('cuts the content, or shows records if nothing is left for it', async () => {
    const { run } = await cli.scripted(() => ({ body: [FINDING] }));
    const firstAt = async (columns: number) =>
      (await run(argv, { columns, env })).stdout.split('\n')[0]?.split(/ {2,}/);
    expect(await firstAt(76)).toEqual(['id', 'severity', 'status', 'type', 'createdAt', 'content']);
    expect(await firstAt(75)).toEqual(['id: fnd_0001']);
  });

  it('shows the day, although a pipe gets the time', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'f1', createdAt: '2025-03-03T23:30:00.000Z' }] }));
    expect((await run(argv, { columns: 80, env })).stdout).toBe('id  createdAt\n──  ──────────\nf1  2025-03-03\n');
    expect((await run(argv)).stdout).toBe('id  createdAt\nf1  2025-03-03T23:30:00.000Z\n');
  });

  it('prints an invalid creation time as it is', async () => {
    const { run } = await cli.scripted([{ body: [{ id: 'f1', createdAt: 1741000000 }] }]);
    expect((await run(argv, { columns: 80, env })).stdout).toContain('f1  1741000000\n');
  });

  it('shows the first fields if none is known', async () => {
    const { run } = await cli.scripted([{ body: [{ key: 'K-1', owner: { name: 'Ann' }, points: 3 }] }]);
    expect((await run(argv, { columns: 80, env })).stdout).toBe(
      'key  owner.name  points\n───  ──────────  ──────\nK-1  Ann         3\n',
    );
  });
});
