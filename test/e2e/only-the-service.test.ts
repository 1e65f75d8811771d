import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { acceptingService, COMMAND_LINES, COMMAND_NAMES } from '../helpers/command-lines.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { ORGADM } from '../helpers/orgadm-program.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';
import { triedCases } from '../helpers/tried-cases.ts';

/*
 * The README promises that orgadm contacts only the service of its user. Here the kernel is the witness: strace records every
 * address to which the built program connects or sends a datagram, such as a DNS query.
 */

const run = promisify(execFile);
const folder = temporaryCliDirectory();
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

/** Runs the built program and returns the addresses that it contacted. */
async function contactedBy(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<string[]> {
  const record = folder.file('trace');
  const trace = ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=connect,sendto,sendmsg,sendmmsg', '-o', record];
  const command = [...trace, ...ORGADM, ...argv];
  const home = { HOME: folder.path, PATH: process.env.PATH ?? '' };
  // The exit code is that of the command, which some of these lines fail with.
  await run('strace', command, { env: { ...home, ...env }, timeout: 20_000 }).catch((error: { killed?: boolean }) =>
    expect(error.killed).toBe(false),
  );
  return addressesIn(readFileSync(record, 'utf8'));
}

/** Commands that send requests. All others contact nobody. */
const REMOTE = new Set([
  ...['role update', 'people bulk-add', 'domain status', 'findings list', 'auth login', 'auth status', 'api'],
]);

describe('orgadm', () => {
  it.each(triedCases(COMMAND_NAMES.filter((name) => name !== 'sandbox serve')))(
    'contacts only the service with %s',
    async (name) => {
      const service = opened(await startScriptedService(acceptingService('one')));
      const [line = []] =
        COMMAND_LINES[name]?.({ text: 'one', file: folder.file, runId: 'none', url: service.url, key: CANARY_KEY }) ??
        [];
      const contacted = await contactedBy(line, { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: CANARY_KEY });
      expect(contacted).toEqual(REMOTE.has(name) ? [new URL(service.url).host] : []);
    },
    30_000,
  );

  it('contacts the loopback address alone with --sandbox', async () => {
    const contacted = await contactedBy(['findings', 'list', '--all', '--sandbox'], {});
    expect(contacted.map((address) => address.split(':')[0])).toEqual(['127.0.0.1']);
  });
});

describe('the trace', () => {
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
