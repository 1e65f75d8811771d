import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const argv = ['findings', 'list', '--task', 't1'];

describe('a requested column', () => {
  const body = [
    { id: 'f1', taskId: 't1' },
    { id: 'f2', taskId: 't1', template: { title: 'x' } },
  ];
  const many = Array.from({ length: 1500 }, (_, at) => ({
    id: at,
    taskId: 't1',
    content: 'x'.repeat(1000),
    ...(at >= 1400 && { late: at }),
  }));

  it.each([[['table']], [['csv']]])('is rejected before any output if no finding has it: -o %j', async (format) => {
    const { run } = await cli.scripted([{ body }]);
    expectUsageError(
      await run([...argv, '--columns', 'id,titel,templates.title', '-o', ...format]),
      '--columns: no finding has a field "titel", "templates.title"',
      'The fields are: id, taskId, template.title.',
    );
  });

  it('is rejected with the names of up to 40 fields, without control characters', async () => {
    const fields = Array.from({ length: 43 }, (_, at) => [`f${at}\r\n\x1b[31m\u202e`, at]);
    const { run } = await cli.scripted([{ body: [Object.fromEntries(fields)] }]);
    const { code, stderr } = await run(['findings', 'list', '--all', '--columns', 'id']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\nhint: The fields are: f0 \\u202e, f1 \\u202e, .*, f39 \\u202e and 3 more\.\n$/);
  });

  it('is rejected in a stream if none of the first 1,000 findings has it', async () => {
    const { run } = await cli.scripted([{ body: many }]);
    const { code, stdout, stderr } = await run([...argv, '--columns', 'id,late', '-o', 'csv']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    // Findings are checked in the groups in which they arrive.
    expect(stderr.replace(/1,\d{3} findings/, '1,000 findings')).toBe(
      'error: --columns: none of the first 1,000 findings has a field "late"\n' +
        'hint: The fields are: id, content, taskId. If only later findings have it, add --sort, so that orgadm reads the entire list before it prints.\n',
    );
  });

  it.each([[['-o', 'csv', '--sort', 'id']], [['-o', 'table']]])(
    'may be a field of only the last findings in output that is not streamed: %j',
    async (flags) => {
      const { run } = await cli.scripted([{ body: many }]);
      const { code, stdout } = await run([...argv, '--columns', 'id,late', ...flags]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^1499[, ]+1499$/m);
    },
  );

  it.each([
    { format: 'table', stdout: 'id  createdBy.user.email\nf1  -\nf2  -\n' },
    { format: 'csv', stdout: 'id,createdBy.user.email\nf1,\nf2,\n' },
  ])('is empty if all findings have null under its first key: $format', async ({ format, stdout }) => {
    const { run } = await cli.scripted([
      {
        body: [
          { id: 'f1', taskId: 't1', createdBy: null },
          { id: 'f2', taskId: 't1', createdBy: null },
        ],
      },
    ]);
    const columns = ['--columns', 'id,createdBy.user.email', '--sort', 'createdBy.user.email'];
    expect(await run([...argv, ...columns, '-o', format])).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.each(['id,template.title', 'id,template'])('is accepted if one finding has it: %s', async (columns) => {
    const { run } = await cli.scripted([{ body }]);
    const { code, stdout, stderr } = await run([...argv, '--columns', columns, '-o', 'csv']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(4);
  });
});
