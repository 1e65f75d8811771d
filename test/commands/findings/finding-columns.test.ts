import { describe, expect, it } from 'vitest';
import { allColumns, chooseColumns, parseColumns, valueAt } from '../../../src/commands/findings/finding-columns.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const paths = (columns: { path: string }[]) => columns.map(({ path }) => path);

describe('the columns of a table of findings', () => {
  it('are the known fields that some finding has, in the order in which they help most', () => {
    expect(paths(chooseColumns([{ createdAt: 'x', id: 'a', zz: 1 }, { severity: 'low' }]))).toEqual([
      ...['id', 'severity', 'createdAt'],
    ]);
  });

  it('are the first six fields in the response if none is known', () => {
    expect(
      paths(
        chooseColumns([
          { a: 1, b: { c: 2, d: 3 }, e: 4 },
          { f: 5, g: 6, h: 7 },
        ]),
      ),
    ).toEqual([...['a', 'b.c', 'b.d', 'e', 'f', 'g']]);
  });

  it('start with the known fields, followed by all others under their dotted names', () => {
    expect(paths(allColumns(FINDINGS))).toEqual([
      ...['id', 'severity', 'status', 'type', 'content', 'createdAt'],
      ...['taskId', 'createdBy.id', 'createdBy.user.email'],
    ]);
  });
});

describe('valueAt', () => {
  it.each([
    ['id', 'fnd'],
    ['createdBy.user.email', 'ada@acme.test'],
    ['dotted.name', 'own'],
    ['createdBy.user.phone', undefined],
    ['id.length', undefined],
    ['constructor', undefined],
    ['createdBy.__proto__', undefined],
  ])('returns $1 for $0', (path, value) => {
    const finding = {
      id: 'fnd',
      createdBy: { user: { email: 'ada@acme.test' } },
      'dotted.name': 'own',
      dotted: { name: 'nested' },
    };
    expect(valueAt(finding, path)).toBe(value);
  });
});

describe('--columns', () => {
  it('prints each column once', () => {
    expect(paths(parseColumns(' id, createdBy.user.email ,id'))).toEqual(['id', 'createdBy.user.email']);
  });

  it('prints any field, nested ones too, and a blank for a field that a finding lacks', async () => {
    const { run } = await cli.scripted(() => ({ body: [...FINDINGS, { id: 'fnd_3' }] }));
    const argv = ['findings', 'list', '--task', 'tsk_1', '--columns', 'createdBy.user.email,id'];
    expect((await run(argv)).stdout).toBe(`createdBy.user.email  id
ada@acme.test         fnd_1
grace@acme.test       fnd_2
                      fnd_3
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
