import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all'];

const BODY = [
  { id: 'f1', status: 'OPEN', severity: 'Critical' },
  { id: 'f2', status: 'open', severity: 'high' },
  { id: 'f3', status: 'closed', severity: 'HIGH' },
  { id: 'f4', status: 'needs_revision', severity: 'low' },
];

describe('filters of findings list', () => {
  it.each([
    { flags: ['--status', 'open'], ids: ['f1', 'f2'] },
    { flags: ['--status', 'Closed, needs_revision'], ids: ['f3', 'f4'] },
    { flags: ['--min-severity', 'HIGH'], ids: ['f1', 'f2', 'f3'] },
    { flags: ['--status', 'open', '--min-severity', 'critical'], ids: ['f1'] },
  ])('keep $ids with $flags, in every format, and say how many match', async ({ flags, ids }) => {
    const { run } = await cli.scripted(() => ({ body: { data: BODY } }));
    const stderr = expect.stringContaining(`${ids.length} of 4 findings match\n`);
    const json = await run([...ALL, ...flags, '--json']);
    expect(json).toMatchObject({ code: 0, stderr });
    expect(json.json()).toEqual(BODY.filter(({ id }) => ids.includes(id)));
    const ndjson = await run([...ALL, ...flags, '-o', 'ndjson', '--jq', '.id', '-r']);
    expect(ndjson).toMatchObject({ code: 0, stdout: `${ids.join('\n')}\n`, stderr });
    for (const format of ['csv', 'table']) {
      const { code, stdout, stderr: messages } = await run([...ALL, ...flags, '-o', format]);
      expect({ code, ids: stdout.match(/^f\d/gm), messages }).toEqual({ code: 0, ids, messages: stderr });
    }
  });

  it('warn about a value that no finding has, with the values seen', async () => {
    const { run } = await cli.scripted(() => ({ body: BODY }));
    const { code, stdout, stderr } = await run([...ALL, '--status', 'opne,open', '--jq', 'length']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2\n' });
    expect(stderr).toBe(
      '2 of 4 findings match\n' +
        'warning: --status: no finding has "opne" (values seen: "open", "closed", "needs_revision")\n',
    );
  });

  it('find a value that appears only after many others', async () => {
    const body = Array.from({ length: 150 }, (_, at) => ({ id: at, status: `own_${at}` }));
    const { run } = await cli.scripted(() => ({ body }));
    const argv = [...ALL, '--status', 'own_149', '--jq', 'length'];
    const stderr = expect.stringContaining('1 of 150 findings match\n');
    expect(await run(argv)).toMatchObject({ code: 0, stdout: '1\n', stderr });
    expect((await run([...argv, '--exit-status'])).code).toBe(7);
  });

  it.each([
    ['--status', 'status'],
    ['--min-severity', 'severity'],
  ])('reject a field that no finding has, in every format, and print nothing: %s', async (flag, field) => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'a', state: 'open' }] }));
    for (const format of ['csv', 'ndjson', 'json', 'table']) {
      const result = await run([...ALL, flag, 'low', '-o', format]);
      expect(result, format).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(
        `${flag}: no finding has a field \\"${field}\\"`.replaceAll('\\', format.endsWith('json') ? '\\' : ''),
      );
    }
  });

  it('keep findings without a known severity under --min-severity, with a warning, so that no gate passes by them', async () => {
    const body = [
      { id: 'a', severity: 'P1' },
      { id: 'b', severity: null },
      { id: 'c', severity: 'low' },
    ];
    const { run } = await cli.scripted(() => ({ body }));
    const flags = ['--min-severity', 'medium', '--jq', '.[].id', '-r', '--exit-status'];
    const { code, stdout, stderr } = await run([...ALL, ...flags]);
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'a\nb\n' });
    expect(stderr).toBe(
      '2 of 3 findings match\n' +
        'warning: --min-severity: kept 2 findings without a known severity: "P1", ""\n' +
        '2 findings remain (exit 7)\n',
    );
  });

  it('keep findings without a readable status under --status with --exit-status only', async () => {
    const body = [
      { id: 'a', status: null },
      { id: 'b', status: { name: 'open' } },
      { id: 'c', status: 'open' },
      { id: 'd' },
    ];
    const { run } = await cli.scripted(() => ({ body }));
    const gate = [...ALL, '--status', 'closed', '--jq', '.[].id', '-r'];
    const { code, stdout, stderr } = await run([...gate, '--exit-status']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'a\nb\nd\n' });
    expect(stderr).toContain('warning: --status: kept 3 findings without a known status: "", "{"name":"open"}"\n');
    expect(await run(gate)).toMatchObject({ code: 0, stdout: '' });
  });

  it('reject an empty value, and a minimum without a rank', async () => {
    expectUsageError(
      await cli.plain([...ALL, '--status', 'open,']),
      '--status: "open," has an empty value',
      'For example: --status open,needs_revision',
    );
    expectUsageError(await cli.plain([...ALL, '--min-severity', 'hihg']), '--min-severity: "hihg" …', '… high, …');
  });

  it('accept an empty list', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    expect(await run([...ALL, '--status', 'open', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });
});

describe('findings list --exit-status', () => {
  it.each([
    [['--status', 'open', '--min-severity', 'high'], 7],
    [['--status', 'needs_revision', '--min-severity', 'high'], 0],
    [['--jq', 'length'], 7],
    [['-o', 'ndjson'], 7],
    [['--json', '--quiet'], 7],
  ])('ends with the options %j in exit code %i', async (flags, code) => {
    const { run } = await cli.scripted(() => ({ body: BODY }));
    expect((await run([...ALL, ...flags, '--exit-status'])).code).toBe(code);
    expect((await run([...ALL, ...flags])).code).toBe(0);
  });

  it.each([
    { flags: ['--status', 'opne'], message: '--status: no finding has "opne"', hint: 'Known: "open", ' },
    { flags: ['--status', 'open,Resolved'], message: '--status: no finding has "resolved"', hint: 'Known: "open", ' },
  ])(
    'exits 2 for a value that neither a finding nor the documentation has: $flags',
    async ({ flags, message, hint }) => {
      const { run } = await cli.scripted(() => ({ body: BODY }));
      for (const format of ['json', 'table']) {
        const { code, stdout, stderr } = await run([...ALL, ...flags, '--exit-status', '-o', format, '--quiet']);
        expect({ code, stdout }, format).toEqual({ code: 2, stdout: '' });
        const text = stderr.replaceAll('\\"', '"');
        expect(text, format).toContain(`${message}, so --exit-status could pass by mistake`);
        expect(text, format).toContain(hint);
      }
      expect((await run([...ALL, ...flags])).code).toBe(0);
    },
  );

  it("accepts a usual value that no finding has, and a service's own value that a finding has", async () => {
    const standard = await cli.scripted(() => ({ body: BODY }));
    expect((await standard.run([...ALL, '--status', 'ready_for_review', '--exit-status'])).code).toBe(0);
    const own = await cli.scripted(() => ({ body: [{ id: 'a', status: 'resolved' }] }));
    expect((await own.run([...ALL, '--status', 'resolved', '--exit-status'])).code).toBe(7);
  });
});
