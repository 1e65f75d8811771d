import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { findCommand } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { OrgadmCommand } from '../../src/commands/orgadm-command.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';
import { textLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();
/** Any hint: main.test.ts has the words. */
const EMPTY = '…';

async function commandNamed(...path: string[]): Promise<OrgadmCommand> {
  const program = createProgram({ words: [], columns: 80, show: () => {} }, () => {
    throw new Error('no command runs here');
  });
  const command = await findCommand(program, path);
  if (command === undefined) throw new Error(`there is no command ${path.join(' ')}`);
  return command;
}

/** A usage error, as text or, next to --jq or --json, as JSON. */
function expectRejected({ code, stdout, stderr }: CliResult, message: string, hint?: string): void {
  const text = [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`])].join('\n');
  const json = JSON.stringify({ error: { code: 'usage', message, hint } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(textLike(`${stderr.startsWith('{') ? json : text}\n`));
}

describe('the command table', () => {
  it('has no option with an optional value, which would be ambiguous', async () => {
    for (const { name } of COMMANDS) {
      const command = await commandNamed(...name.split(' '));
      expect([...command.options, ...(command.parent?.options ?? [])].filter((option) => option.optional)).toEqual([]);
    }
  });
});

describe.each([
  { line: ['role', 'update', 'rol_1'], flags: ['--name'] },
  { line: ['api', 'GET', 'v1/x'], flags: ['--field', '-f'] },
  { line: ['people', 'template'], flags: ['--profile'] },
])('an option of $line that takes a value', ({ line, flags }) => {
  const [long = ''] = flags;

  it('rejects another option instead of the value', async () => {
    for (const flag of flags) {
      expectRejected(
        await cli.plain([...line, flag, '--dry-run']),
        `${long} needs a value`,
        `Write it as …${long} <…>. If the value is --dry-run, write ${long}=--dry-run.`,
      );
    }
  });

  it('rejects an empty value, and a missing one at the end of the line', async () => {
    for (const flag of flags) {
      expectRejected(await cli.plain([...line, flag, '']), `${long} must not be empty`, EMPTY);
      expectRejected(await cli.plain([...line, flag]), '… argument missing', EMPTY);
    }
    expectRejected(await cli.plain([...line, `${long}=`]), `${long} must not be empty`, EMPTY);
  });

  it('reports the error as one line of JSON if a JSON format follows', async () => {
    const { code, stdout, stderr } = await cli.plain([...line, `${long}=`, '--json']);
    expect({ code, stdout, error: JSON.parse(stderr) }).toMatchObject({
      code: 2,
      stdout: '',
      error: { error: { code: 'usage', message: `${long} must not be empty` } },
    });
  });
});

/** Returns the options of a command line as its action receives them. */
async function parsedOptions(argv: readonly string[]): Promise<unknown> {
  let options: unknown;
  const program = createProgram({ words: argv, columns: 80, show: () => {} }, () => {
    throw new Error('no command runs here');
  }).hook('preAction', (_, command) => {
    options = command.optsWithGlobals();
    throw new Error('the options are known');
  });
  await expect(program.parseAsync(argv, { from: 'user' })).rejects.toThrow('the options are known');
  return options;
}

describe('the value of an option', () => {
  it.each(['--dry-run', '-o', '--', '-', '-severity', 'a=b', ' '])(
    'may be anything after an equals sign: %j',
    async (value) => {
      const argv = [`--profile=${value}`, 'findings', 'list', `--status=${value}`];
      expect(await parsedOptions(argv)).toMatchObject({ profile: value, status: value });
    },
  );

  it.each(['-', '-severity', '-1', '-5', '-Q', 'a b'])('may be any other word: %j', async (value) => {
    const argv = ['findings', 'list', '--status', value, '--profile', value];
    expect(await parsedOptions(argv)).toMatchObject({ profile: value, status: value });
  });
});

describe('an option that is given twice with different values', () => {
  const IMPORT = ['people', 'bulk-add', 'list.xlsx'];

  it.each([
    [[...IMPORT, '--sheet', 'Berlin', '--sheet', 'Hamburg'], '--sheet has two values'],
    [[...IMPORT, '--limit', '10', '--limit=20'], '--limit has two values'],
    [[...IMPORT, '--format', 'csv', '--format', 'json'], '--format has two values'],
    [[...IMPORT, '--mapping', 'a.json', '--mapping', 'b.json'], '--mapping has two values'],
    [['findings', 'list', '--task', 'tsk_0001', '--exit-status', '--task', 'tsk_0002'], '--task has two values'],
    [['role', 'update', 'rol_1', '--name', 'Auditor', '--name', 'Admin'], '--name has two values'],
    [['findings', 'list', '--all', '--profile', 'a', '--profile', 'b'], '--profile has two values'],
  ])('is rejected before anything is sent, because only one of them would count: %j', async (argv, message) => {
    const { service, run } = await cli.scripted([]);
    expectRejected(await run(argv), message, 'Keep one of them.');
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['the same value', ['people', 'bulk-add', 'list.csv', '--sheet', 'A', '--sheet', 'A']],
    ['a repeatable option', ['people', 'bulk-add', 'list.csv', '--map', 'department=', '--map', 'userId=Id']],
  ])('is accepted if it is %s', async (_, argv) => {
    expect((await cli.sandbox(argv)).stderr).toMatch(/^error: .* list\.csv\n/);
  });
});

describe('other spellings of options', () => {
  it.each([[['-qojson']], [['-qo', 'json']], [['-ojson']], [['-o', 'json']], [['--output=json']]])(
    'select JSON for the data and for an error before the options are parsed: %j',
    async (options) => {
      expect(JSON.parse((await cli.plain(['people', 'template', ...options])).stdout)).toHaveLength(2);
      expect(JSON.parse((await cli.plain(['peple', ...options])).stderr)).toMatchObject({ error: { code: 'usage' } });
    },
  );

  it('reads an option of another command as a value', async () => {
    const { code, stdout } = await cli.plain(['role', 'update', 'rol_1', '--name', '-f', '--dry-run']);
    expect({ code, name: JSON.parse(stdout).body.name }).toEqual({ code: 0, name: '-f' });
  });
});

describe('positional arguments', () => {
  it.each([
    [['role', 'update', '', '--name', 'QA'], 'role-id'],
    [['domain', 'status', 'trust.example.com', ''], 'domain'],
    [['config', 'set', 'timeout', ''], 'value'],
    [['api', 'DELETE', '--', ''], 'path'],
  ])('rejects an empty argument: %j', async (argv, name) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(argv), `<${name}> must not be empty`, EMPTY);
    expect(service.requests).toEqual([]);
  });

  it('may look like an option after --', async () => {
    const argv = ['role', 'update', '--name', 'QA', '--dry-run', '--', '--dry-run'];
    expect(JSON.parse((await cli.plain(argv)).stdout)).toMatchObject({ path: '/v1/roles/--dry-run' });
  });
});

describe('an empty shell variable', () => {
  it.each([[['--dry-run']], [['-qr', '--dry-run']], [['-ojson']]])('never renames a role to %j', async (options) => {
    const { service, run } = await cli.scripted([]);
    const argv = ['role', 'update', 'rol_1', '--name', ...options];
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('--name');
    expect(service.requests).toEqual([]);
  });
});

describe('an attached value that looks like an option', () => {
  it('is sent unchanged', async () => {
    const { service, run } = await cli.scripted([{ body: { id: 'rol_1', name: '--dry-run' } }]);
    expect((await run(['role', 'update', 'rol_1', '--name=--dry-run'])).code).toBe(0);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"name":"--dry-run"}']);
  });
});
