import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const OPTIONS = ['--map', 'userId=Account', '--default', 'role=employee'];

function writeList(): string {
  const list = cli.file('members.csv');
  writeFileSync(list, 'Account,department\nusr_0101,it\nusr_0102,it\n');
  return list;
}

async function digestOf(list: string, options: readonly string[] = OPTIONS): Promise<string> {
  const { stdout } = await cli.plain(['people', 'bulk-add', list, ...options, '--dry-run', '--jq', '.digest', '-r']);
  expect(stdout).toMatch(/^[0-9a-f]{64}\n$/);
  return stdout.trim();
}

describe('--dry-run', () => {
  it('prints the same digest in every format', async () => {
    const list = writeList();
    const digest = await digestOf(list);
    const dryRun = async (format: string) =>
      cli.plain(['people', 'bulk-add', list, ...OPTIONS, '--dry-run', '-o', format]);
    expect((await dryRun('table')).stdout).toMatch(new RegExp(`^digest: ${digest}$`, 'm'));
    expect((await dryRun('ndjson')).stdout).toContain(`"digest":"${digest}"`);
    expect((await dryRun('csv')).stderr).toContain(`digest: ${digest}\n`);
  });

  it('prints another digest for another list, mapping or default', async () => {
    const list = writeList();
    const digests = [
      await digestOf(list),
      await digestOf(list, [...OPTIONS, '--default', 'department=hr']),
      await digestOf(list, ['--map', 'userId=#1', '--default', 'role=employee']),
      await digestOf(list, ['--map', 'userId=Account', '--default', 'role=admin']),
    ];
    appendFileSync(list, 'usr_0103,hr\n');
    digests.push(await digestOf(list));
    expect(new Set(digests).size).toBe(5);
  });
});

describe('--expect-digest', () => {
  it('sends the list that was reviewed', async () => {
    const list = writeList();
    const digest = await digestOf(list);
    const { code } = await cli.sandbox([
      'people',
      'bulk-add',
      list,
      ...OPTIONS,
      '--expect-digest',
      digest.toUpperCase(),
    ]);
    expect(code).toBe(0);
  });

  it.each<[string, readonly string[], (list: string) => void]>([
    ['a list that was changed', OPTIONS, (list) => appendFileSync(list, 'usr_0103,hr\n')],
    ['another default', ['--map', 'userId=Account', '--default', 'role=admin'], () => {}],
  ])('rejects %s with exit code 2 before anything is sent', async (_, options, change) => {
    const list = writeList();
    const expected = await digestOf(list);
    change(list);
    const actual = await digestOf(list, options);
    const { service, run } = await cli.scripted([]);
    for (const mode of [[], ['--resume'], ['--restart'], ['--dry-run']]) {
      const argv = ['people', 'bulk-add', list, ...options, '--expect-digest', expected, ...mode];
      expect(await run(argv)).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          `error: ${list} is not the expected list: its digest is ${actual}, not ${expected}\n` +
          'hint: Nothing was sent. The list or its options have changed since the dry run. Review them again with --dry-run.\n',
      });
    }
    expect(service.requests).toEqual([]);
  });

  it('rejects a value that is not a SHA-256', async () => {
    const { code, stderr } = await cli.plain(['people', 'bulk-add', writeList(), '--expect-digest', 'abc']);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: 'error: --expect-digest: "abc" is not a SHA-256 of 64 hex digits',
    });
  });
});
