import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from './helpers/service-run.ts';

const cli = createCommandRunner();
const HELP = 'Run orgadm role update --help for the options.';

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('names every command with %j', async (argv) => {
    const { code, stdout, stderr } = await cli.plain(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\nUSAGE\n  orgadm <command> [options]\n');
    for (const noun of ['role', 'people', 'domain', 'findings', 'sandbox']) expect(stdout).toMatch(`\n  ${noun} `);
  });

  it.each([
    { noun: 'role', verbs: ['update'] },
    { noun: 'people', verbs: ['bulk-add', 'template'] },
    { noun: 'domain', verbs: ['status'] },
    { noun: 'findings', verbs: ['list'] },
    { noun: 'sandbox', verbs: ['serve', 'reset'] },
  ])('lists for $noun, with --help or alone, the commands $verbs', async ({ noun, verbs }) => {
    const { code, stdout } = await cli.plain([noun, '--help']);
    expect(code).toBe(0);
    expect(await cli.plain([noun])).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(await cli.plain([noun, '--json'])).toMatchObject({ code: 0, stdout, stderr: '' });
    for (const verb of verbs) expect(stdout).toMatch(new RegExp(`\\n {2}${verb} `));
  });

  it.each([
    { words: ['role', 'update'], option: '--permission <resource=actions>' },
    { words: ['people', 'bulk-add'], option: '--errors-file <file>' },
    { words: ['people', 'template'], option: '--full' },
    { words: ['domain', 'status'], option: '--exit-status' },
    { words: ['findings', 'list'], option: 'tabletop-exercise' },
    { words: ['sandbox', 'serve'], option: '--port <port>' },
    { words: ['sandbox', 'reset'], option: 'orgadm sandbox reset' },
  ])('shows for $words examples and the options, in all spellings', async ({ words, option }) => {
    const { code, stdout } = await cli.plain([...words, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`\nUSAGE\n  orgadm ${words.join(' ')}`);
    expect(stdout).toContain(option);
    expect(stdout).toContain('\nEXAMPLES\n');
    expect((await cli.plain(['help', ...words])).stdout).toBe(stdout);
    const [noun = '', verb = ''] = words;
    expect((await cli.plain([noun, 'help', verb])).stdout).toBe(stdout);
  });

  it('offers no option that takes a key as its value', async () => {
    expect((await cli.plain(['--help'])).stdout).not.toMatch(/--(api-)?key[ =]/);
  });

  it('ignores invalid settings', async () => {
    const env = { ORGADM_BASE_URL: 'nonsense', ORGADM_TIMEOUT: 'soon' };
    expect((await cli.plain(['role', 'update', '--help'], { env })).code).toBe(0);
  });
});

describe('--version', () => {
  it.each(['--version', '-V', 'version'])('%s prints the version and nothing else', async (flag) => {
    const { code, stdout, stderr } = await cli.plain([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['peple'], "unknown command 'peple'", 'Did you mean people?'],
    [['people', 'bulk-ad'], "unknown command 'bulk-ad'", 'Did you mean bulk-add?'],
    [['role', 'delete'], "unknown command 'delete'", 'Run orgadm role --help for the commands.'],
    [['frobnicate'], "unknown command 'frobnicate'", 'Run orgadm --help for the commands.'],
    [['role', 'update', 'rol_1', '--nmae', 'QA'], "unknown option '--nmae'", 'Did you mean --name?'],
    [['role', 'update', 'rol_1', '--name'], '--name needs a value', HELP],
    [['role', 'update', 'rol_1', '--zyxw'], "unknown option '--zyxw'", HELP],
    [['--zyxw'], "unknown option '--zyxw'", 'Run orgadm help options for the options.'],
    [['people', 'bulk-add'], "missing required argument 'file'", 'Usage: orgadm people bulk-add <file> [options]'],
    [['domain', 'status', 'a.test', '--sandboxx'], "unknown option '--sandboxx'", 'Did you mean --sandbox?'],
  ])('is rejected with what to type instead: %j', async (argv: string[], message: string, hint: string) => {
    expectUsageError(await cli.plain(argv), message, hint);
  });

  it.each([
    { how: '--json', argv: ['--json'], env: {} },
    { how: '-o json', argv: ['-o', 'json'], env: {} },
    { how: '-ojson', argv: ['-ojson'], env: {} },
    { how: '--output=json', argv: ['--output=json'], env: {} },
    { how: '-o ndjson', argv: ['-o', 'ndjson'], env: {} },
    { how: 'ORGADM_OUTPUT=json', argv: [], env: { ORGADM_OUTPUT: 'json' } },
  ])('is one line of JSON under $how, before and after the words', async ({ argv, env }) => {
    for (const line of [
      [...argv, 'role', 'update', 'rol_1', '--nmae', 'QA'],
      ['role', 'update', 'rol_1', '--nmae', 'QA', ...argv],
    ]) {
      const { code, stdout, stderr } = await cli.plain(line, { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(
        `{"error":{"code":"usage","message":"unknown option '--nmae'","hint":"Did you mean --name?"}}\n`,
      );
    }
  });

  it('prints text if -o json follows --, where it is not an option', async () => {
    const { code, stderr } = await cli.plain(['peple', '--', '--json']);
    expect({ code, stderr: stderr.slice(0, 7) }).toEqual({ code: 2, stderr: 'error: ' });
  });
});

describe('the output format', () => {
  const TEMPLATE = ['people', 'template'];
  const FORMATS = 'Allowed: table, json, ndjson, csv, markdown.';

  it.each([
    [['-o', 'xml'], {}, '--output: "xml" is not allowed', 'Allowed: table, json, ndjson, csv, markdown.'],
    [
      ['-o', 'JSON'],
      {},
      '--output: "JSON" is not allowed',
      'Did you mean json? Allowed: table, json, ndjson, csv, markdown.',
    ],
    [[], { ORGADM_OUTPUT: 'yaml' }, 'ORGADM_OUTPUT: "yaml" is not allowed', FORMATS],
  ])('rejects the options %j with the environment %j', async (argv, env, message, hint) => {
    expectUsageError(await cli.plain([...TEMPLATE, ...argv], { env }), message, hint);
  });

  it('rejects two different formats, as JSON', async () => {
    const { code, stdout, stderr } = await cli.plain([...TEMPLATE, '--json', '-o', 'csv']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: '--json cannot be used with --output csv' },
    });
  });

  it('prefers the flag to the environment', async () => {
    const env = { ORGADM_OUTPUT: 'json' };
    expect((await cli.plain([...TEMPLATE, '-o', 'csv'], { env })).stdout).toMatch(/^userId,role/);
    expect((await cli.plain([...TEMPLATE, '--json', '-o', 'json'])).code).toBe(0);
    expect((await cli.plain(TEMPLATE, { env })).stdout).toMatch(/^\[/);
  });
});

describe('an error', () => {
  it('shows its cause and stack under --debug only', async () => {
    const argv = ['role', 'update', 'rol_1', '--name', 'Q'];
    expect((await cli.plain(argv)).stderr).not.toContain('at ');
    expect((await cli.plain([...argv, '--debug'])).stderr).toMatch(/\n +at /);
    const { stderr } = await cli.plain([...argv, '--debug', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { stack: expect.stringContaining('at ') } });
  });

  it('contains no control characters of the command line', async () => {
    const { code, stderr } = await cli.plain(['domain', 'status', 'a\u001b[2Jb\u202e.test']);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('goes to standard error even under --quiet', async () => {
    const file = cli.file('key');
    writeFileSync(file, ' \n');
    const { code, stderr } = await cli.plain(['findings', 'list', '--all', '--quiet', '--key-file', file]);
    expect(code).toBe(2);
    expect(stderr).toBe(`error: --key-file: ${file} is empty\n`);
  });
});
