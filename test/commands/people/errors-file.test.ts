import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';
import { workbook } from '../../helpers/workbook.ts';

const cli = createCommandRunner();

const LIST = `userId;role;Note;isActive
usr_1;member;first;yes
usr_2;member;"a;b";no
usr_3;member;;perhaps
usr_4;member;=1+1;yes
`;
const FIELDS = ['--active', 'isActive=yes', '--ignore-extra-columns'];
const ARGV = ['--invalid', 'skip', ...FIELDS];

describe('--errors-file', () => {
  it('contains the failed and invalid rows with their lines and errors, in one format', async () => {
    const errors = cli.file('errors.csv');
    const { service, run } = await cli.scripted(addsMembers({ rejected: { usr_2: '=User usr_2; not found' } }));
    const result = await run(['people', 'bulk-add', '-', ...ARGV, '--errors-file', errors], { stdin: LIST });
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/^errors file: 2 rows to fix in \S+errors\.csv$/m);
    expect(result.stderr).toMatch(/\nAfter you fix them, import that file\. It needs no options for its columns\.\n$/);
    expect(service.requests.flatMap(membersOf)).toHaveLength(3);
    expect(readFileSync(errors, 'utf8')).toMatch(
      textLike(`userId,role,department,isActive,deviceMgmtLabelId,line,error
usr_2,member,,false,,3,'=User usr_2; not found
usr_3,member,,perhaps,,4,"isActive: ""perhaps"" …"
`),
    );
    expect(statSync(errors).mode & 0o777).toBe(0o600);
  });

  it('is accepted as a list again once it is fixed', async () => {
    const errors = cli.file('errors.csv');
    const { service, run } = await cli.scripted((request, response) =>
      addsMembers(service.requests.length === 1 ? { rejected: { usr_2: 'not found' } } : {})(request, response),
    );
    await run(['people', 'bulk-add', '-', ...ARGV, '--errors-file', errors], { stdin: LIST });
    writeFileSync(errors, readFileSync(errors, 'utf8').replace(',perhaps,', ',true,'));
    const corrected = await run(['people', 'bulk-add', errors]);
    expect(corrected).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ 2 /) });
    expect(service.requests.map(membersOf)[1]).toEqual([
      { userId: 'usr_2', role: 'member', isActive: false },
      { userId: 'usr_3', role: 'member', isActive: true },
    ]);
  });

  it('is not written if there is no row to fix', async () => {
    const errors = cli.file('errors.csv');
    const { run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', '--errors-file', errors];
    const result = await run(argv, { stdin: 'userId,role\nusr_1,member\n' });
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('\nerrors file: no rows to fix\n'),
    });
    expect(existsSync(errors)).toBe(false);
  });

  it('does not affect the report if it cannot be written, and is written when the run continues', async () => {
    const folder = cli.file('out');
    const errors = `${folder}/errors.csv`;
    mkdirSync(folder);
    const adds = addsMembers({ rejected: { usr_2: 'not found' } });
    const { service, run } = await cli.scripted((request, response) => {
      rmSync(folder, { recursive: true });
      return adds(request, response);
    });
    writeFileSync(cli.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
    const argv = ['people', 'bulk-add', cli.file('list.csv'), '--json', '--errors-file', errors];
    const result = await run(argv);
    expect(result.code).toBe(1);
    expect(result.json()).toMatchObject({ summary: { total: 2, created: 1, failed: 1, stopped: null } });
    expect(JSON.parse(result.stderr.split('\n').at(-2) ?? '')).toEqual({
      error: {
        code: 'errors-file-failed',
        message: expect.stringMatching(textLike(`--errors-file: cannot write ${errors}: … (ENOENT)`)),
        hint: expect.stringMatching(
          /^The report still lists these rows\. Write them to another file: orgadm runs show [0-9a-f]{8} --errors-file <file>$/,
        ),
      },
    });

    mkdirSync(folder);
    const [command = ''] = /orgadm runs show [0-9a-f]{8}/.exec(result.stderr) ?? [];
    expect((await run([...command.split(' ').slice(1), '--errors-file', errors])).code).toBe(0);
    expect(readFileSync(errors, 'utf8')).toBe(
      'userId,role,department,isActive,deviceMgmtLabelId,line,error\nusr_2,member,,,,3,not found\n',
    );
    expect(service.requests).toHaveLength(1);
  });

  it('is not missing without a word if it cannot be written, and a signal has ended the run', async () => {
    const folder = cli.file('out');
    mkdirSync(folder);
    const signals = new EventEmitter();
    const adds = addsMembers({ rejected: { usr_2: 'not found' } });
    const { run } = await cli.scripted((request, response) => {
      rmSync(folder, { recursive: true, force: true });
      signals.emit('signal', 'SIGINT');
      return adds(request, response);
    });
    writeFileSync(cli.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
    const argv = ['people', 'bulk-add', cli.file('list.csv'), '--batch-size', '2'];
    const { code, stderr } = await run([...argv, '--errors-file', `${folder}/errors.csv`], { signals });
    expect(code).toBe(130);
    expect(stderr).toMatch(partLike(`warning: --errors-file: cannot write ${folder}/errors.csv: … (ENOENT)`));
  });

  it('contains the invalid rows of a list that is rejected', async () => {
    const errors = cli.file('errors.csv');
    const stdin = 'userId,role\nusr_1,\nusr_2,member\n';
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--errors-file', errors], { stdin });
    expect(result.code).toBe(2);
    expect(readFileSync(errors, 'utf8')).toMatch(/,error\nusr_1,,,,,2,role .*\n$/);
    const others = 'That file does not have the other row, which --invalid skip sends from the list.\n';
    expect(result.stderr).toContain(others);
    const skipping = ['people', 'bulk-add', '-', '--dry-run', '--invalid', 'skip', '--errors-file', errors];
    expect((await cli.plain(skipping, { stdin })).stderr).not.toContain(others);
  });
});

describe('an errors file that nobody has fixed', () => {
  const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
  const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
  const texts = (cells: string) => row(...cells.split(',').map(text));
  const struck = (content: string) => text(content).replace('<c', '<c s="1"');

  /** A workbook with one person, and this row below. */
  function team(last: string): Buffer {
    const data = texts('userId,role,department,isActive') + texts('101,employee,it,true') + last;
    return workbook([{ name: 'Team', data }], { font: '<strike/>' });
  }

  it.each<[sees: string, name: string, list: string | Buffer]>([
    ['a hidden row', 'a.xlsx', team(texts('102,employee,it,true').replace('<row', '<row hidden="1"'))],
    ['a person who is struck out', 'a.xlsx', team(row(struck('102'), struck('employee'), text('it'), text('true')))],
    ['a department that is struck out', 'a.xlsx', team(row(text('102'), text('employee'), struck('it'), text('true')))],
    ['a status that is struck out', 'a.xlsx', team(row(text('102'), text('employee'), text('it'), struck('true')))],
    ['a comma in a name', 'a.csv', 'userId,role,department\nu1,employee,it\nu2,employee,Chen, Bo\n'],
    ['a row that ends before the role', 'a.csv', 'userId,department,role\nu1,it,admin\nu2,it\n'],
    [
      'a quote that nobody has closed',
      'a.csv',
      'userId,role,department\nu1,employee,"it\nu2,employee,hr\nu3,employee,x"\nu4,employee,it\n',
    ],
    ['an ID that Excel has shortened', 'a.csv', 'userId,role\nu1,employee\n1.08E+20,employee\n'],
    ['a status that is neither yes nor no', 'a.csv', 'userId,role,isActive\nu1,employee,yes\nu2,employee,maybe\n'],
  ])('adds nobody if its list has %s', async (_sees, name, list) => {
    const [file, rejected] = [cli.file(name), cli.file('rejected.csv')];
    writeFileSync(file, list);
    const { service, run } = await cli.scripted(addsMembers());
    const first = await run(['people', 'bulk-add', file, '--invalid', 'skip', '--errors-file', rejected]);
    expect({ code: first.code, added: service.requests.flatMap(membersOf).length }, first.stderr).toEqual({
      code: 3,
      added: 1,
    });
    const again = await run(['people', 'bulk-add', rejected]);
    expect({ code: again.code, requests: service.requests.length }, again.stdout).toEqual({ code: 2, requests: 1 });
  });
});
