import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
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

const BATCH_SIZE = 'For example: --batch-size 100';
const CONCURRENCY = 'For example: --concurrency 2';
const FIELDS = 'The fields are userId, role, department, isActive, deviceMgmtLabelId.';

describe('invalid options of people bulk-add', () => {
  it.each([
    [['--batch-size', '0'], '--batch-size must be an integer of at least 1 (got 0)', BATCH_SIZE],
    [['--concurrency', '65'], '--concurrency must be an integer from 1 to 64 (got 65)', CONCURRENCY],
    [['--request-lifetime', '10abc'], '--request-lifetime: "10abc" …', '…10s…'],
    [['--limit', '10abc'], '--limit must be an integer of at least 1 (got 10abc)', 'For example: --limit 10'],
    [
      ['--dry-run', '--restart'],
      "option '--dry-run' cannot be used with option '--restart'",
      '… orgadm people bulk-add --help …',
    ],
    [['--format', 'xlsx'], '--format: "xlsx" …', 'Allowed: csv, tsv, json, ndjson.'],
    [['--format', 'csv\r'], '--format: "csv<U+000D>" …', '…csv…'],
    [['--invalid', 'ignore'], '--invalid: "ignore" is not allowed', 'Allowed: abort, skip.'],
    [['--map', 'role'], '--map: "role" …', 'For example: --map role="Job title"'],
    [
      ['--map-value', 'isActive=ACTIVE=true'],
      '--map-value: "isActive=ACTIVE=true" … <field>:<from>=<to>',
      'For example: --map-value isActive:Suspended=false',
    ],
    [['--map', 'user=Login'], '--map: "user" is not a field', FIELDS],
    [['--map', 'userid=Login'], '--map: "userid" …', '…userId…'],
    [['b.csv'], 'orgadm imports one list at a time (unexpected: b.csv)', 'Import the lists one after the other.'],
    [['--map=role=A', '--map=role=B'], '--map: "role" is specified twice'],
    [['--delimiter=😀'], '--delimiter: "😀" is not a delimiter', 'Use a single character, or "tab".'],
    [['--default', 'role='], '--default: "role=" … <field>=<value>', 'For example: --default role=member'],
    [
      ['--default', 'userId=usr_1'],
      '--default userId: every row needs its own ID',
      'Name its column: --map userId=<column>',
    ],
    [
      ['--default', 'isActive=maybe', '--default', 'deviceMgmtLabelId=1.5'],
      '--default isActive: "maybe" …\n  --default deviceMgmtLabelId: "1.5" …',
    ],
    [
      ['--map-value', 'role:x=a\u200bb', '--map-value', 'isActive:y=maybe', '--map-value', 'isActive:z=maybe'],
      '--map-value role: "a<U+200B>b" …\n  --map-value isActive: "maybe" …',
    ],
    [['--key-file', '-'], 'the list and the key cannot both come from standard input'],
  ])('are rejected before anything is sent: %j', async (argv: string[], message: string, hint?: string) => {
    expectUsageError(await rejected(['-', ...argv]), message, hint);
  });
});

describe('an invalid list', () => {
  it.each<[what: string, stdin: string, message: RegExp]>([
    ['a missing column', 'userId,department\nusr_1,it\n', /^error: .* has no column for role\. .*:\n/],
    ['nothing at all', '', /^error: .* empty/],
    ['broken JSON', '[{"userId":"usr_1","role":"member"', /^error: standard input: /],
  ])('is rejected before anything is sent: %s', async (_, stdin, message) => {
    const result = await rejected(['-'], stdin);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
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
4,3,usr_3,invalid,"isActive: ""perhaps"" …; deviceMgmtLabelId: ""1.5"" …; role …"
5,4,usr_1,invalid,… userId …
`;

  it('is not sent, and all its errors are reported at once with line, field and value', async () => {
    const { code, stdout, stderr } = await rejected(['-', '-o', 'csv'], LIST);
    expect(code).toBe(2);
    expect(stdout).toMatch(textLike(ROWS.replace('3,2,', '2,1,usr_1,unsent,\n3,2,')));
    expect(stderr).toBe(
      'error: 3 rows are invalid; nothing was sent\nhint: Fix the list, or add --invalid skip to send the others. If rows share a user ID, orgadm sends only the first of them, and only if it is valid.\n',
    );
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
        stopped: { code: 'invalid-list', message: 'the list is invalid' },
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
    expectUsageError(
      await rejected([file, '--errors-file', file]),
      `--errors-file ${file}: that is the list itself`,
      'Choose another file, so that orgadm does not overwrite it.',
    );
  });

  it.each([
    ['--mapping', '{"columns":{"userId":"userId"}}'],
    ['--key-file', 'key_1234567890'],
  ])('is rejected if it is the file of %s, which stays as it is', async (option, content) => {
    const [list, file] = [cli.file('members.json'), cli.file('other.json')];
    writeFileSync(list, '[{"userId":"usr_1","role":"member"}]');
    writeFileSync(file, content, { mode: 0o600 });
    const result = await rejected([list, option, file, '--errors-file', file]);
    expect(result.stderr).toContain(`--errors-file ${file}: that is the file of ${option}`);
    expect({ code: result.code, kept: readFileSync(file, 'utf8') }).toEqual({ code: 2, kept: content });
  });

  it('is rejected if its directory does not exist', async () => {
    const file = cli.file('none/errors.csv');
    const result = await rejected(['-', '--errors-file', file]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`--errors-file: cannot write ${file}`);
    expect(result.stderr).toContain(
      `hint: The folder ${cli.file('none')} does not exist. Create it, or choose another file.`,
    );
  });
});
