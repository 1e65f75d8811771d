import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';

const cli = createCommandRunner();

async function helpOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.plain([...args, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The headings of a help text, in their order. */
const headings = (help: string) => help.match(/^[A-Z].*:$/gm);

describe('help', () => {
  it('of the whole fits a screen, commands first', async () => {
    const help = await helpOf();
    expect(help.split('\n').length).toBeLessThanOrEqual(40);
    expect(headings(help)).toEqual([
      'Commands:',
      'Global options (orgadm help options):',
      'Try it without an account:',
      'More help:',
    ]);
  });

  it('of a noun has its verbs first and names the global options', async () => {
    const help = await helpOf('people');
    expect(headings(help)).toEqual(['Commands:', 'Options:', 'Global options (orgadm help options):']);
    expect(help).toMatch(/\n {2}bulk-add {4}Import members from a file/);
    expect(help).toMatch(/--profile, --base-url, /);
  });

  it('of a command has its own options first, then the global ones by what they are about', async () => {
    expect(headings(await helpOf('people', 'bulk-add'))?.slice(0, 8)).toEqual([
      'Arguments:',
      'The list:',
      'Sending:',
      'Report and journal:',
      'Options:',
      'Global options, the service:',
      'Global options, the sandbox:',
      'Global options, the output:',
    ]);
  });

  it('tells the values that are taken, before what is usual', async () => {
    const help = (await helpOf('people', 'bulk-add')).replace(/\n {20,}/g, ' ');
    expect(help).toContain('how the list is written: csv, tsv, json, ndjson (default: by name and content)');
    expect(help).toContain('output format: table, json, ndjson, csv (ORGADM_OUTPUT; default: table)');
  });

  it.each([60, 80, 200])('breaks its own lines at a terminal of %d columns, at 100 at most', async (columns) => {
    const { stdout } = await cli.plain(['help', 'options'], { columns });
    const piped = await cli.plain(['--help'], { columns });
    const options = stdout + piped.stdout.split('Try it')[0];
    expect(Math.max(...options.split('\n').map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns, 100));
  });

  it('lists what the sandbox can be made to do', async () => {
    const help = await helpOf('sandbox', 'serve');
    for (const name of [
      'reset-after',
      '100/min:bucket:none',
      'seed',
      'index-base: 0, 1',
      'error-shape: nest, problem',
    ]) {
      expect(help).toContain(name);
    }
  });
});

describe('orgadm help', () => {
  it.each([
    ['exit-codes', '  3  completed, but not all of it as asked'],
    ['environment', 'ORGADM_STATE_DIR'],
    ['output', '--jq <filter>'],
    ['options', '--ca-cert <file>'],
  ])('%s', async (topic, text) => {
    const { code, stdout, stderr } = await cli.plain(['help', topic]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  });

  it.each([
    [['role', 'update'], 'Usage: orgadm role update [options] <role-id>'],
    [['config'], 'Usage: orgadm config [options] [command]'],
    [['api'], 'Usage: orgadm api [options] <method> <path>'],
    [['help'], 'Usage: orgadm help [options] [words...]'],
    [[], 'Usage: orgadm [options] [command]'],
  ])('%j is the help of that', async (args, usage) => {
    const { stdout } = await cli.plain(['help', ...args]);
    expect(stdout.split('\n')[0]).toBe(usage);
  });

  it('needs no settings and no filter, and is text in every format', async () => {
    const env = { ORGADM_OUTPUT: 'nonsense', ORGADM_CONFIG_DIR: '/dev/null' };
    expect((await cli.plain(['help', 'exit-codes'], { env })).code).toBe(0);
    expect((await cli.plain(['help', 'exit-codes', '--json'])).stdout).toMatch(/^ {2}0 {2}success/);
  });

  it.each([
    [['exit-code'], 'no help for "exit-code"', 'Did you mean exit-codes?'],
    [['people', 'bulk-ad'], "unknown command 'bulk-ad'", 'Did you mean bulk-add?'],
    [
      ['frobnicate'],
      'no help for "frobnicate"',
      'Known: role, people, domain, findings, auth, config, sandbox, api, schema, completion, help, options, output, environment, exit-codes.',
    ],
  ])('%j is on nothing', async (args, message, hint) => {
    expectUsageError(await cli.plain(['help', ...args]), message, hint);
  });
});

describe('a word that is misspelt', () => {
  it.each([
    [['shcema'], "unknown command 'shcema'", 'Did you mean schema?'],
    [['sandbox', 'serv'], "unknown command 'serv'", 'Did you mean serve?'],
    [['config', 'gett', 'x'], "unknown command 'gett'", 'Did you mean get?'],
    [['people', 'template', '--outptu', 'csv'], "unknown option '--outptu'", 'Did you mean --output?'],
    [
      ['findings', 'list', '--scope', 'poeple'],
      '--scope: "poeple" is not allowed',
      'Did you mean people? Allowed: people, people_tasks, people_devices, people_chart.',
    ],
    [
      ['people', 'bulk-add', '-', '--format', 'ndjsn'],
      '--format: "ndjsn" is not allowed',
      'Did you mean ndjson? Allowed: csv, tsv, json, ndjson.',
    ],
  ])('%j names the nearest', async (argv, message, hint) => {
    expectUsageError(await cli.plain(argv), message, hint);
  });
});
