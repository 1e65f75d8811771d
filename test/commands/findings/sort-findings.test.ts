import { describe, expect, it } from 'vitest';
import { sortFindings } from '../../../src/commands/findings/print-findings.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe('sortFindings', () => {
  it.each([
    { by: 'severity', values: ['low', 'critical', 'odd', 'high', 'medium'], sorted: 'critical high medium low odd' },
    { by: '-severity', values: ['low', 'critical', 'high', 'medium'], sorted: 'low medium high critical' },
    { by: 'severity', values: ['LOW', 'Critical', 'high', 'info'], sorted: 'Critical high LOW info' },
    {
      by: 'severity',
      values: ['informational', 'Low', 'Moderate', 'HIGH', 'critical', 'Blocker', 'medium', 'INFO'],
      sorted: 'Blocker critical HIGH Moderate medium Low informational INFO',
    },
    { by: '-severity', values: ['odd', 'critical', 'even', 'low'], sorted: 'low critical odd even' },
    { by: 'status', values: ['CLOSED', 'archived', 'Open'], sorted: 'Open CLOSED archived' },
    {
      by: 'status',
      values: ['closed', 'ready_for_review', 'open', 'needs_revision'],
      sorted: 'open needs_revision ready_for_review closed',
    },
    { by: 'n', values: [10, 9, 100], sorted: '9 10 100' },
    { by: '-n', values: [10, 9, 100], sorted: '100 10 9' },
    { by: 'constructor', values: ['b', 'a'], sorted: 'a b' },
    { by: 'text', values: ['b', 'a', 'C'], sorted: 'C a b' },
  ])('sorts $values by $by', ({ by, values, sorted }) => {
    const field = by.replace(/^-/, '');
    const findings = values.map((value) => ({ [field]: value }));
    expect(
      sortFindings(findings, by, (finding) => finding)
        .sorted.map((finding) => finding[field])
        .join(' '),
    ).toBe(sorted);
  });

  it('keeps the order of equal findings, and puts those without the field last in both directions', () => {
    const findings = [{ id: 1 }, { id: 2, n: 5 }, { id: 3, n: null }, { id: 4, n: 5 }, { id: 5, n: 4 }];
    const ids = (by: string) => sortFindings(findings, by, (finding) => finding).sorted.map(({ id }) => id);
    expect(ids('n')).toEqual([5, 2, 4, 1, 3]);
    expect(ids('-n')).toEqual([2, 4, 5, 1, 3]);
  });

  it('sorts by a nested field', () => {
    const { sorted } = sortFindings([{ a: { b: 2 } }, { a: { b: 1 } }], 'a.b', (finding) => finding);
    expect(sorted).toEqual([{ a: { b: 1 } }, { a: { b: 2 } }]);
  });
});

describe('findings list --sort', () => {
  it.each(['table', 'json', 'ndjson', 'csv'])('sorts the findings as %s', async (format) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'severity', '-o', format]);
    expect(stdout.indexOf('fnd_2')).toBeGreaterThan(-1);
    expect(stdout.indexOf('fnd_2')).toBeLessThan(stdout.indexOf('fnd_1'));
  });

  it('prints each severity that it cannot rank once', async () => {
    const severities = ['P1', 'Low', null, 'P2', 'P1', 'HIGH', 7, 'a\u001b[1m', 'd', 'e', 'f'];
    const { run } = await cli.scripted([{ body: severities.map((severity) => ({ severity, taskId: 'tsk_1' })) }]);
    const result = await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'severity', '--json']);
    expect((result.json() as { severity: unknown }[]).map(({ severity }) => severity)).toEqual([
      ...['HIGH', 'Low', 7, 'P1', 'P1', 'P2', 'a\u001b[1m', 'd', 'e', 'f', null],
    ]);
    expect(result.stderr).toBe(
      '--sort severity: no rank is known for "7", "P1", "P2", "a", "d" and 2 more, sorted last\n',
    );
  });

  it('prints no note when every severity has a rank', async () => {
    const { run } = await cli.scripted([{ body: [{ severity: 'LOW', taskId: 'tsk_1' }, { taskId: 'tsk_1' }] }]);
    expect((await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'severity', '--json'])).stderr).toBe('');
  });

  it('rejects a field that no finding has', async () => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    expectUsageError(
      await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'sevrity']),
      '--sort: no finding has a field "sevrity"',
      'Use --columns help to see the fields.',
    );
  });
});
