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
import { partLike } from '../helpers/text-like.ts';

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

/** Returns the directories of the only run and of its service. */
function runDirectories(): { run: string; service: string } {
  const [run = ''] = readdirSync(folder.file('state/runs'));
  const [service = ''] = readdirSync(folder.file('state/services'));
  return { run: `state/runs/${run}`, service: `state/services/${service}` };
}

const writable = (directory: string) =>
  expect.stringMatching(partLike(`error: …${folder.file(directory)}\nhint: … chmod go-w ${folder.file(directory)}`));

describe('a state directory', () => {
  it.each(COMMANDS)('is rejected by %s if other users can write to it', async (_name, argv) => {
    mkdirSync(folder.file('state'));
    chmodSync(folder.file('state'), 0o720);
    expect(await run(argv())).toMatchObject({ code: 2, stdout: '', stderr: writable('state') });
    expect(readdirSync(folder.file('state'))).toEqual([]);
  });

  it.each(COMMANDS)('is rejected by %s if it belongs to another user', async (_name, argv) => {
    mkdirSync(folder.file('state'), { mode: 0o700 });
    // Files of root are trusted.
    if (process.getuid?.() === 0) chownSync(folder.file('state'), 4711, 4711);
    expect(await run(argv(), 4712)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        partLike(`error: … ${folder.file('state')} …\nhint: … sudo chown -R "$(id -u)" ${folder.file('state')}\n`),
      ),
    });
  });

  it('is rejected if only another user can read it, as root can after a command with sudo', async () => {
    mkdirSync(folder.file('state'), { mode: 0o700 });
    const { code, stderr } = await run(addPeople(), 4712);
    expect(code).toBe(2);
    expect(stderr).toContain('sudo chown');
  });

  it('is accepted if others can only read it', async () => {
    mkdirSync(folder.file('state'));
    chmodSync(folder.file('state'), 0o755);
    expect((await run(addPeople())).code).toBe(0);
  });

  it('is rejected if others can write to a directory in it', async () => {
    expect((await run(addPeople())).code).toBe(0);
    const { run: ownRun, service } = runDirectories();
    for (const directory of ['state/runs', ownRun, 'state/services', service]) {
      chmodSync(folder.file(directory), 0o777);
      expect(await run(addPeople('--restart'))).toMatchObject({ code: 2, stdout: '', stderr: writable(directory) });
      chmodSync(folder.file(directory), 0o700);
    }
    expect((await run(addPeople('--restart'))).code).toBe(3);
  });
});

describe('a link that somebody planted in a state directory', () => {
  it('is rejected in place of a directory', async () => {
    await run(addPeople());
    const { run: ownRun, service } = runDirectories();
    mkdirSync(folder.file('elsewhere'), { mode: 0o700 });
    for (const directory of ['state/runs', ownRun, 'state/services', service]) {
      renameSync(folder.file(directory), folder.file('original'));
      symlinkSync(folder.file('elsewhere'), folder.file(directory));
      expect(await run(addPeople('--restart'))).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(`^error: .*${folder.file(directory)}.*\n.*rm ${folder.file(directory)}`),
        ),
      });
      rmSync(folder.file(directory));
      renameSync(folder.file('original'), folder.file(directory));
    }
    expect(readdirSync(folder.file('elsewhere'))).toEqual([]);
  });

  it('is not followed where a journal is created', async () => {
    await run(addPeople());
    writeFileSync(folder.file('victim'), 'untouched');
    symlinkSync(folder.file('victim'), folder.file(`${runDirectories().run}/journal.new`));
    expect((await run(addPeople('--restart'))).code).toBe(3);
    expect(readFileSync(folder.file('victim'), 'utf8')).toBe('untouched');
  });

  it('is not followed where the state of the sandbox is written', async () => {
    const rename = (role: string) => run(['role', 'update', 'rol_custom_1', '--name', role, '--sandbox']);
    expect((await rename('Risk Owner')).code).toBe(0);
    const file = folder.file('state/sandbox.json');
    renameSync(file, folder.file('victim'));
    symlinkSync(folder.file('victim'), file);
    const before = readFileSync(folder.file('victim'), 'utf8');
    expect(await rename('Risk Keeper')).toMatchObject({ code: 2, stderr: expect.stringContaining(file) });
    expect(readFileSync(folder.file('victim'), 'utf8')).toBe(before);
  });
});

describe('a state of the sandbox that orgadm cannot use', () => {
  const findings = ['findings', 'list', '--all', '--sandbox'];

  it('is named if something else is in its place', async () => {
    mkdirSync(folder.file('state/sandbox.json'), { recursive: true, mode: 0o700 });
    expect(await run(findings)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(folder.file('state/sandbox.json')),
    });
  });
});
