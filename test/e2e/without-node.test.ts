import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NEW_PID_NAMESPACE } from '../helpers/needed-programs.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { EXECUTABLE } from '../helpers/orgadm-program.ts';
import { openTerminal } from '../helpers/terminal.ts';
import { textLike } from '../helpers/text-like.ts';

/*
 * The README says that the executable does not need Node.js. Here it runs in a file system of its own, which contains bash,
 * cat, mandoc, the libraries of these programs, and nothing else.
 */

const PROGRAMS = ['bash', 'cat', 'mandoc'];
const IMPORT = 'orgadm people bulk-add members.csv --sandbox --ignore-existing';

const opened = closeAfterTests();
let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'orgadm-root-'));
  for (const folder of ['bin', 'dev', 'home', 'proc']) mkdirSync(join(root, folder));
  install(EXECUTABLE ?? '', '/bin/orgadm');
  for (const name of PROGRAMS) install(pathOf(name), `/bin/${name}`);
  symlinkSync('bash', join(root, 'bin/sh'));
  cpSync('examples/members.csv', join(root, 'members.csv'));
});

afterAll(() => rmSync(root, { recursive: true }));

function pathOf(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/** Copies a program with the libraries that it loads. */
function install(program: string, to: string): void {
  cpSync(program, join(root, to), { dereference: true });
  for (const [library] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+/g)) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    if (!existsSync(join(root, library))) cpSync(library, join(root, library), { dereference: true });
  }
}

/** Returns the words that run a script with bash in the file system, with a home of its own. The mounts end with it. */
function inRoot(name: string, script: string): [string, ...string[]] {
  writeFileSync(join(root, name), script);
  const mounts = ['dev', 'proc'].map((folder) => `mount --rbind /${folder} '${join(root, folder)}'`).join(' && ');
  const env = `env -i HOME=/home/${name} PATH=/bin TERM="$TERM"`;
  return [...NEW_PID_NAMESPACE, 'sh', '-c', `${mounts} && exec ${env} /usr/sbin/chroot '${root}' bash /${name}`];
}

describe('on a machine without Node.js', () => {
  it('the executable imports, filters JSON, completes words, and prints schemas and manual pages', async () => {
    const [command, ...args] = inRoot(
      'commands',
      `type node npm
orgadm version
${IMPORT}
orgadm domain status pending.example.com --jq '.[].state' -r --sandbox
source <(orgadm completion bash)
COMP_WORDS=(orgadm peo) COMP_CWORD=1
_orgadm orgadm
echo "$COMPREPLY"
orgadm schema domain status --jq .title -r
orgadm help --man runs list | mandoc -T ascii -O width=78 | { read -r title; echo "$title"; cat > /dev/null; }`,
    );
    const { stdout, stderr } = await promisify(execFile)(command, args);
    expect(stderr).toMatch(
      textLike(`/commands: line 1: type: node: not found
/commands: line 1: type: npm: not found
… 13 … the sandbox
  columns: userId, role, department, isActive, deviceMgmtLabelId
  totals: 10 active, 2 inactive, …
…: orgadm people bulk-add <your list> --dry-run
`),
    );
    expect(stdout.replace(/\d+\.\d+\.\d+/g, '<version>').replace(/ +/g, ' ')).toMatch(
      textLike(`<version>
Node.js <version>
✓ 12 …, 1 …
not-verified
people
JSON output of orgadm domain status
ORGADM-RUNS-LIST(1) orgadm manual ORGADM-RUNS-LIST(1)
`),
    );
  }, 60_000);

  it('the same command continues an import that Ctrl-C interrupted', async () => {
    const slow = `${IMPORT} --batch-size 1 --concurrency 1 --fault latency=300ms`;
    // The shell goes on after Ctrl-C.
    const words = inRoot('interrupted', `trap : INT\n${slow}\necho "interrupted: $?"\n${slow}`);
    const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const terminal = opened(await openTerminal(line, { columns: 100 }));
    await terminal.untilSeen(' of 13');
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toMatch(/^\d+ unsent, .*\(interrupted by SIGINT\)$/m);
    expect(screen).toMatch(/^interrupted: 130$/m);
    expect(screen).toMatch(/^Continuing run [0-9a-f]{8} of .* of 13 rows (?:is|are) done$/m);
    expect(screen).toMatch(/^✓ 12 .*, 1 .*\nexit 0$/m);
  }, 60_000);
});
