import { describe, expect, it } from 'vitest';
import { findCommand, optionsInReach, readArgv } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { OrgadmCommand } from '../../src/commands/orgadm-command.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';
import { textLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();
/** Any hint: main.test.ts has the words. */
const EMPTY = '…';

async function commandNamed(...path: string[]): Promise<OrgadmCommand> {
  const program = createProgram({ argv: readArgv([]), show: () => {} }, () => {
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

/** Options that must not be read as values. */
const INSTEAD = ['--dry-run', '--x', '--', '-q', '-h', '-qr', '-rq', '-ojson', '-q=', '-hx'];

describe('the command table', () => {
  it('has no option with an optional value, which would be ambiguous', async () => {
    for (const { name } of COMMANDS) {
      const command = await commandNamed(...name.split(' '));
      expect(optionsInReach(command).filter((option) => option.optional)).toEqual([]);
    }
  });
});

describe.each([
  { line: ['role', 'update', 'rol_1'], flags: ['--name'], help: 'orgadm role update --help' },
  { line: ['api', 'GET', 'v1/x'], flags: ['--field', '-f'], help: 'orgadm api --help' },
  { line: ['people', 'template'], flags: ['--output', '-o'], help: 'orgadm help options' },
])('an option of $line that takes a value', ({ line, flags, help }) => {
  const [long = ''] = flags;

  it('rejects an option instead of the value: long, short, combined or with its value', async () => {
    for (const flag of flags) {
      for (const instead of INSTEAD) {
        expectRejected(
          await cli.plain([...line, flag, instead]),
          `${flag} needs a value; if the value is ${instead}, write ${long}=${instead}`,
        );
      }
    }
  });

  it('rejects an empty value, and a missing one at the end of the line', async () => {
    for (const flag of flags) {
      expectRejected(await cli.plain([...line, flag, '']), `${flag} …`, EMPTY);
      expectRejected(await cli.plain([...line, flag]), `${flag} …`, `… ${help} …`);
    }
    expectRejected(await cli.plain([...line, `${long}=`]), `${long} must not be empty`, EMPTY);
  });

  it('reports the error as one line of JSON if a JSON format follows', async () => {
    const { code, stdout, stderr } = await cli.plain([...line, long, '--json']);
    expect({ code, stdout, error: JSON.parse(stderr) }).toEqual({
      code: 2,
      stdout: '',
      error: {
        error: { code: 'usage', message: expect.stringContaining(`write ${long}=--json`) },
      },
    });
  });
});

/** Returns the options of a command line as its action receives them. */
async function parsedOptions(argv: readonly string[]): Promise<unknown> {
  let options: unknown;
  const program = createProgram({ argv: readArgv(argv), show: () => {} }, () => {
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

describe('a global option before the command', () => {
  it('rejects an option and an empty text as its value', async () => {
    for (const instead of ['--json', '-q']) {
      expectRejected(await cli.plain(['--profile', instead, 'people', 'template']), `--profile … --profile=${instead}`);
    }
    expectRejected(await cli.plain(['--profile', '', 'people', 'template']), '--profile …', EMPTY);
  });
});

describe('an option that is given twice with different values', () => {
  const IMPORT = ['people', 'bulk-add', 'list.xlsx'];

  it.each([
    [[...IMPORT, '--sheet', 'Berlin', '--sheet', 'Hamburg'], '--sheet has two values: Berlin and Hamburg'],
    [[...IMPORT, '--limit', '10', '--limit=20'], '--limit has …'],
    [[...IMPORT, '--format', 'csv', '--format', 'tsv'], '--format has …'],
    [[...IMPORT, '--mapping', 'a.json', '--mapping', 'b.json'], '--mapping has …'],
    [['findings', 'list', '--task', 'tsk_0001', '--exit-status', '--task', 'tsk_0002'], '--task has …'],
    [['role', 'update', 'rol_1', '--name', 'Auditor', '--name', 'Admin'], '--name has …'],
  ])('is rejected before anything is sent, because only one of them would count: %j', async (argv, message) => {
    const { service, run } = await cli.scripted([]);
    expectRejected(await run(argv), message, 'Keep one of them.');
    expect(service.requests).toEqual([]);
  });

  it.each([
    [['findings', 'list', '--all'], '--status', 'open', 'needs_revision'],
    [IMPORT, '--columns', 'userId', 'role,-'],
  ])('names the way to write several values: %j', async (argv, option, first, second) => {
    const result = await cli.plain([...argv, option, first, option, second]);
    const hint = `Put a comma between the values: ${option} ${first},${second}`;
    expectRejected(result, `${option} has two values: …`, hint);
  });

  it.each([
    ['the same value', ['people', 'bulk-add', 'list.csv', '--sheet', 'A', '--sheet', 'A']],
    ['a global option, of which the last one wins', ['people', 'bulk-add', 'list.csv', '-o', 'csv', '-o', 'table']],
    ['a repeatable option', ['people', 'bulk-add', 'list.csv', '--omit', 'department', '--omit', 'isActive']],
  ])('is accepted if it is %s', async (_, argv) => {
    expect((await cli.sandbox(argv)).stderr).toMatch(/^error: .* list\.csv\n/);
  });
});

describe('other spellings of options', () => {
  it.each([
    { words: ['-qo', '--json'], value: '--json' },
    { words: ['-rq', '-qo', '-q'], value: '-q' },
  ])('rejects combined short options of which the last one lacks its value: $words', async ({ words, value }) => {
    const { code, stderr } = await cli.plain(['people', 'template', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(value);
  });

  it.each([
    [['-qojson']],
    [['-qo', 'json']],
    [['-ojson']],
    [['-o', 'json']],
    [['--output=json']],
    [['-o', 'csv', '-o', 'json']],
  ])('select JSON for the data and for an error before the options are parsed: %j', async (options) => {
    expect(JSON.parse((await cli.plain(['people', 'template', ...options])).stdout)).toHaveLength(2);
    expect(JSON.parse((await cli.plain(['peple', ...options])).stderr)).toMatchObject({ error: { code: 'usage' } });
  });

  it('reads an option of another command as a value', async () => {
    const { code, stdout } = await cli.plain(['role', 'update', 'rol_1', '--name', '-f', '--dry-run']);
    expect({ code, name: JSON.parse(stdout).body.name }).toEqual({ code: 0, name: '-f' });
  });
});

describe('positional arguments', () => {
  it.each([
    [['role', 'update', '', '--name', 'QA'], 'update'],
    [['domain', 'status', 'trust.example.com', ''], 'trust.example.com'],
    [['config', 'set', 'timeout', ''], 'timeout'],
    [['api', 'DELETE', '--', ''], '--'],
  ])('rejects an empty argument: %j', async (argv, before) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(argv), `… ${before} …`, EMPTY);
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
    expect(stderr).toContain(` --name=${options[0]}`);
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
