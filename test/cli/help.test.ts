import { describe, expect, it } from 'vitest';
import { COMMANDS, NOUNS } from '../../src/cli/command-table.ts';
import { findCommand, TOPICS } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const unused = () => {
  throw new Error('no command runs here');
};

async function helpOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.plain([...args, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The headings of a help text, in their order. */
const headings = (help: string) => help.match(/^[A-Z][a-z ]+:(?=$| orgadm)/gm);

describe('the help of the program', () => {
  it('lists every command with its noun, the global options, and the topics', async () => {
    const help = await helpOf();
    expect(headings(help)).toEqual([
      ...['Usage:', 'Options:', 'Service options:', 'Sandbox options:', 'Output options:', 'Commands:', 'Examples:'],
      ...['Help topics:', 'Exit codes:'],
    ]);
    expect(help).toMatch(/\n {2}people bulk-add +Import members from a file/);
    expect(help).toContain('\n  --base-url <url> ');
  });

  it('is the same page by each way to ask for it', async () => {
    const page = await helpOf();
    for (const argv of [[], ['-h'], ['help']]) expect((await cli.plain(argv)).stdout).toBe(page);
  });
});

describe('the help of a noun', () => {
  it.each([
    { noun: 'role', verbs: ['update'] },
    { noun: 'people', verbs: ['bulk-add', 'template'] },
    { noun: 'domain', verbs: ['status'] },
    { noun: 'findings', verbs: ['list'] },
    { noun: 'sandbox', verbs: ['serve', 'reset'] },
  ])('lists its commands, with --help and alone: $noun', async ({ noun, verbs }) => {
    const { code, stdout } = await cli.plain([noun, '--help']);
    expect(code).toBe(0);
    expect(await cli.plain([noun])).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(await cli.plain([noun, '--json'])).toMatchObject({ code: 0, stdout, stderr: '' });
    for (const verb of verbs) expect(stdout).toMatch(new RegExp(`\\n {2}${noun} ${verb} `));
  });
});

describe('the help of a command', () => {
  it('has the usage, then the arguments, the options by groups, and examples', async () => {
    const help = await helpOf('people', 'bulk-add');
    expect(help).toMatch(/^Usage: orgadm people bulk-add <file> \[options\]\n/);
    expect(headings(help)?.slice(0, 3)).toEqual(['Usage:', 'Arguments:', 'List options:']);
    expect(headings(help)).toContain('Examples:');
  });

  it('has each option of people bulk-add', async () => {
    const page = await helpOf('people', 'bulk-add');
    const program = createProgram({ words: [], columns: 80, show: () => {} }, unused);
    const command = await findCommand(program, ['people', 'bulk-add']);
    const options = command?.options ?? [];
    expect(options.length).toBeGreaterThan(10);
    for (const { long } of options) expect(page).toContain(`\n  ${long} `);
  });

  it.each([
    ['role', 'update'],
    ['people', 'bulk-add'],
    ['runs', 'list'],
    ['runs', 'show'],
    ['runs', 'resume'],
  ])('describes its JSON in a sentence: %s %s', async (...words) => {
    const help = await helpOf(...words);
    expect(help).toMatch(/^JSON output: /m);
    expect(help).not.toMatch(/\{"\w+"[,}]/);
  });

  it('has bold headings where there is color', async () => {
    const { stdout } = await cli.plain(['role', 'update', '--help'], { env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('\u001b[1mExamples:\u001b[22m\n');
  });

  it('is the same page by each way to ask for it', async () => {
    const page = await helpOf('people', 'bulk-add');
    for (const argv of [
      ['help', 'people', 'bulk-add'],
      ['people', 'bulk-add', '-h'],
    ]) {
      expect((await cli.plain(argv)).stdout).toBe(page);
    }
  });

  it('has each example on one line, so that it can be pasted from a narrow terminal', async () => {
    const { stdout } = await cli.plain(['role', 'update', '--help'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(stdout).toContain(
      '\n  $ orgadm role update rol_custom_1 --permission control=read,update --permission risk=read --sandbox\n',
    );
  });
});

/** Whether a line fits, or holds an example or one word that is too long for any line. */
function fits(line: string, columns: number): boolean {
  return line.length <= columns || /^ *(?:(?:\$|#|orgadm) .*|\S+)$/.test(line);
}

describe('every page of the help', () => {
  const pages = [
    ['--help'],
    ...COMMANDS.map(({ name }) => [...name.split(' '), '--help']),
    ...Object.keys(NOUNS).map((noun) => [noun]),
    ...Object.keys(TOPICS).map((topic) => ['help', topic]),
  ];

  it.each([80, 200])('is wrapped at a terminal of %d columns, at 100 at most', async (columns) => {
    for (const page of pages) {
      const { stdout } = await cli.plain(page, { columns, env: { NO_COLOR: '1' } });
      const wide = stdout.split('\n').filter((line) => !fits(line, Math.min(columns, 100)));
      expect({ page, wide }).toEqual({ page, wide: [] });
      expect(stdout).toMatch(/\S\n$/);
      expect(stdout).not.toMatch(/\n{3}/);
    }
  });

  it.each(COMMANDS)('fits on 45 lines of 100 columns, or 65 for people bulk-add: $name', async ({ name }) => {
    const { stdout } = await cli.plain([...name.split(' '), '--help'], { columns: 100, env: { NO_COLOR: '1' } });
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(name === 'people bulk-add' ? 65 : 45);
  });
});

describe('help', () => {
  it('offers no option that takes a key as its value', async () => {
    expect(await helpOf()).not.toMatch(/--(api-)?key[ =]/);
  });

  it('lists the allowed values before the default', async () => {
    const options = (await helpOf()).replace(/\n {20,}/g, ' ');
    expect(options).toContain('output format: table, json, ndjson, csv (ORGADM_OUTPUT; default: table)');
  });

  it('lists the faults of the sandbox, and the roles and departments that it accepts', async () => {
    const help = await helpOf('sandbox', 'serve');
    for (const name of ['reset-after', '100/min', 'auditor, employee', 'none, admin, gov']) {
      expect(help).toContain(name);
    }
  });
});

describe('orgadm help', () => {
  it.each([
    ['exit-codes', '  3    partly completed'],
    ['environment', 'ORGADM_STATE_DIR'],
    ['settings', 'wire.findings.task'],
    ['output', '--jq <filter>'],
    ['output', 'rate-limited'],
  ])('prints the topic %s', async (topic, text) => {
    const { code, stdout, stderr } = await cli.plain(['help', topic]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  });

  it('needs no settings or filter, and prints text in every format', async () => {
    const env = { ORGADM_OUTPUT: 'nonsense', ORGADM_CONFIG_DIR: '/dev/null', ORGADM_TIMEOUT: 'soon' };
    expect((await cli.plain(['help', 'exit-codes'], { env })).code).toBe(0);
    expect((await cli.plain(['role', 'update', '--help'], { env })).code).toBe(0);
    expect((await cli.plain(['help', 'exit-codes', '--json'])).stdout).toMatch(/^ {2}0 {4}success/);
  });

  it.each([[['exit-code']], [['domian', 'status']], [['frobnicate']]])(
    'rejects the unknown topic %j',
    async (words) => {
      expectUsageError(
        await cli.plain(['help', ...words]),
        `unknown command or topic "${words.join(' ')}"`,
        '… --help for the commands. The topics are …',
      );
    },
  );
});
