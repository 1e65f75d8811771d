import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const argv = ['findings', 'list', '--task', 't1'];

describe('a column that was asked for', () => {
  const body = [
    { id: 'f1', taskId: 't1' },
    { id: 'f2', taskId: 't1', template: { title: 'x' } },
  ];

  it.each(['table', 'csv'])('is warned about where no finding has it: %s', async (format) => {
    const { run } = await cli.scripted([{ body }]);
    const { code, stderr } = await run([...argv, '--columns', 'id,titel,template.titel', '-o', format]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'warning: --columns: no finding has a field "titel", "template.titel". --columns help lists the fields.\n',
    );
  });

  it.each(['id,template.title', 'id,template'])('is not, where one has it: %s', async (columns) => {
    const { run } = await cli.scripted([{ body }]);
    expect((await run([...argv, '--columns', columns, '-o', 'csv'])).stderr).toBe('');
  });

  it('is not said to be absent where there are no findings, but not checked', async () => {
    const { run } = await cli.scripted([{ body: [] }]);
    expect((await run([...argv, '--columns', 'titel', '-o', 'csv'])).stderr).toBe(
      '--columns: "titel" not checked, because there are no findings\n',
    );
  });
});

describe('--count', () => {
  it.each([
    [['--columns', 'id'], '--count and --columns exclude each other'],
    [['--columns', 'help'], '--count and --columns exclude each other'],
    [['--sort', 'severity'], '--count and --sort exclude each other'],
  ])('goes without %j', async (flags, message) => {
    expectUsageError(await cli.plain([...argv, '--count', ...flags]), message);
  });

  it.each(['table', 'json', 'ndjson', 'csv'])('is a number: %s', async (format) => {
    const { run } = await cli.scripted([{ body: [{ id: 'f1' }, { id: 'f2' }] }]);
    expect((await run([...argv, '--count', '-o', format])).stdout).toBe('2\n');
  });
});
