import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { addsMembers } from '../helpers/people-service.ts';
import { MemoryTerminal, memoryHost, runCli } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';
import { partLike } from '../helpers/text-like.ts';

/** Terminals, logs, and machines on which other command-line tools have let administrators down. */

const cli = createCommandRunner();
const ESCAPE = '\u001b';

describe('a job whose runner has a terminal, with CI=true', () => {
  it.each(['true', '1', 'woodpecker'])('is not asked, needs no --yes, and gets plain output: CI=%s', async (CI) => {
    const { service, run } = await cli.scripted(addsMembers());
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\n');
    const terminal = new MemoryTerminal([]);
    const options = { terminal, columns: 40, env: { CI, TERM: 'xterm' } };
    const { code, stdout, stderr } = await run(['people', 'bulk-add', cli.file('members.csv')], options);
    expect({ code, stdout, requests: service.requests.length }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ 1 /),
      requests: 1,
    });
    expect(stderr).not.toContain(ESCAPE);
    const login = await run(['auth', 'login'], { terminal, env: { CI, ORGADM_BASE_URL: '' } });
    expect(login).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: .*\nhint: .*--base-url /) });
  });

  it.each(['', 'false', '0'])('is an ordinary terminal with CI=%j', async (CI) => {
    const { run } = await cli.scripted([]);
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\n');
    const env = { CI, NO_COLOR: '1' };
    const { code } = await run(['people', 'bulk-add', cli.file('members.csv')], {
      terminal: new MemoryTerminal(['n']),
      env,
    });
    expect(code).toBe(2);
  });
});

describe('text of the service that a CI system would run as a command', () => {
  const COMMANDS = [
    '::set-output name=ok::true',
    '  ::stop-commands::x',
    '##[add-path]/tmp',
    '##vso[task.setvariable]x',
  ];
  const STARTS = /^[ \t]*(?:::|##\[|##vso\[)/m;

  it.each(['table', 'csv', 'json', 'ndjson'])('begins no line of -o %s', async (format) => {
    const body = COMMANDS.flatMap((content) => [
      { id: content, severity: 'low', status: 'open', content },
      { id: `a\n${content}`, severity: 'low', status: 'open', content: `b\r\n${content}` },
    ]);
    const { run } = await cli.scripted(() => ({ body }));
    const { code, stdout, stderr } = await run(['findings', 'list', '--all', '-o', format]);
    expect(code).toBe(0);
    expect(stdout).toContain('set-output');
    expect(`${stdout}\n${stderr}`).not.toMatch(STARTS);
  });

  it('begins no line of an error or of --debug', async () => {
    const { run } = await cli.scripted(() => ({ status: 400, body: { message: COMMANDS.join('\n') } }));
    const { stderr } = await run(['findings', 'list', '--all', '--debug']);
    expect(stderr).toContain('add-path');
    expect(stderr).not.toMatch(STARTS);
  });

  it('keeps every cell of a CSV file as it is if it is on one line', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: COMMANDS[0], content: COMMANDS[0] }] }));
    const { stdout } = await run(['findings', 'list', '--all', '-o', 'csv']);
    expect(stdout).toBe(`id,content\n"${COMMANDS[0]}","${COMMANDS[0]}"\n`);
  });
});

describe('a reader of the output that exits early, as head does', () => {
  /** Runs a command whose output is closed after the first chunk. */
  async function intoHead(argv: readonly string[], env: Record<string, string>) {
    const { host, stderr } = memoryHost(cli.file('home'), { env });
    const stdout = new PassThrough();
    stdout.once('data', () => stdout.destroy());
    const code = await main(argv, Object.create(host, { stdout: { value: stdout } }));
    return { code, stderr: stderr.text };
  }

  it.each([
    { options: [], code: 0, stderr: '25,000 of 50,000 findings match\n' },
    {
      options: ['--exit-status'],
      code: 7,
      stderr: '25,000 of 50,000 findings match\n25,000 findings remain (exit 7)\n',
    },
  ])('gets the counts of all findings, not of a part, with $options', async ({ options, code, stderr }) => {
    const body = Array.from({ length: 50_000 }, (_, at) => ({ id: `fnd_${at}`, status: at % 2 ? 'open' : 'closed' }));
    const { service } = await cli.scripted(() => ({ body }));
    const argv = ['findings', 'list', '--all', '--status', 'open', '-o', 'ndjson', ...options];
    const env = { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: CANARY_KEY };
    expect(await intoHead(argv, env)).toEqual({ code, stderr });
  });
});

describe('a machine without a home directory, as a container with an arbitrary user', () => {
  const noHome = { ORGADM_CONFIG_DIR: '', ORGADM_STATE_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };

  it('runs the commands that need none', async () => {
    const { service } = await cli.scripted(() => ({ body: [] }));
    const env = { ...noHome, ORGADM_BASE_URL: service.url, ORGADM_API_KEY: CANARY_KEY };
    for (const argv of [
      ['findings', 'list', '--all'],
      ['api', 'GET', '/v1/findings'],
      ['auth', 'status'],
      ['people', 'template'],
      ['config', 'list', '-o', 'csv'],
    ])
      expect(await runCli('', argv, { env }), argv.join(' ')).toMatchObject({ code: 0 });
  });

  it('says which variable to set for the others', async () => {
    expect(await runCli('', ['config', 'set', 'retries', '5'], { env: noHome })).toMatchObject({
      code: 2,
      stderr:
        'error: HOME is not an absolute path\nhint: Set HOME, or ORGADM_CONFIG_DIR to a directory that you own.\n',
    });
  });
});

describe('a directory in a file of variables, in which no shell expands ~', () => {
  it('is in the home directory', async () => {
    const home = cli.file('home');
    mkdirSync(home);
    await runCli(home, ['config', 'set', 'retries', '5'], { env: { ORGADM_CONFIG_DIR: '~/settings' } });
    expect(readFileSync(cli.file('home/settings/config.json'), 'utf8')).toContain('"retries": 5');
  });

  it('is an error if it is that of another user', async () => {
    const { code, stderr } = await cli.plain(['runs', 'list'], { env: { ORGADM_STATE_DIR: '~admin/state' } });
    expect(code).toBe(2);
    expect(stderr).toContain('ORGADM_STATE_DIR: orgadm cannot expand "~admin/state"');
  });
});

describe('a directory that others need to write to', () => {
  it.each([
    ['the sticky directory for temporary files', 0o1777, undefined],
    ['a directory of root for a group', 0o775, 1234],
  ])('is rejected without the advice to change its mode: %s', async (_, mode, uid) => {
    const shared = cli.file('shared');
    mkdirSync(shared);
    chmodSync(shared, mode);
    for (const [argv, variable] of [
      [['runs', 'list'], 'ORGADM_STATE_DIR'],
      [['config', 'set', 'retries', '5'], 'ORGADM_CONFIG_DIR'],
    ] as const) {
      const { code, stderr } = await cli.plain(argv, {
        env: { [variable]: shared },
        ...(uid !== undefined && { uid }),
      });
      expect(code).toBe(2);
      expect(stderr).toMatch(partLike(`error: … write … ${shared}\n`));
      expect(stderr).not.toContain('chmod');
      expect(stderr).toContain(`${variable}=${shared}/orgadm`);
    }
  });
});
