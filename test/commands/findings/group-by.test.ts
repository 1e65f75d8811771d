import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const COUNT = ['findings', 'list', '--all', '--count'];

const BODY = [
  { id: 1, severity: 'low', task: { id: 't1' } },
  { id: 2, severity: 'low', task: { id: 't2' } },
  { id: 3, severity: 'P|1' },
  { id: 4, severity: 'critical', task: { id: 't2' } },
  { id: 5, severity: 'low', task: { id: 't2' } },
  { id: 6, severity: null },
];

describe('findings list --count --group-by', () => {
  it.each([
    {
      format: 'table',
      stdout: 'severity  count\ncritical      1\nlow           3\nP|1           1\n(none)        1\n',
    },
    {
      format: 'markdown',
      stdout: '| severity | count |\n| --- | --: |\n| critical | 1 |\n| low | 3 |\n| P\\|1 | 1 |\n| (none) | 1 |\n',
    },
    { format: 'csv', stdout: 'severity,count\ncritical,1\nlow,3\nP|1,1\n,1\n' },
    {
      format: 'ndjson',
      stdout:
        '{"value":"critical","count":1}\n{"value":"low","count":3}\n{"value":"P|1","count":1}\n{"value":null,"count":1}\n',
    },
  ])('prints the counts in the order of the severities as $format', async ({ format, stdout }) => {
    const { run } = await cli.scripted([{ body: BODY }]);
    expect(await run([...COUNT, '--group-by', 'severity', '-o', format])).toMatchObject({
      code: 0,
      stdout,
      stderr: '',
    });
  });

  it('orders other values by their number, accepts a dotted name, and is one array as json', async () => {
    const { run } = await cli.scripted([{ body: BODY }]);
    expect((await run([...COUNT, '--group-by', 'task.id', '--json'])).json()).toEqual([
      { value: 't2', count: 3 },
      { value: 't1', count: 1 },
      { value: null, count: 2 },
    ]);
  });

  it('counts all findings as without a value if all have null under the first key of the name', async () => {
    const { run } = await cli.scripted([{ body: [{ createdBy: null }, { createdBy: null }] }]);
    expect((await run([...COUNT, '--group-by', 'createdBy.id', '--json'])).json()).toEqual([{ value: null, count: 2 }]);
  });

  it('counts only the findings that pass the filters', async () => {
    const { run } = await cli.scripted([{ body: BODY }]);
    expect((await run([...COUNT, '--group-by', 'severity', '--severity', 'LOW', '--json'])).json()).toEqual([
      { value: 'low', count: 3 },
    ]);
  });

  it('rejects a field that no finding has, before any output', async () => {
    const { run } = await cli.scripted(() => ({ body: BODY }));
    for (const format of ['table', 'csv']) {
      expectUsageError(
        await run([...COUNT, '--group-by', 'severty', '-o', format]),
        '--group-by: no finding has a field "severty"',
        'Use --columns help to see the fields.',
      );
    }
  });

  it('prints an empty array or a note if there is nothing to count', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    expect(await run([...COUNT, '--group-by', 'status', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await run([...COUNT, '--group-by', 'status'])).toMatchObject({ stdout: '', stderr: 'no findings\n' });
    expect(await run([...COUNT, '--group-by', 'status', '-o', 'markdown'])).toMatchObject({ stdout: 'no findings\n' });
  });
});
