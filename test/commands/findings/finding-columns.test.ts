import { describe, expect, it } from 'vitest';
import { parseColumns } from '../../../src/commands/findings/finding-columns.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const paths = (columns: { path: string }[]) => columns.map(({ path }) => path);

describe('--columns', () => {
  it('prints each column once', () => {
    expect(paths(parseColumns(' id, createdBy.user.email ,id'))).toEqual(['id', 'createdBy.user.email']);
  });

  it('prints any field, nested ones too, and - for a field that a finding lacks', async () => {
    const { run } = await cli.scripted(() => ({ body: [...FINDINGS, { id: 'fnd_3' }] }));
    const argv = ['findings', 'list', '--task', 'tsk_1', '--columns', 'createdBy.user.email,id'];
    expect((await run(argv)).stdout).toBe(`createdBy.user.email  id
ada@acme.test         fnd_1
grace@acme.test       fnd_2
-                     fnd_3
`);
    expect((await run([...argv, '-o', 'csv'])).stdout).toBe(
      'createdBy.user.email,id\nada@acme.test,fnd_1\ngrace@acme.test,fnd_2\n,fnd_3\n',
    );
  });

  it('reads a key that contains dots before a nested field, and no property that JSON does not have', async () => {
    const body = [{ id: 'f1', 'dotted.name': 'own', dotted: { name: 'nested', other: 1 }, createdBy: { id: 'm1' } }];
    const { run } = await cli.scripted([{ body }]);
    const columns = 'dotted.name,dotted.other,createdBy.phone,createdBy.__proto__';
    expect((await run(['findings', 'list', '--all', '--columns', columns, '-o', 'csv'])).stdout).toBe(
      `${columns}\nown,1,,\n`,
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

  it('shows all requested columns, as records if they do not fit', async () => {
    const { run } = await cli.scripted([{ body: [FINDING] }]);
    const requested = ['--columns', 'id,severity,status,type,content,createdAt'];
    expect((await run([...argv, ...requested], { columns: 80, env })).stdout).toMatch(/^id: fnd_0001\n/);
  });

  it('shows the day, although a pipe gets the time', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'f1', createdAt: '2025-03-03T23:30:00.000Z' }] }));
    expect((await run(argv, { columns: 80, env })).stdout).toBe('id  createdAt\n──  ──────────\nf1  2025-03-03\n');
    expect((await run(argv)).stdout).toBe('id  createdAt\nf1  2025-03-03T23:30:00.000Z\n');
  });

  it('shows the time if the column was requested', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'f1', createdAt: '2025-03-03T23:30:00.000Z' }] }));
    const { stdout } = await run([...argv, '--columns', 'createdAt'], { columns: 80, env });
    expect(stdout).toContain('2025-03-03T23:30:00.000Z');
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
