import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

/** Returns the candidates after these words, the last of them at the cursor. */
async function offered(...args: string[]): Promise<{ kind: string | undefined; values: string[] }> {
  const { code, stdout, stderr } = await cli.plain(['__complete', '--', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  return { kind, values: lines.map((line) => line.split('\t')[0] ?? '') };
}

describe('the candidates for completion', () => {
  it.each([
    [[''], ['role', 'people', 'runs', 'domain', 'findings', 'auth', 'config', 'sandbox', 'api', 'completion', 'help']],
    [['pe'], ['people']],
    [
      ['people', ''],
      ['bulk-add', 'template'],
    ],
    [['--sandbox', '-o', 'json', 'people', 'b'], ['bulk-add']],
    [
      ['--profile', 'people', 'auth', ''],
      ['login', 'status', 'logout'],
    ],
    [['people', 'bulk-add', '--fo'], ['--format']],
    [
      ['people', 'bulk-add', '--format', ''],
      ['csv', 'tsv', 'json', 'ndjson'],
    ],
    [['people', 'bulk-add', '--format=n'], ['--format=ndjson']],
    [
      ['people', 'bulk-add', 'list.csv', '--json', '--no'],
      ['--no-color', '--no-input'],
    ],
    [
      ['findings', 'list', '--scope', 'people_'],
      ['people_tasks', 'people_devices', 'people_chart'],
    ],
    [
      ['findings', 'list', '--output', ''],
      ['table', 'json', 'ndjson', 'csv'],
    ],
    [['config', 'unset', 'timeout', 'ret'], ['retries']],
    [['people', 'bulk-add', '--map', 'us'], ['userId=']],
    [['people', 'bulk-add', '--map=us'], ['--map=userId=']],
    [['people', 'bulk-add', '--map-value', 'ro'], ['role:']],
    [
      ['people', 'bulk-add', '--omit', 'd'],
      ['department', 'deviceMgmtLabelId'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['nonsense', ''], []],
  ])('match the words %j', async (args, values) => {
    expect(await offered(...args)).toEqual({ kind: 'words', values });
  });

  it.each([
    [['people', 'bulk-add', ''], 'files'],
    [['people', 'bulk-add', '--errors-file=out/'], 'files'],
    [['role', 'update', 'rol_1', '--from', ''], 'files'],
    [['role', 'update', ''], 'words'],
    [['role', 'update', '--name', ''], 'words'],
  ])('are of the kind $1 after $0', async (args, kind) => {
    expect(await offered(...args)).toEqual({ kind, values: [] });
  });

  it('are the unfinished runs for runs resume, and all runs for runs show', async () => {
    const list = cli.file('members.csv');
    for (const [users, options] of [
      ['usr_1', []],
      ['usr_2\nusr_3', ['--limit', '1']],
    ] as const) {
      writeFileSync(list, `userId\n${users}\n`);
      await cli.sandbox(['people', 'bulk-add', list, '--default', 'role=member', ...options]);
    }
    const runs = (await cli.plain(['runs', 'list', '--json'])).json() as { id: string; state: string }[];
    expect(runs.map(({ state }) => state).sort()).toEqual(['finished', 'unfinished']);
    const unfinished = runs.find(({ state }) => state === 'unfinished')?.id.slice(0, 8);
    expect((await offered('runs', 'resume', '')).values).toEqual([unfinished]);
    expect((await offered('runs', 'show', '')).values).toHaveLength(2);
  });

  it('include the options of the command and the global ones, with their descriptions', async () => {
    const { stdout } = await cli.plain(['__complete', '--', 'people', 'bulk-add', '--']);
    expect(stdout).toContain('\n--dry-run\tcheck the list and show what orgadm would send\n');
    expect(stdout).toContain('\n--sandbox\tuse the embedded sandbox, which needs no account or configuration\n');
    expect(stdout).toContain('\n--help\tprint help\n');
  });

  it('include the existing profiles', async () => {
    await cli.plain(['config', 'set', 'timeout', '1m', '--profile', 'staging']);
    await cli.plain(['config', 'set', 'timeout', '1m', '--profile', 'prod']);
    expect(await offered('findings', 'list', '--profile', '')).toEqual({ kind: 'words', values: ['staging', 'prod'] });
    expect(await offered('--profile=st')).toEqual({ kind: 'words', values: ['--profile=staging'] });
  });

  it('do not depend on the file with the keys', async () => {
    await cli.plain(['config', 'set', 'timeout', '1m', '--profile', 'staging']);
    writeFileSync(cli.file('config/credentials.json'), '{"profiles":{}}', { mode: 0o644 });
    expect(await offered('--profile', '')).toEqual({ kind: 'words', values: ['staging'] });
  });

  it('are printed without an error, even if the settings are invalid', async () => {
    const env = { ORGADM_OUTPUT: 'nonsense', ORGADM_CONFIG_DIR: '/dev/null' };
    expect(await cli.plain(['__complete', '--', '--profile', ''], { env })).toMatchObject({
      code: 0,
      stdout: 'words\n',
    });
  });
});

describe('orgadm completion', () => {
  it('suggests the closest name for an unknown shell', async () => {
    expectUsageError(await cli.plain(['completion', 'fishh']), 'completion: "fishh" is not allowed', '… fish? …');
    expectUsageError(
      await cli.plain(['completion', 'tcsh']),
      'completion: "tcsh" is not allowed',
      'Allowed: bash, zsh, fish.',
    );
  });
});
