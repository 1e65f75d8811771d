import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const GOOD = 'userId,role\nusr_1,member\n';

/** Runs against a service that must not be asked for anything. */
async function rejected(argv: readonly string[], stdin = GOOD) {
  const { service, run } = await cli.scripted([]);
  const result = await run(['people', 'bulk-add', ...argv], { stdin });
  expect(service.requests).toEqual([]);
  return result;
}

describe('invalid options of people bulk-add', () => {
  it.each<[argv: string[], named: string]>([
    [['--batch-size', '0'], '--batch-size'],
    [['--concurrency', '65'], '--concurrency'],
    [['--request-lifetime', '10abc'], '--request-lifetime'],
    [['--limit', '10abc'], '--limit'],
    [['--dry-run', '--restart'], '--restart'],
    [['--format', 'yaml'], '--format'],
    [['--columns', 'a', '--header-row', '2'], '--columns'],
    [['--format', 'csv\r'], 'csv<U+000D>'],
    [['--invalid', 'ignore'], '--invalid'],
    [['--map', 'role'], '--map'],
    [['--map-value', 'role=ACTIVE=true'], '--map-value'],
    [['--map', 'user=Login'], '"user"'],
    [['--map', 'userid=Login'], '"userid"'],
    [['b.csv'], 'bulk-add'],
    [['--map=role=A', '--map=role=B'], '--map'],
    [['--delimiter=😀'], '--delimiter'],
    [['--default', 'role='], '--default'],
    [['--default', 'userId=usr_1'], '"userId"'],
    [['--map-value', 'role:x=a\u200bb'], 'a<U+200B>b'],
    [['--key-file', '-'], 'standard input'],
  ])('are rejected before anything is sent, with an error that names them: %j', async (argv, named) => {
    const result = await rejected(['-', ...argv]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: /);
    expect(result.stderr).toContain(named);
  });
});

describe('an invalid list', () => {
  it.each<[what: string, stdin: string]>([
    ['a missing column', 'userId,department\nusr_1,it\n'],
    ['nothing at all', ''],
    ['broken JSON', '[{"userId":"usr_1","role":"member"'],
  ])('is rejected before anything is sent: %s', async (_, stdin) => {
    const result = await rejected(['-'], stdin);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: /) });
  });

  it('is rejected if the file does not exist', async () => {
    const result = await rejected([cli.file('none.csv')]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(cli.file('none.csv'));
  });
});

describe('a list with invalid rows', () => {
  const LIST = `userId,role,isActive,deviceMgmtLabelId
usr_1,member,true,1
,member,true,
usr_3,,perhaps,1.5
usr_1,admin,false,
`;
  const ROWS = `line,entry,userId,state,message
3,2,,invalid,userId …
4,3,usr_3,invalid,"role …; isActive: ""perhaps"" …; deviceMgmtLabelId: ""1.5"" …"
5,4,usr_1,invalid,… userId …
`;

  it('is not sent, and all its errors are reported at once with line, field and value', async () => {
    const { code, stdout } = await rejected(['-', '-o', 'csv'], LIST);
    expect(code).toBe(2);
    expect(stdout).toMatch(textLike(ROWS.replace('3,2,', '2,1,usr_1,unsent,\n3,2,')));
  });

  it('is reported in the same way as one JSON document', async () => {
    const result = await rejected(['-', '--json'], LIST);
    expect(result.code).toBe(2);
    expect(result.json()).toMatchObject({
      summary: {
        total: 4,
        created: 0,
        invalid: 3,
        unsent: 1,
        stopped: { code: 'invalid-list' },
      },
      rows: [{ line: 2, state: 'unsent' }, { line: 3, userId: null, state: 'invalid' }, { line: 4 }, { line: 5 }],
      authType: null,
      authenticatedUser: null,
    });
  });
});

describe('an invalid path of the errors file', () => {
  it('is rejected if it is the list itself', async () => {
    const file = cli.file('members.csv');
    writeFileSync(file, GOOD);
    const result = await rejected([file, '--errors-file', file]);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`--errors-file ${file}`) });
    expect(readFileSync(file, 'utf8')).toBe(GOOD);
  });

  it.each([
    ['--mapping', '{"columns":{"userId":"userId"}}'],
    ['--key-file', 'key_1234567890'],
  ])('is rejected if it is the file of %s, which stays as it is', async (option, content) => {
    const [list, file] = [cli.file('members.json'), cli.file('other.json')];
    writeFileSync(list, '[{"userId":"usr_1","role":"member"}]');
    writeFileSync(file, content, { mode: 0o600 });
    const result = await rejected([list, option, file, '--errors-file', file]);
    expect(result.stderr).toMatch(new RegExp(`--errors-file ${file}.*${option}`));
    expect({ code: result.code, kept: readFileSync(file, 'utf8') }).toEqual({ code: 2, kept: content });
  });

  it('is rejected if its directory does not exist', async () => {
    const file = cli.file('none/errors.csv');
    const result = await rejected(['-', '--errors-file', file]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(file);
    expect(result.stderr).toContain(`${cli.file('none')} `);
  });
});
