import { describe, expect, it } from 'vitest';
import { readerOf } from '../../../src/commands/findings/field-reader.ts';
import { parseColumns } from '../../../src/commands/findings/finding-columns.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const paths = (columns: { path: string }[]) => columns.map(({ path }) => path);

describe('readerOf', () => {
  it.each([
    ['id', 'fnd'],
    ['created', '2026-01-05'],
    ['createdBy.user.email', 'ada@acme.test'],
    ['dotted.name', 'own'],
    ['createdBy.user.phone', undefined],
    ['createdBy.__proto__', undefined],
  ])('reads %s as %j', (path, value) => {
    const finding = {
      id: 'fnd',
      createdBy: { user: { email: 'ada@acme.test' } },
      'dotted.name': 'own',
      dotted: { name: 'nested' },
      createdAt: '2026-01-05',
    };
    expect(readerOf(path)(finding)).toBe(value);
  });
});

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

  it('lists the fields of this response under help, as text or json', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'a', task: { id: 'b' } }] }));
    const argv = ['findings', 'list', '--task', 'tsk_1', '--columns', 'help'];
    expect((await run(argv)).stdout).toBe('id\ntask.id\n');
    expect((await run([...argv, '--json'])).json()).toEqual(['id', 'task.id']);
  });

  it('lists each field under help on one line, without control characters', async () => {
    const body = [{ 'a\tb': 1, 'c\r\nd': 2, '\x1b[31me\u202e': 3, '=f,g': 4 }];
    const { run } = await cli.scripted(() => ({ body }));
    const argv = ['findings', 'list', '--task', 'tsk_1', '--columns', 'help'];
    expect((await run(argv)).stdout).toBe('a b\nc d\ne\\u202e\n=f,g\n');
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
    [90, ['id', 'severity', 'status', 'type', 'content', 'created']],
    [89, ['id', 'severity', 'status', 'type', 'content']],
    [77, ['id', 'severity', 'status', 'content']],
    [58, ['id', 'severity', 'content']],
    // Not even the least fits: all of them, as records.
    [49, ['id: fnd_0001']],
  ])('shows the columns that fit %i columns', async (columns, header) => {
    const { run } = await cli.scripted([{ body: [FINDING] }]);
    const [first = ''] = (await run(argv, { columns, env })).stdout.split('\n');
    expect(first.split(/ {2,}/)).toEqual(header);
  });

  it('shows all requested columns, as records if they do not fit', async () => {
    const { run } = await cli.scripted([{ body: [FINDING] }]);
    const requested = ['--columns', 'id,severity,status,type,content,createdAt'];
    expect((await run([...argv, ...requested], { columns: 80, env })).stdout).toMatch(/^id: fnd_0001\n/);
  });

  it('shows the day, although a pipe gets the time', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'f1', createdAt: '2025-03-03T23:30:00.000Z' }] }));
    expect((await run(argv, { columns: 80, env })).stdout).toBe('id  created\n──  ──────────\nf1  2025-03-03\n');
    expect((await run(argv)).stdout).toBe('id  created\nf1  2025-03-03T23:30:00.000Z\n');
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
