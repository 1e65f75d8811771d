import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsAnyone, addsMembers } from '../helpers/people-service.ts';
import { drawnText, MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();

/** A terminal on which this is typed, without colors. */
const typing = (...typed: string[]) => ({ terminal: new MemoryTerminal(typed), env: { NO_COLOR: '1' } });

const QUESTION = '○ Yes';
const UPDATE = ['role', 'update', 'rol_1', '--permission', 'control=read'];

/** The import of a list of two people. */
function importList(): string[] {
  const list = cli.file('members.csv');
  writeFileSync(list, 'userId,role\nusr_1,member\nusr_2,member\n');
  return ['people', 'bulk-add', list];
}

describe('people bulk-add on a terminal', () => {
  it('imports once it is confirmed, also with --json', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const argv = importList();
    const { code, stderr } = await run([...argv, '--json'], typing('y'));
    expect(code).toBe(0);
    expect(drawnText(stderr)).toContain(`Import 2 people from ${argv[2]} into ${service.url}?`);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['n', 2],
    ['\r', 2],
    ['\x03', 130],
  ])('sends nothing and leaves no run behind for the reply %j', async (typed, code) => {
    const { service, run } = await cli.scripted(addsMembers());
    const result = await run(importList(), typing(typed));
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(service.requests).toEqual([]);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('asks neither with --yes, nor in the sandbox, before an error, or if nothing is left to send', async () => {
    const { run } = await cli.scripted(addsMembers());
    expect(await run([...importList(), '--yes', '--quiet'], typing())).toMatchObject({ code: 0, stderr: '' });
    const finished = await run(importList(), typing());
    const invalid = cli.file('invalid.csv');
    writeFileSync(invalid, 'userId,role\nusr 1,member\n');
    const skipped = await run(['people', 'bulk-add', invalid, '--invalid', 'skip'], typing());
    const sandbox = await cli.sandbox(['people', 'bulk-add', 'examples/members.csv', '--no-input'], typing());
    expect([finished.code, skipped.code, sandbox.code]).toEqual([0, 2, 3]);
    for (const { stderr } of [finished, skipped, sandbox]) expect(stderr).not.toContain(QUESTION);
  });

  it('asks about the people whom a run has left, or the failed rows of a finished one', async () => {
    const adds = addsMembers({ rejected: { usr_2: 'not found' } });
    const { service, run } = await cli.scripted((request, response) =>
      service.requests.length === 2 ? { status: 403, body: { message: 'no' } } : adds(request, response),
    );
    const argv = [...importList(), '--batch-size', '1', '--concurrency', '1'];
    expect((await run([...argv, '--yes'])).code).toBe(4);
    const { code, stderr } = await run(argv, typing('y'));
    expect(code).toBe(3);
    // What it continues comes before the question, which names the run, the list, and the service.
    expect(drawnText(stderr)).toMatch(/^.*\b[0-9a-f]{8}\b.* 2026-01-01.*\b1 of 2 people\b/);
    expect(drawnText(stderr)).toMatch(new RegExp(`\\b[0-9a-f]{8}: .* from ${argv[2]} into ${service.url}\\?`));
    const failed = await run(argv, typing('n'));
    expect(drawnText(failed.stderr)).toMatch(new RegExp(`\\b1 failed row from ${argv[2]} to ${service.url}\\b.*\\?`));
  });

  it.each<{ before: string[][]; confirmed: string[]; when: string }>([
    { when: 'to begin a run', before: [], confirmed: [] },
    { when: 'to continue a run', before: [['--limit', '1']], confirmed: [] },
    { when: 'to send the failed rows again', before: [[]], confirmed: [] },
    { when: 'to begin with --restart', before: [[]], confirmed: ['--restart'] },
  ])('sends nothing if another process has sent the list since the user confirmed $when', async (given) => {
    const { service, run } = await cli.scripted(addsMembers({ rejected: { usr_2: 'not found' } }));
    const argv = importList();
    for (const options of given.before) await run([...argv, ...options, '--yes']);
    let sent = 0;
    const terminal = new MemoryTerminal([], async () => {
      await run([...argv, ...given.confirmed, '--yes'], { clock: createAutoClock(Date.UTC(2026, 0, 1, 9)) });
      sent = service.requests.length;
      terminal.write('y');
    });
    const { code, stderr } = await run([...argv, ...given.confirmed], { ...typing(), terminal });
    expect({ code, requests: service.requests.length }, stderr).toEqual({ code: 2, requests: sent });
    expect(sent).toBe(given.before.length + 1);
    expect(drawnText(stderr)).toMatch(new RegExp(`error: .*${argv[2]}`));
  });

  it('imports the list if another process has meanwhile imported another one', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const other = cli.file('other.csv');
    writeFileSync(other, 'userId,role\nusr_3,member\n');
    const terminal = new MemoryTerminal([], async () => {
      await run(['people', 'bulk-add', other, '--yes']);
      terminal.write('y');
    });
    const { code } = await run(importList(), { ...typing(), terminal });
    expect({ code, requests: service.requests.length }).toEqual({ code: 0, requests: 2 });
  });
});

describe('role update on a terminal', () => {
  it('asks after its warnings, and sends nothing without a yes', async () => {
    const { service, run } = await cli.scripted(() => ({ body: { id: 'rol_1' } }));
    const declined = await run(UPDATE, typing('n'));
    expect(declined.code).toBe(2);
    expect(declined.stderr).toMatch(/^warning: .*rol_1: control \(read\)\n[\s\S]*○ Yes/);
    expect(declined.stderr).toContain(`Update role rol_1 at ${service.url}?`);
    expect(drawnText(declined.stderr)).toMatch(/ Canceled\. Nothing was sent\. $/);
    expect(service.requests).toEqual([]);
    expect((await run(UPDATE, typing('y'))).code).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it('asks neither with --yes nor in the sandbox', async () => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1' } }]);
    const confirmed = await run([...UPDATE, '--yes'], typing());
    const sandbox = await cli.sandbox(['role', 'update', 'rol_custom_1', '--obligation', 'a=true'], typing());
    for (const { code, stderr } of [confirmed, sandbox]) {
      expect(code).toBe(0);
      expect(stderr).not.toContain(QUESTION);
    }
  });
});

it('a change names its target, and the profile that the service or the key comes from', async () => {
  const { service, run } = await cli.scripted(addsAnyone());
  const login = ['auth', 'login', '--profile', 'prod', '--base-url', service.url, '--key-file', '-', '--force'];
  await run(login, { stdin: 'k'.repeat(20), env: { ORGADM_BASE_URL: '' } });
  for (const profile of [[], ['--profile', 'prod']]) {
    const named = profile.length === 0 ? service.url : `${service.url} (profile prod)`;
    for (const argv of [importList(), [...importList(), '--dry-run'], [...UPDATE, '--dry-run']])
      expect((await run([...argv, ...profile])).stderr).toContain(`${named}\n`);
  }
});

describe('a terminal on which orgadm must not ask', () => {
  it.each([
    { name: '--no-input', options: ['--no-input'], env: {} },
    { name: 'ORGADM_NO_INPUT', options: [], env: { ORGADM_NO_INPUT: '1' } },
    { name: 'TERM=dumb', options: [], env: { TERM: 'dumb' } },
  ])('because of $name needs --yes for a change, and the options of a login', async ({ name, options, env }) => {
    const { service, run } = await cli.scripted(addsMembers());
    const onTerminal = () => ({ ...typing(), env: { NO_COLOR: '1', ...env } });
    for (const argv of [importList(), UPDATE]) {
      const { code, stdout, stderr } = await run([...argv, ...options], onTerminal());
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(drawnText(stderr)).toMatch(new RegExp(`error: .*${name}.* hint: .*--yes`));
    }
    expect(service.requests).toEqual([]);
    expect((await run([...importList(), '--yes', ...options], onTerminal())).code).toBe(0);
    // Without a terminal, orgadm never asks.
    expect((await run([...importList(), '--restart', ...options], { env })).code).toBe(0);
    const login = await cli.plain(['auth', 'login', '--base-url', 'http://127.0.0.1:9', ...options], onTerminal());
    expect(login.code).toBe(2);
    expect(drawnText(login.stderr)).toMatch(new RegExp(`error: .*${name}.* hint: .*--key-file.*ORGADM_API_KEY`));
  });

  it('is none for ORGADM_NO_INPUT=false, and any other word is rejected', async () => {
    const { run } = await cli.scripted([]);
    const asked = await run(importList(), { ...typing('n'), env: { ORGADM_NO_INPUT: 'false' } });
    expect(asked.stderr).toContain(QUESTION);
    const { code, stderr } = await run(importList(), { ...typing(), env: { ORGADM_NO_INPUT: 'maybe' } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('ORGADM_NO_INPUT: "maybe"') });
  });
});
