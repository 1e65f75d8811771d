import { describe, expect, it } from 'vitest';
import { sortFindings } from '../../../src/commands/findings/sort-findings.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe('sortFindings', () => {
  it.each([
    { by: 'severity', values: ['low', 'critical', 'odd', 'high', 'medium'], sorted: 'critical high medium low odd' },
    { by: '-severity', values: ['low', 'critical', 'high', 'medium'], sorted: 'low medium high critical' },
    { by: 'severity', values: ['Low', 'HIGH', 'Medium', 'critical'], sorted: 'critical HIGH Medium Low' },
    { by: '-severity', values: ['odd', 'critical', 'even', 'low'], sorted: 'low critical odd even' },
    { by: 'status', values: ['CLOSED', 'archived', 'Open'], sorted: 'Open CLOSED archived' },
    {
      by: 'status',
      values: ['closed', 'ready_for_review', 'open', 'needs_revision'],
      sorted: 'open needs_revision ready_for_review closed',
    },
    { by: 'n', values: [10, 9, 100], sorted: '9 10 100' },
    { by: '-n', values: [10, 9, 100], sorted: '100 10 9' },
    { by: 'text', values: ['b', 'a', 'C'], sorted: 'C a b' },
  ])('sorts $values by $by', ({ by, values, sorted }) => {
    const field = by.replace(/^-/, '');
    const findings = values.map((value) => ({ value: { [field]: value } }));
    expect(
      sortFindings(findings, by)
        .map(({ value }) => value[field])
        .join(' '),
    ).toBe(sorted);
  });

  it('keeps the order of equal findings, and puts those without the field last in both directions', () => {
    const findings = [{ id: 1 }, { id: 2, n: 5 }, { id: 3, n: null }, { id: 4, n: 5 }, { id: 5, n: 4 }];
    const items = findings.map((value) => ({ value }));
    const ids = (by: string) => sortFindings(items, by).map(({ value }) => value.id);
    expect(ids('n')).toEqual([5, 2, 4, 1, 3]);
    expect(ids('-n')).toEqual([2, 4, 5, 1, 3]);
  });

  it('sorts by a nested field', () => {
    const [two, one] = [{ value: { a: { b: 2 } } }, { value: { a: { b: 1 } } }];
    expect(sortFindings([two, one], 'a.b')).toEqual([one, two]);
  });
});

describe('findings list --sort', () => {
  it.each(['table', 'json', 'ndjson', 'csv'])('sorts the findings as %s', async (format) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    const { stdout } = await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'severity', '-o', format]);
    expect(stdout.indexOf('fnd_2')).toBeGreaterThan(-1);
    expect(stdout.indexOf('fnd_2')).toBeLessThan(stdout.indexOf('fnd_1'));
  });

  it('rejects a field that no finding has', async () => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    expectUsageError(
      await run(['findings', 'list', '--task', 'tsk_1', '--sort', 'sevrity']),
      '--sort: no finding has a field "sevrity"',
      'The fields are: id, severity, status, type, content, createdAt, taskId, createdBy.id, createdBy.user.email.',
    );
  });
});
