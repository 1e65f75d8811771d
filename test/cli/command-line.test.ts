import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { textLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();

const FINDINGS = ['findings', 'list', '--all'];
const IMPORT = ['people', 'bulk-add', 'test/fixtures/members.csv'];
const ROLE = ['role', 'update', 'rol_1'];
const DOMAIN = ['domain', 'status', 'a.test'];
const DURATION = 'Use a number with a unit, such as 10s, 15m, or 2h.';
const COUNT = 'Use a whole number, such as 4.';

/** A command line, the message, and the hint, or undefined for none. In both, `…` stands for any words. */
type Rejected = [argv: readonly string[], message: string, hint: string | undefined, env?: Record<string, string>];

// biome-ignore format: tables
const REJECTED: Readonly<Record<string, readonly Rejected[]>> = {
  'a name that orgadm does not know': [
    [['peple'], "unknown command 'peple'", 'Did you mean people?'],
    [['people', 'bulk-ad'], "… 'bulk-ad'", '… bulk-add?'],
    [['frobnicate'], "… 'frobnicate'", 'See orgadm --help.'],
    [['people', 'remove', 'usr_1'], "… 'remove'", 'See orgadm people --help.'],
    [['help', 'domian', 'status'], 'unknown command or topic "domian status"', '… --help for the commands. The topics are …'],
    [[...ROLE, '--nmae', 'QA'], "unknown option '--nmae'", 'Did you mean --name?'],
    [[...ROLE, '--zyxw'], "… '--zyxw'", 'See orgadm role update --help.'],
    [['--sandbx', ...FINDINGS], "… '--sandbx'", '… --sandbox?'],
    [['--zyxw'], "… '--zyxw'", 'See orgadm --help.'],
    [['auth', 'login', '--token=SECRET'], "… '--token'", 'See orgadm auth login --help.'],
    [['findings', 'list', '--scope', 'poeple'], '--scope: "poeple" is not allowed', 'Allowed: people, …'],
    [['people', 'template', '-o', 'xml'], '--output: "xml" …', 'Allowed: table, json, ndjson, csv.'],
    [['people', 'template'], 'ORGADM_OUTPUT: "yaml" …', 'Allowed: table, …', { ORGADM_OUTPUT: 'yaml' }],
    [['completion', 'tcsh'], 'completion: "tcsh" …', 'Allowed: bash, zsh, fish.'],
  ],
  'a value or argument that is missing or empty': [
    [[...ROLE, '--name'], "option '--name <name>' argument missing", '…'],
    [[...ROLE, '--name', ''], '--name must not be empty', '…'],
    [[...ROLE, '--name='], '--name …', '…'],
    [['people', 'template', '--profile', ''], '--profile …', '…'],
    [['api', 'GET', 'v1/x', '-f', ''], '--field …', '…'],
    [['people', 'bulk-add'], "missing required argument 'file'", '…'],
    [['role', 'update', '', '--name', 'QA'], '<role-id> …', '…'],
    [['domain', 'status', 'a.test', ''], '<domain> …', '…'],
    [['config', 'set', 'timeout', ''], '<value> …', '…'],
    [['api', 'DELETE', '--', ''], '<path> …', '…'],
    [['api', 'GET', 'v1/a', 'v1/b'], 'too many arguments …', '…'],
  ],
  'an option in place of a value, as after an empty variable': [
    [[...ROLE, '--name', '--dry-run'], '--name needs a value', 'Write it as …--name <…>. If the value is --dry-run, write --name=--dry-run.'],
    [[...ROLE, '--name', '-qr', '--dry-run'], '--name …', '…'],
    [[...ROLE, '--name', '-ojson'], '…--name …', '…'],
    [['people', 'template', '--profile', '--json'], '--profile …', '…'],
    [['api', 'GET', 'v1/x', '-f', '--dry-run'], '--field …', '…'],
  ],
  'a second value, because only one would count': [
    [[...IMPORT, '--sheet', 'Berlin', '--sheet', 'Hamburg'], '--sheet has two values', 'Keep one of them.'],
    [[...IMPORT, '--limit', '10', '--limit=20'], '--limit …', '…'],
    [[...IMPORT, '--format', 'csv', '--format', 'json'], '--format …', '…'],
    [['findings', 'list', '--task', 'tsk_1', '--exit-status', '--task', 'tsk_2'], '--task …', '…'],
    [[...FINDINGS, '--profile', 'a', '--profile', 'b'], '--profile …', '…'],
  ],
  'a value of another kind': [
    [[...FINDINGS, '--timeout', '10abc'], '--timeout: "10abc" is not a duration', DURATION],
    [[...FINDINGS, '--timeout', '0'], '--timeout must be greater than 0', undefined],
    [[...FINDINGS, '--timeout', '900h'], '--timeout: "900h" is longer than 24 days', undefined],
    [[...FINDINGS], 'ORGADM_TIMEOUT: "soon" …', DURATION, { ORGADM_TIMEOUT: 'soon' }],
    [[...FINDINGS, '--retries', '10abc'], '--retries: "10abc" is not a number from 0 to 999', COUNT],
    [[...FINDINGS], 'ORGADM_RETRIES: "many" …', COUNT, { ORGADM_RETRIES: 'many' }],
    [[...FINDINGS], 'ORGADM_BASE_URL …', '…', { ORGADM_BASE_URL: 'nonsense' }],
    [[...FINDINGS], 'ORGADM_BASE_URL must not contain a user name or password', '…', { ORGADM_BASE_URL: 'http://user:pass@127.0.0.1' }],
    [[...FINDINGS], '… http … a.test …', '… --allow-http …', { ORGADM_BASE_URL: 'http://a.test' }],
    [[...FINDINGS], 'no base URL', 'Set ORGADM_BASE_URL, …', { ORGADM_BASE_URL: '' }],
    [['sandbox', 'serve', '--port=10abc'], '--port …', '…'],
    [['sandbox', 'serve', '--port=65536'], '--port …', '…'],
  ],
  'an option that would have no effect': [
    [['config', 'list', '--json', '-o', 'csv'], '--json … --output csv', undefined],
    [['config', 'list', '--jq', '.', '-o', 'csv'], '--jq cannot be used with --output csv', '…'],
    [['config', 'list', '--raw-output'], '--raw-output requires --jq', undefined],
    [['config', 'list', '--sandbox'], 'config list … --sandbox', undefined],
    [[...FINDINGS, '--fault', 'error500=1'], '--fault requires --sandbox', undefined],
    [[...FINDINGS, '--sandbox', '--base-url', 'https://a.test'], "option '--sandbox' cannot be used with option '--base-url <url>'", '…'],
    [[...FINDINGS, '--sandbox', '--key-file', 'key'], "… option '--key-file <path>'", '…'],
    [[...FINDINGS, '--sandbox', '--ca-cert', 'ca.pem'], "… option '--ca-cert <file>'", '…'],
    [[...FINDINGS, '--sandbox', '--allow-http'], "… option '--allow-http'", '…'],
    [[...DOMAIN, '--interval', '1s'], '--interval … --wait', undefined],
    [[...DOMAIN, '--deadline', '1m'], '--deadline requires --wait', undefined],
    [[...IMPORT, '--dry-run', '--restart'], "… '--dry-run' … '--restart'", '…'],
    [[...IMPORT, '--columns', 'userId', '--header-row', '2'], "… '--columns <names>' … '--header-row <line>'", '…'],
  ],
};

describe.each(Object.entries(REJECTED))('%s', (_name, rows) => {
  it.each(rows)('is rejected before anything is sent: %j (%s)', async (argv, message, hint, env = {}) => {
    const { run } = await cli.scripted([]);
    const { code, stdout, stderr } = await run(argv, { env });
    const text = [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`])].join('\n');
    const json = JSON.stringify({ error: { code: 'usage', message, hint } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(textLike(`${stderr.startsWith('{') ? json : text}\n`));
  });
});

describe('the value of an option that orgadm does not know, which may be a key,', () => {
  it.each([
    [['auth', 'login', '--token=SECRET']],
    [['--token=SECRET', 'auth', 'login']],
    [['auth', '--token=SECRET', 'login']],
    [['auth', 'login', '--token=SECRET\nSECRET']],
    [['auth', 'login', '-k=SECRET']],
    [['auth', 'login', '--force=SECRET']],
    [['auth', 'login', '--key', 'SECRET']],
    [['auth', 'logn', '--token=SECRET']],
  ])('is not repeated: %j', async (argv) => {
    for (const format of [[], ['--json'], ['--debug']]) {
      const { code, stdout, stderr } = await cli.plain([...argv, ...format]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toContain('SECRET');
    }
  });
});

describe('an invalid command line', () => {
  it.each<[how: string, argv: string[], env?: Record<string, string>]>([
    ['--json', ['--json']],
    ['-o json', ['-o', 'json']],
    ['-qojson', ['-qojson']],
    ['--output=ndjson', ['--output=ndjson']],
    ['ORGADM_OUTPUT=json', [], { ORGADM_OUTPUT: 'json' }],
  ])('is one line of JSON under %s, before and after the words', async (_how, argv, env = {}) => {
    for (const line of [
      [...argv, ...ROLE, '--nmae', 'QA'],
      [...ROLE, '--nmae', 'QA', ...argv],
      [...ROLE, '--name=', ...argv],
    ]) {
      const { code, stdout, stderr } = await cli.plain(line, { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
    }
  });

  it('is text if --json follows --, where it is no option', async () => {
    expect((await cli.plain(['peple', '--', '--json'])).stderr).toMatch(/^error: /);
  });
});

describe('a word is what it seems:', () => {
  const nameIn = async (...words: string[]) => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    await run([...ROLE, ...words]);
    return JSON.parse(service.requests[0]?.body ?? '').name;
  };

  it.each(['--dry-run', '-o', '--', '-severity', 'a=b'])('any value after an equals sign: %j', async (value) => {
    expect(await nameIn(`--name=${value}`)).toBe(value);
  });

  it('a value after an equals sign, also next to the option of that name', async () => {
    const { stdout } = await cli.plain([...ROLE, '--name=--dry-run', '--dry-run']);
    expect(JSON.parse(stdout).body).toEqual({ name: '--dry-run' });
  });

  it.each(['-severity', '-1', '-f', 'a b'])('a value that is no option of the command: %j', async (value) => {
    expect(await nameIn('--name', value)).toBe(value);
  });

  it('an argument after --', async () => {
    const argv = ['role', 'update', '--name', 'QA', '--dry-run', '--', '--dry-run'];
    expect(JSON.parse((await cli.plain(argv)).stdout)).toMatchObject({ path: '/v1/roles/--dry-run' });
  });

  it.each([
    ['the same value twice', ['--name', 'QA', '--name', 'QA']],
    ['several values of a repeatable option', ['--name', 'QA', '--permission', 'a=read', '--permission', 'b=read']],
  ])('%s', async (_name, words) => {
    expect(await nameIn(...words)).toBe('QA');
  });

  it.each([[['-qo', 'json']], [['-ojson']], [['--output=json']], [['--json', '-o', 'json']]])(
    'the format in %j, before a variable',
    async (words) => {
      const { stdout } = await cli.plain(['people', 'template', ...words], { env: { ORGADM_OUTPUT: 'csv' } });
      expect(JSON.parse(stdout)).toHaveLength(2);
    },
  );
});
