import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const run = (argv: readonly string[], uid?: number) => runCli(folder.path, argv, uid === undefined ? {} : { uid });

function addPeople(...more: string[]): string[] {
  writeFileSync(folder.file('list.csv'), 'userId,role\nusr_0101,member\n');
  return ['people', 'bulk-add', folder.file('list.csv'), '--sandbox', ...more];
}

/** The commands that use the state directory. */
const COMMANDS: readonly (readonly [name: string, argv: () => string[]])[] = [
  ['people bulk-add', addPeople],
  ['runs list', () => ['runs', 'list']],
  ['runs show', () => ['runs', 'show', 'abcd']],
  ['runs resume', () => ['runs', 'resume', 'abcd']],
  ['a command in the sandbox', () => ['domain', 'status', 'trust.example.com', '--sandbox']],
  ['sandbox reset', () => ['sandbox', 'reset']],
];

/** The directories of the runs and of the only run, and those of the services and of its service. */
function directories(): string[] {
  return ['state/runs', 'state/services'].flatMap((parent) => {
    const [only = ''] = readdirSync(folder.file(parent));
    return [parent, `${parent}/${only}`];
  });
}

/** Expects an error that names the path, and then a command that repairs it; nothing is sent. */
async function expectRejected(argv: readonly string[], path: string, command: string, uid?: number): Promise<void> {
  const { code, stdout, stderr } = await run(argv, uid);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: .*${folder.file(path)}\\b.*\nhint: .*${command} ${folder.file(path)}`));
}

describe('a state directory', () => {
  it.each(COMMANDS)('is rejected by %s if other users can write to it', async (_name, argv) => {
    mkdirSync(folder.file('state'));
    chmodSync(folder.file('state'), 0o720);
    await expectRejected(argv(), 'state', 'chmod go-w');
    expect(readdirSync(folder.file('state'))).toEqual([]);
  });

  it('is rejected if it belongs to another user', async () => {
    mkdirSync(folder.file('state'), { mode: 0o700 });
    // Files of root are trusted.
    if (process.getuid?.() === 0) chownSync(folder.file('state'), 4711, 4711);
    await expectRejected(addPeople(), 'state', 'sudo chown -R .*', 4712);
  });

  it('is rejected if only another user can read it, as root can after a command with sudo', async () => {
    mkdirSync(folder.file('state'), { mode: 0o700 });
    await expectRejected(addPeople(), 'state', 'sudo chown -R .*', 4712);
  });

  it('is accepted if others can only read it, also by a link', async () => {
    mkdirSync(folder.file('elsewhere'));
    chmodSync(folder.file('elsewhere'), 0o755);
    symlinkSync(folder.file('elsewhere'), folder.file('state'));
    expect((await run(addPeople())).code).toBe(0);
    expect(readdirSync(folder.file('elsewhere'))).toContain('runs');
  });
});

describe('a directory in the state directory', () => {
  it('is rejected if others can write to it', async () => {
    expect((await run(addPeople())).code).toBe(0);
    for (const directory of directories()) {
      chmodSync(folder.file(directory), 0o777);
      await expectRejected(addPeople('--restart'), directory, 'chmod go-w');
      chmodSync(folder.file(directory), 0o700);
    }
    expect((await run(addPeople('--restart'))).code).toBe(3);
  });

  it('is rejected if it is a link that somebody planted', async () => {
    await run(addPeople());
    mkdirSync(folder.file('elsewhere'), { mode: 0o700 });
    for (const directory of directories()) {
      renameSync(folder.file(directory), folder.file('original'));
      symlinkSync(folder.file('elsewhere'), folder.file(directory));
      await expectRejected(addPeople('--restart'), directory, 'rm');
      rmSync(folder.file(directory));
      renameSync(folder.file('original'), folder.file(directory));
    }
    expect(readdirSync(folder.file('elsewhere'))).toEqual([]);
  });
});

describe('a file in the state directory', () => {
  it('is not followed as a link where a journal is created', async () => {
    await run(addPeople());
    const [, ownRun] = directories();
    writeFileSync(folder.file('victim'), 'untouched');
    symlinkSync(folder.file('victim'), folder.file(`${ownRun}/journal.new`));
    expect((await run(addPeople('--restart'))).code).toBe(3);
    expect(readFileSync(folder.file('victim'), 'utf8')).toBe('untouched');
  });

  it('is not followed as a link where the state of the sandbox is written', async () => {
    const rename = (role: string) => run(['role', 'update', 'rol_custom_1', '--name', role, '--sandbox']);
    expect((await rename('Risk Owner')).code).toBe(0);
    const file = folder.file('state/sandbox.json');
    renameSync(file, folder.file('victim'));
    symlinkSync(folder.file('victim'), file);
    const before = readFileSync(folder.file('victim'), 'utf8');
    expect(await rename('Risk Keeper')).toMatchObject({ code: 2, stderr: expect.stringContaining(file) });
    expect(readFileSync(folder.file('victim'), 'utf8')).toBe(before);
  });

  it('is named if it is something else than the state of the sandbox', async () => {
    const file = folder.file('state/sandbox.json');
    mkdirSync(file, { recursive: true, mode: 0o700 });
    const result = await run(['findings', 'list', '--all', '--sandbox']);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(file) });
  });
});
