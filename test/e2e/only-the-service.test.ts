import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { acceptingService, COMMAND_LINES, COMMAND_NAMES } from '../helpers/command-lines.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { runOrgadm, startOrgadm, startShell } from '../helpers/orgadm-process.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/*
 * The README promises that orgadm contacts only the service of its user, and SECURITY.md that it reads nothing from the current
 * directory that nobody named. Here the kernel is the witness: strace records every address to which the built program connects or
 * sends a datagram, such as a DNS query, and every path.
 */

const folder = temporaryFolder();
const opened = closeAfterTests();

const CALL =
  /sin6?_port=htons\((\d+)\), (?:sin6_flowinfo=\S+ )?(?:sin_addr=inet_addr\("([^"]*)"|inet_pton\(AF_INET6, "([^"]*)")/;

/** Returns the addresses that a trace of system calls names, each once. */
function addressesIn(trace: string): string[] {
  const found = trace.split('\n').flatMap((line) => {
    const [, port, v4, v6] = CALL.exec(line) ?? [];
    return port === undefined ? [] : [`${v4 ?? v6}:${port}`];
  });
  return [...new Set(found)];
}

/** Starts a command whose contacts strace records. */
function startTraced(argv: readonly string[], options: readonly string[] = []) {
  const record = folder.file('trace');
  const traced = ['strace', '-f', '--seccomp-bpf', '-qq', '-e', 'trace=connect,sendto,sendmsg,sendmmsg', ...options];
  const running = startOrgadm(folder.path, argv, undefined, [...traced, '-o', record]);
  return { ...running, contacted: running.ended.then(() => addressesIn(readFileSync(record, 'utf8'))) };
}

/** Commands that send requests. All others contact nobody. */
const REMOTE = new Set([
  ...['role update', 'people bulk-add', 'runs resume', 'domain status', 'findings list'],
  ...['auth login', 'auth status', 'api'],
]);

/** Starts an import that is to be continued, and returns the ID of its run. */
async function startImport(url: string): Promise<string> {
  const list = folder.file('list.csv');
  writeFileSync(list, 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
  const argv = ['people', 'bulk-add', list, '--limit', '2', '--batch-size', '2', '--base-url', url, '--json'];
  const { code, stdout } = await runOrgadm(folder.path, argv);
  expect(code).toBe(3);
  return (JSON.parse(stdout) as { run: { id: string } }).run.id;
}

describe('orgadm', () => {
  it.each(COMMAND_NAMES.filter((name) => name !== 'sandbox serve'))(
    'contacts only the service with %s',
    async (name) => {
      const { url } = opened(await startScriptedService(acceptingService('one')));
      const runId = name.startsWith('runs ') ? await startImport(url) : 'none';
      const [line = []] = COMMAND_LINES[name]?.({ text: 'one', file: folder.file, runId, url, key: API_KEY }) ?? [];
      expect(line.length).toBeGreaterThan(0);
      const { contacted } = startTraced(name === 'auth login' ? line : [...line, '--base-url', url]);
      expect(await contacted).toEqual(REMOTE.has(name) ? [new URL(url).host] : []);
    },
  );

  it('contacts nobody with sandbox serve', async () => {
    // With -D, the signal reaches orgadm, and not the tracer.
    const serving = startTraced(['sandbox', 'serve', '--port', '0'], ['-D']);
    await serving.untilPrinted('Ctrl-C');
    expect(serving.child.kill('SIGINT')).toBe(true);
    expect(await serving.contacted).toEqual([]);
  });

  it('contacts the loopback address alone with --sandbox', async () => {
    const contacted = await startTraced(['findings', 'list', '--all', '--sandbox']).contacted;
    expect(contacted.map((address) => address.split(':')[0])).toEqual(['127.0.0.1']);
  });
});

/** A system call whose path is relative, or below this directory. A shell looks up `.` when it starts. */
const inDirectory = (directory: string) => new RegExp(`\\((?:AT_FDCWD, )?"(?!\\.")(?:[^/"]|${directory}/)`);

describe('the current directory', () => {
  it.each(['config list', 'auth status', 'findings list --all --sandbox', 'people bulk-add LIST --sandbox --dry-run'])(
    'has no file that orgadm reads without being told to: %s',
    async (line) => {
      writeFileSync(folder.file('list.csv'), 'userId,role\nusr_1,member\n');
      const [here, record] = [folder.file('here'), folder.file('files')];
      mkdirSync(here);
      const words = line.replace('LIST', folder.file('list.csv'));
      await startShell(folder.path, `cd ${here} && strace -f -qq -e trace=%file -o ${record} orgadm ${words}`).ended;
      const calls = readFileSync(record, 'utf8').split('\n');
      expect(calls.length).toBeGreaterThan(10);
      expect(calls.filter((call) => inDirectory(here).test(call))).toEqual([]);
    },
  );
});

describe('the trace', () => {
  it('would show a file of the current directory', () => {
    const calls = ['12 openat(AT_FDCWD, ".env", O_RDONLY) = 3', '12 stat("/home/ada/x/.env", 0x7f) = 0'];
    expect(calls.map((call) => inDirectory('/home/ada/x').test(call))).toEqual([true, true]);
  });

  it('would show another connection and a DNS query', () => {
    const lines = [
      '12 connect(18, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = -1 EINPROGRESS',
      '12 connect(19, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::7", &sin6_addr), sin6_scope_id=0}, 28) = -1 EINPROGRESS',
      '12 sendto(20, "", 28, MSG_NOSIGNAL, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.53")}, 16) = 28',
      '12 connect(21, {sa_family=AF_UNIX, sun_path="/tmp/lock"}, 110) = 0',
    ];
    expect(addressesIn(lines.join('\n'))).toEqual(['192.0.2.7:443', '2001:db8::7:443', '192.0.2.53:53']);
  });
});
