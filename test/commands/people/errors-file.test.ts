import { EventEmitter } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf, reportOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';
import { workbook } from '../../helpers/workbook.ts';

const cli = createCommandRunner();
const HEADER = 'userId,role,department,isActive,deviceMgmtLabelId,line,error\n';
const ADD = ['people', 'bulk-add', '-'];
const OTHERS = ['--active', 'isActive=yes', '--ignore-extra-columns'];

/** Checks a list without sending it, and writes its invalid rows to a file. */
const checkList = (file: string, stdin: string) => cli.plain([...ADD, '--dry-run', '--errors-file', file], { stdin });

describe('an errors file', () => {
  const LIST = `userId;role;Note;isActive
usr_1;member;first;yes
usr_2;member;"a;b";no
usr_3;member;;perhaps
`;

  it('has the failed and invalid rows, and is accepted as a list without options once it is fixed', async () => {
    const errors = cli.file('errors.csv');
    const { service, run } = await cli.scripted((request, response) =>
      addsMembers(service.requests.length === 1 ? { rejected: { usr_2: '=User(2)\n\u001b]0;t\u0007' } } : {})(
        request,
        response,
      ),
    );
    const argv = [...ADD, '--invalid', 'skip', ...OTHERS, '--errors-file', errors];
    const result = await run(argv, { stdin: LIST });
    expect(result).toMatchObject({ code: 3, stderr: expect.stringMatching(/^errors file: 2 rows to fix in /m) });
    // A spreadsheet does not evaluate the message, and a terminal does not obey it.
    expect(readFileSync(errors, 'utf8')).toMatch(
      textLike(`${HEADER}usr_2,member,,false,,3,'=User(2) \\u001b]0;t\\u0007
usr_3,member,,perhaps,,4,"isActive: ""perhaps"" …"
`),
    );
    expect([statSync(errors).mode & 0o777, readdirSync(cli.file(''))]).toEqual([0o600, ['errors.csv', 'state']]);
    writeFileSync(errors, readFileSync(errors, 'utf8').replace(',perhaps,', ',true,'));
    expect((await run(['people', 'bulk-add', errors])).code).toBe(0);
    expect(service.requests.map(membersOf)[1]).toEqual([
      { userId: 'usr_2', role: 'member', isActive: false },
      { userId: 'usr_3', role: 'member', isActive: true },
    ]);
  });

  const MAPPED = ['--map', 'userId=Id', '--map', 'department=dept', '--default', 'role=m', '--active', 'all'];
  it.each<[string, stdin: string, options: string[], rows: string]>([
    ['a list of fields', 'userId,role\nu1,m\n', [], 'u1,m,,,,2,no'],
    ['other columns', 'Id;dept\n"0012";it\n', MAPPED, '0012,m,it,true,,2,no'],
    ['quotes, delimiters, and formulas', 'userId,role\n"=a""b","c;d, e"\n', [], '"=a""b","c;d, e",,,,2,no'],
    ['JSON', '[{"userId":"a","role":"m","deviceMgmtLabelId":7,"isActive":false}]', [], 'a,m,,false,7,1,no'],
    ['blank lines', '{"userId":"a","role":"m"}\n\n{"userId":"b","role":"m"}', [], 'a,m,,,,1,no\nb,m,,,,3,no'],
  ])('has the fields as orgadm sends them, and leads to the same request: %s', async (_, stdin, options, rows) => {
    const errors = cli.file('errors.csv');
    const { service, run } = await cli.scripted(addsMembers({ rejects: () => 'no' }));
    await run([...ADD, ...options, '--errors-file', errors], { stdin });
    expect(readFileSync(errors, 'utf8')).toBe(`${HEADER}${rows}\n`);
    await run(['people', 'bulk-add', errors]);
    const [first, second] = service.requests.map(membersOf);
    expect(second).toEqual(first);
  });

  it('also has a row that makes the service fail', async () => {
    const errors = cli.file('errors.csv');
    const failure = { status: 500, body: { statusCode: 500, message: 'Internal server error' } };
    const { run } = await cli.scripted((request, response) =>
      membersOf(request).some(({ userId }) => userId === 'usr_2') ? failure : addsMembers()(request, response),
    );
    const stdin = 'userId,role\nusr_1,member\nusr_2,member\n';
    expect((await run([...ADD, '--errors-file', errors], { stdin })).code).toBe(3);
    expect(readFileSync(errors, 'utf8').split('\n').slice(1)).toEqual([
      expect.stringMatching(/^usr_2,member,,,,3,/),
      '',
    ]);
  });

  it('has no other row of unknown outcome, because the person may have been added', async () => {
    const errors = cli.file('errors.csv');
    const { service, run } = await cli.scripted(() => ({
      status: service.requests.length === 1 ? 500 : 403,
      body: { message: 'no' },
    }));
    const stdin = 'userId,role\nusr_1,member\nusr_2,member\n';
    const result = await run([...ADD, '--json', '--errors-file', errors], { stdin });
    expect({ code: result.code, unknown: reportOf(result).summary.unknown }).toEqual({ code: 4, unknown: 2 });
    expect(existsSync(errors)).toBe(false);
  });

  it('has no key in its messages, not even if the list has it in a cell', async () => {
    const errors = cli.file('errors.csv');
    const { run } = await cli.scripted([]);
    const stdin = `userId,role,isActive\nusr_1,member,${API_KEY}\n`;
    expect((await run([...ADD, '--errors-file', errors], { stdin })).code).toBe(2);
    expect(readFileSync(errors, 'utf8')).toContain(`\nusr_1,member,,${API_KEY},,2,"isActive: ""***"" `);
  });

  it('is not written if there is no row to fix, and an earlier file is moved away', async () => {
    const errors = cli.file('errors.csv');
    const list = 'userId,role\nusr_1,member\n';
    expect((await checkList(errors, list)).code).toBe(0);
    expect(existsSync(errors)).toBe(false);
    writeFileSync(errors, 'corrected');
    await checkList(errors, list);
    expect([existsSync(errors), readFileSync(`${errors}.bak`, 'utf8')]).toEqual([false, 'corrected']);
  });

  it('replaces no file that someone may have edited, and is written to the target of a link', async () => {
    mkdirSync(cli.file('real'));
    const target = cli.file('real/errors.csv');
    writeFileSync(target, 'corrected');
    symlinkSync(target, cli.file('link.csv'));
    const list = 'userId,role\nusr_1,\n';
    for (let time = 0; time < 2; time++) await checkList(cli.file('link.csv'), list);
    expect(readdirSync(cli.file('real'))).toEqual(['errors.csv', 'errors.csv.bak']);
    writeFileSync(target, 'corrected again');
    await checkList(cli.file('link.csv'), list);
    const contents = ['errors.csv.bak', 'errors.csv.bak2', 'errors.csv'].map((name) =>
      readFileSync(cli.file(`real/${name}`), 'utf8'),
    );
    expect(contents).toEqual(['corrected', 'corrected again', expect.stringContaining('\nusr_1,,,,,2,role ')]);
  });

  it('has only the invalid rows of a list that is rejected, which orgadm says', async () => {
    const errors = cli.file('errors.csv');
    const { code, stderr } = await checkList(errors, 'userId,role\nusr_1,\nusr_2,member\n');
    expect(code).toBe(2);
    expect(readFileSync(errors, 'utf8')).toMatch(/,error\nusr_1,,,,,2,role .*\n$/);
    expect(stderr).toContain('That file does not have the other row, which --invalid skip sends from the list.\n');
  });
});

describe('an errors file that cannot be written', () => {
  /** A service that rejects usr_2, and removes the folder of the errors file. */
  async function losing(folder: string, whenAsked = () => {}) {
    mkdirSync(folder);
    writeFileSync(cli.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
    const adds = addsMembers({ rejected: { usr_2: 'not found' } });
    return cli.scripted((request, response) => {
      rmSync(folder, { recursive: true, force: true });
      whenAsked();
      return adds(request, response);
    });
  }

  it('does not affect the report, and runs show writes it', async () => {
    const folder = cli.file('out');
    const { service, run } = await losing(folder);
    const argv = ['people', 'bulk-add', cli.file('list.csv'), '--json', '--errors-file', `${folder}/errors.csv`];
    const result = await run(argv);
    expect({ code: result.code, error: errorOf(result).code }).toEqual({ code: 1, error: 'errors-file-failed' });
    expect(reportOf(result).summary).toMatchObject({ total: 3, created: 2, failed: 1, stopped: null });
    const [, id = ''] = /orgadm runs show ([0-9a-f]{8}) --errors-file <file>/.exec(result.stderr) ?? [];
    expect((await run(['runs', 'show', id, '--errors-file', cli.file('errors.csv')])).code).toBe(0);
    expect(readFileSync(cli.file('errors.csv'), 'utf8')).toBe(`${HEADER}usr_2,member,,,,3,not found\n`);
    expect(service.requests).toHaveLength(1);
  });

  it('is named if a signal has ended the run', async () => {
    const signals = new EventEmitter();
    const { run } = await losing(cli.file('out'), () => signals.emit('signal', 'SIGINT'));
    const argv = ['people', 'bulk-add', cli.file('list.csv'), '--batch-size', '2'];
    const { code, stderr } = await run([...argv, '--errors-file', cli.file('out/errors.csv')], { signals });
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringMatching(/^warning: --errors-file: /m) });
  });
});

describe('the path of an errors file', () => {
  const CONTENTS = {
    'list.csv': 'userId,role\na@example.com,member\n',
    'ids.csv': 'email,id\na@example.com,usr_1\n',
    'mapping.csv': '{}',
    'key.csv': 'key_1234567890',
  };

  it.each<[what: string, name: string, optionsOf?: (file: string) => string[]]>([
    ['the list itself', 'list.csv'],
    ['the list by a link', 'soft.csv'],
    ['the list by another name', 'hard.csv'],
    ['the second list', 'ids.csv', (file) => ['--lookup', `${file}:email=id`]],
    ['the mapping file', 'mapping.csv', (file) => ['--mapping', file]],
    ['the key file', 'key.csv', (file) => ['--key-file', file]],
    ['a folder', 'folder'],
    ['a file in a folder that does not exist', 'none/errors.csv'],
    ['a name under which orgadm would not read CSV', 'errors.json'],
  ])('is rejected before anything is sent, and nothing changes: %s', async (_, name, optionsOf = () => []) => {
    for (const [file, content] of Object.entries(CONTENTS)) writeFileSync(cli.file(file), content, { mode: 0o600 });
    symlinkSync(cli.file('list.csv'), cli.file('soft.csv'));
    linkSync(cli.file('list.csv'), cli.file('hard.csv'));
    mkdirSync(cli.file('folder'));
    const before = readdirSync(cli.file(''));
    const { service, run } = await cli.scripted([]);
    const errors = cli.file(name);
    const argv = ['people', 'bulk-add', cli.file('list.csv'), ...optionsOf(errors), '--errors-file', errors];
    const { code, stderr } = await run(argv);
    expect({ code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(/^error: --errors-file/);
    expect(readdirSync(cli.file('')).filter((file) => file !== 'state')).toEqual(before);
    for (const [file, content] of Object.entries(CONTENTS)) expect(readFileSync(cli.file(file), 'utf8')).toBe(content);
  });
});

describe('an errors file that nobody has fixed', () => {
  const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
  const struck = (content: string) => text(content).replace('<c', '<c s="1"');

  /** A workbook with one person, and a row of these cells below. */
  function team(cells: string, attributes = ''): Buffer {
    const header = `<row>${['userId', 'role', 'department', 'isActive'].map(text).join('')}</row>`;
    const person = `<row>${['101', 'employee', 'it', 'true'].map(text).join('')}</row>`;
    const data = `${header}${person}<row${attributes}>${cells}</row>`;
    return workbook([{ name: 'Team', data }], { font: '<strike/>' });
  }
  const [ID, ROLE, UNIT, STATUS] = [text('102'), text('employee'), text('it'), text('true')];

  it.each<[sees: string, name: string, list: string | Buffer]>([
    ['a hidden row', 'a.xlsx', team(ID + ROLE + UNIT + STATUS, ' hidden="1"')],
    ['a person who is struck out', 'a.xlsx', team(struck('102') + struck('employee') + UNIT + STATUS)],
    ['a department that is struck out', 'a.xlsx', team(ID + ROLE + struck('it') + STATUS)],
    ['a status that is struck out', 'a.xlsx', team(ID + ROLE + UNIT + struck('true'))],
    ['a comma in a name', 'a.csv', 'userId,role,department\nu1,employee,it\nu2,employee,Chen, Bo\n'],
    ['a row that ends before the role', 'a.csv', 'userId,department,role\nu1,it,admin\nu2,it\n'],
    ['a quote that nobody has closed', 'a.csv', 'userId,role,department\nu1,m,"it\nu2,m,hr\nu3,m,x"\nu4,m,it\n'],
    ['an ID that Excel has shortened', 'a.csv', 'userId,role\nu1,employee\n1.08E+20,employee\n'],
    ['an ID that is not exact', 'a.json', '[{"userId":"u1","role":"m"},{"userId":9007199254740993,"role":"m"}]'],
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
