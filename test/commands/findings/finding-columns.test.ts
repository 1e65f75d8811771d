import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

describe('findings list -o csv', () => {
  it('has a column for every field, nested ones too, which is empty for a finding that lacks it', async () => {
    const { run } = await cli.scripted([{ body: [...FINDINGS, { id: 'fnd_3' }] }]);
    const { stdout } = await run(['findings', 'list', '--task', 'tsk_1', '-o', 'csv']);
    expect(stdout).toMatch(/^id,severity,status,type,content,createdAt,taskId,createdBy\.id,createdBy\.user\.email\n/);
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

  it.each([
    [90, ['id', 'severity', 'status', 'type', 'content', 'createdAt'], ''],
    [89, ['id', 'severity', 'status', 'type', 'content'], 'createdAt'],
    [77, ['id', 'severity', 'status', 'content'], 'type, createdAt'],
    [58, ['id', 'severity', 'content'], 'status, type, createdAt'],
    // Not even the least fits: all of them, as records.
    [49, ['id: fnd_0001'], ''],
  ])('shows the columns that fit %i columns, and names the others', async (columns, header, hidden) => {
    const { run } = await cli.scripted([{ body: [FINDING] }]);
    const { stdout, stderr } = await run(argv, { columns, env });
    const [first = ''] = stdout.split('\n');
    expect(first.split(/ {2,}/)).toEqual(header);
    expect(stderr.includes('-o csv')).toBe(hidden !== '');
    if (hidden !== '') expect(stderr).toMatch(partLike(`: ${hidden}. … -o csv.\n`));
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

  it('cuts the content only, and no identifier', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const { run } = await cli.scripted([{ body: [{ ...FINDING, id }] }]);
    expect((await run(argv, { columns: 80, env })).stdout).toBe(
      `id                                    severity  content
────────────────────────────────────  ────────  ────────────────────────────────
0f8fad5b-d9cb-469f-a165-70867728950e  critical  The screenshot shows the settin…
`,
    );
  });

  it('shows the first fields if none is known', async () => {
    const { run } = await cli.scripted([{ body: [{ key: 'K-1', owner: { name: 'Ann' }, points: 3 }] }]);
    expect((await run(argv, { columns: 80, env })).stdout).toBe(
      'key  owner.name  points\n───  ──────────  ──────\nK-1  Ann         3\n',
    );
  });
});
