import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsAnyone, addsMembers } from '../helpers/people-service.ts';
import { drawnText, MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { textLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();

/** A terminal on which this is typed, without colors. */
const typing = (...typed: string[]) => ({ terminal: new MemoryTerminal(typed), env: { NO_COLOR: '1' } });

const oneLine = drawnText;

/** A list of two people, one of them rejected by the service. */
function writeList(): string {
  const list = cli.file('members.csv');
  writeFileSync(list, 'userId,role\nusr_1,member\nusr_2,member\n');
  return list;
}

describe('people bulk-add on a terminal', () => {
  it.each(['y', 'Y', '\x1b[C\r'])('imports once it is confirmed by %j, also with --json', async (typed) => {
    const { service, run } = await cli.scripted(addsMembers());
    const list = writeList();
    const { code, stderr } = await run(['people', 'bulk-add', list, '--json'], typing(typed));
    expect(code).toBe(0);
    expect(oneLine(stderr)).toContain(`Import 2 people from ${list} into ${service.url}?`);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['n', 2],
    ['\r', 2],
    ['\x03', 130],
    ['\x04', 130],
    ['\x1b', 130],
  ])('sends nothing and leaves no run behind for the reply %j', async (typed, code) => {
    const { service, run } = await cli.scripted(addsMembers());
    const result = await run(['people', 'bulk-add', writeList()], typing(typed));
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(oneLine(result.stderr)).toMatch(/ Canceled\. Nothing was sent\. $/);
    expect(service.requests).toEqual([]);
    expect((await run(['runs', 'list', '--json'])).json()).toEqual([]);
  });

  it('does not ask with --yes, in the sandbox, before an error, or if nothing is left to send', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const list = writeList();
    const quiet = await run(['people', 'bulk-add', list, '--yes', '--quiet'], typing());
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
    const finished = await run(['people', 'bulk-add', list], typing());
    expect(finished).toMatchObject({ code: 0, stderr: expect.stringContaining('--restart') });
    const skipped = cli.file('skipped.csv');
    writeFileSync(skipped, 'userId,role\nusr 1,member\n');
    const invalid = await run(['people', 'bulk-add', skipped, '--invalid', 'skip'], typing());
    expect(invalid).toMatchObject({ code: 2, stderr: expect.not.stringContaining('○ Yes') });
    const sandbox = await cli.sandbox(['people', 'bulk-add', 'examples/members.csv'], typing());
    expect({ code: sandbox.code, asks: sandbox.stderr.includes('○ Yes') }).toEqual({ code: 3, asks: false });
    expect(service.requests).toHaveLength(1);
  });

  it('asks about the people whom the run has left', async () => {
    const adds = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      service.requests.length === 2 ? { status: 403, body: { message: 'no' } } : adds(request, response),
    );
    const argv = ['people', 'bulk-add', writeList(), '--batch-size', '1', '--concurrency', '1'];
    expect((await run([...argv, '--yes'])).code).toBe(4);
    const { code, stderr } = await run(argv, typing('y'));
    expect(code).toBe(0);
    // What it continues comes before the question, which names the run, the list, and the service.
    expect(oneLine(stderr)).toMatch(/^.*\b[0-9a-f]{8}\b.* 2026-01-01.*\b1 of 2 people\b/);
    expect(oneLine(stderr)).toMatch(new RegExp(`\\b[0-9a-f]{8}: .* from ${argv[2]} into ${service.url}\\?`));
  });

  it('says before the question that the list has changed since an unfinished run', async () => {
    const { run } = await cli.scripted(addsMembers());
    expect((await run(['people', 'bulk-add', writeList(), '--limit', '1', '--yes'])).code).toBe(3);
    const list = writeList();
    appendFileSync(list, 'usr_9,member\n');
    const { stderr } = await run(['people', 'bulk-add', list], typing('n'));
    expect(oneLine(stderr)).toMatch(/ run [0-9a-f]{8}\b.*\b1 person .*\b1 unsent\b.* 3 people from .*\?/);
  });

  it('asks about the failed rows of a finished run', async () => {
    const { service, run } = await cli.scripted(addsMembers({ rejected: { usr_2: 'not found' } }));
    const argv = ['people', 'bulk-add', writeList()];
    expect((await run([...argv, '--yes'])).code).toBe(3);
    const { code, stderr } = await run(argv, typing('n'));
    expect({ code, requests: service.requests.length }).toEqual({ code: 2, requests: 1 });
    expect(oneLine(stderr)).toMatch(new RegExp(`\\b1 failed row from ${argv[2]} to ${service.url}\\b.*\\?`));
  });

  it('sends nothing if another process has continued the run in the meantime', async () => {
    const adds = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      service.requests.length === 2 ? { status: 403, body: { message: 'no' } } : adds(request, response),
    );
    const argv = ['people', 'bulk-add', writeList(), '--batch-size', '1', '--concurrency', '1'];
    expect((await run([...argv, '--yes'])).code).toBe(4);
    const terminal = new MemoryTerminal([], async () => {
      await run([...argv, '--yes']);
      terminal.write('y');
    });
    const { code, stderr } = await run(argv, { ...typing(), terminal });
    expect({ code, requests: service.requests.length }).toEqual({ code: 2, requests: 3 });
    expect(oneLine(stderr)).toMatch(new RegExp(`error: .*${argv[2]}`));
  });

  it.each<{ before: string[][]; confirmed: string[]; when: string }>([
    { when: 'to begin a run', before: [], confirmed: [] },
    { when: 'to send the failed rows again', before: [[]], confirmed: [] },
    { when: 'to begin with --restart', before: [[]], confirmed: ['--restart'] },
  ])('sends nothing if another process has imported the list since the user confirmed $when', async (given) => {
    const { service, run } = await cli.scripted(addsMembers({ rejected: { usr_2: 'not found' } }));
    const argv = ['people', 'bulk-add', writeList()];
    for (const options of given.before) await run([...argv, ...options, '--yes']);
    let sent = 0;
    const terminal = new MemoryTerminal([], async () => {
      await run([...argv, ...given.confirmed, '--yes'], { clock: createAutoClock(Date.UTC(2026, 0, 1, 9)) });
      sent = service.requests.length;
      terminal.write('y');
    });
    const { code, stderr } = await run([...argv, ...given.confirmed], { ...typing(), terminal });
    expect({ code, requests: service.requests.length }, stderr).toEqual({ code: 2, requests: sent });
    expect(oneLine(stderr)).toMatch(new RegExp(`error: .*${argv[2]}`));
  });

  it('imports the list if another process has meanwhile imported another one', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const other = cli.file('other.csv');
    writeFileSync(other, 'userId,role\nusr_3,member\n');
    const terminal = new MemoryTerminal([], async () => {
      await run(['people', 'bulk-add', other, '--yes']);
      terminal.write('y');
    });
    const { code } = await run(['people', 'bulk-add', writeList()], { ...typing(), terminal });
    expect({ code, requests: service.requests.length }).toEqual({ code: 0, requests: 2 });
  });
});

describe('role update on a terminal', () => {
  const PERMISSION = ['role', 'update', 'rol_1', '--permission', 'control=read'];

  it('asks after the warning before it replaces permissions', async () => {
    const { service, run } = await cli.scripted(() => ({ body: { id: 'rol_1' } }));
    const declined = await run(PERMISSION, typing('n'));
    expect(declined.code).toBe(2);
    expect(declined.stderr).toMatch(/^warning: .*rol_1: control \(read\)\n/);
    expect(declined.stderr).toContain(`Update role rol_1 at ${service.url}?`);
    expect(declined.stderr).toContain('Canceled. Nothing was sent.');
    expect(service.requests).toEqual([]);
    expect((await run(PERMISSION, typing('y'))).code).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it('warns before it asks that a new name may take the role away, and in a dry run', async () => {
    const { service, run } = await cli.scripted([]);
    const argv = ['role', 'update', 'rol_1', '--name', 'Auditor'];
    const declined = await run(argv, typing('n'));
    expect(declined.code).toBe(2);
    expect(declined.stderr).toMatch(/^warning: .* rol_1 away .*\n[\s\S]*○ Yes/);
    expect((await run([...argv, '--dry-run'])).stderr).toMatch(/^warning: .* rol_1 away/m);
    expect(service.requests).toEqual([]);
  });

  it('does not ask with --yes', async () => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1' } }]);
    const { code, stderr } = await run([...PERMISSION, '--yes'], typing());
    expect(code).toBe(0);
    expect(stderr).not.toContain('○ Yes');
  });

  it('does not ask in the sandbox', async () => {
    const argv = ['role', 'update', 'rol_custom_1', '--obligation', 'compliance=true'];
    const { code, stderr } = await cli.sandbox(argv, typing());
    expect(code).toBe(0);
    expect(stderr).toMatch(/^.* rol_custom_1 in .*\n/);
  });
});

describe('the target of a change', () => {
  it('says how many people are sent with --limit', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', writeList(), '--limit', '1'];
    expect((await run(argv)).stderr).toMatch(new RegExp(`\\b1 of 2 people into ${service.url}\n`));
    expect((await run(argv.slice(0, -2))).stderr).toMatch(new RegExp(` person into ${service.url}\n`));
  });

  it('names the profile that the service or the key comes from', async () => {
    const { service, run } = await cli.scripted(addsAnyone());
    const login = ['auth', 'login', '--profile', 'prod', '--base-url', service.url, '--key-file', '-', '--force'];
    await run(login, { stdin: 'k'.repeat(20), env: { ORGADM_BASE_URL: '' } });
    const argv = ['people', 'bulk-add', writeList(), '--profile', 'prod'];
    expect((await run(argv)).stderr).toContain(`${service.url} (profile prod)\n`);
    const role = ['role', 'update', 'rol_1', '--name', 'QA', '--profile', 'prod', '--dry-run'];
    expect((await run(role)).stderr).toContain(`rol_1 at ${service.url} (profile prod)\n`);
  });

  it('is named by a dry run, which sends nothing', async () => {
    const { service, run } = await cli.scripted([]);
    expect((await run(['people', 'bulk-add', writeList(), '--dry-run'])).stderr).toMatch(
      new RegExp(`\\b2 people into ${service.url}\n$`),
    );
    expect(service.requests).toEqual([]);
  });
});

describe('the next step after an import', () => {
  const EXISTING = 'already a member of this organization';

  it.each<{ rejected: Record<string, string>; more: string[]; step: string }>([
    { rejected: {}, more: [], step: '' },
    {
      rejected: { usr_1: EXISTING },
      more: [],
      step: '… --ignore-existing\n',
    },
    { rejected: { usr_1: EXISTING }, more: ['--ignore-existing'], step: '' },
    {
      rejected: { usr_1: EXISTING, usr_2: 'no seats' },
      more: [],
      step: '…: orgadm runs show <id> --errors-file rejected.csv\n',
    },
  ])('is $step for the rejected rows $rejected with the options $more', async ({ rejected, more, step }) => {
    const { run } = await cli.scripted(addsMembers({ rejected }));
    const { stderr } = await run(['people', 'bulk-add', writeList(), ...more]);
    const shown = stderr.replace(/[0-9a-f]{8}(?= --errors)/, '<id>');
    expect(shown.split('\n').slice(3).join('\n')).toMatch(textLike(step));
  });

  it('saves the rejected rows without sending anything', async () => {
    const { service, run } = await cli.scripted(addsMembers({ rejected: { usr_1: 'no', usr_2: 'no' } }));
    const imported = await run(['people', 'bulk-add', writeList()]);
    const [, command = ''] = /orgadm (runs show [0-9a-f]{8})/.exec(imported.stderr) ?? [];
    const { stderr } = await run([...command.split(' '), '--errors-file', cli.file('rejected.csv')]);
    expect(stderr.split('\n').slice(1).join('\n')).toMatch(
      textLike(`… 2 rows … ${cli.file('rejected.csv')}\nAfter you fix them, …\n`),
    );
    expect(service.requests).toHaveLength(1);
  });
});

describe('--no-input', () => {
  const forbidden = [
    { name: '--no-input', options: ['--no-input'], env: {} },
    { name: 'ORGADM_NO_INPUT', options: [], env: { ORGADM_NO_INPUT: '1' } },
    { name: 'TERM=dumb', options: [], env: { TERM: 'dumb' } },
  ];

  it.each(forbidden)(
    '$name on a terminal rejects a change that needs a confirmation',
    async ({ name, options, env }) => {
      const { service, run } = await cli.scripted([]);
      const terminal = typing();
      const onTerminal = { ...terminal, env: { ...terminal.env, ...env } };
      for (const argv of [
        ['people', 'bulk-add', writeList()],
        ['role', 'update', 'rol_1', '--permission', 'control=read'],
      ]) {
        const { code, stdout, stderr } = await run([...argv, ...options], onTerminal);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(oneLine(stderr)).toMatch(new RegExp(`error: .*${name}.* hint: .*--yes`));
      }
      expect(service.requests).toEqual([]);
    },
  );

  it.each(forbidden)('$name on a terminal names the options of a login', async ({ name, options, env }) => {
    const terminal = typing();
    const { code, stderr } = await cli.plain(['auth', 'login', '--base-url', 'http://127.0.0.1:9', ...options], {
      ...terminal,
      env: { ...terminal.env, ...env },
    });
    expect(code).toBe(2);
    expect(oneLine(stderr)).toMatch(new RegExp(`error: .*${name}.* hint: .*--key-file.*ORGADM_API_KEY`));
  });

  it('changes nothing where orgadm does not prompt: with --yes, in the sandbox, and without a terminal', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    expect((await run(['people', 'bulk-add', writeList(), '--yes', '--no-input'], typing())).code).toBe(0);
    expect((await run(['people', 'bulk-add', writeList(), '--restart', '--no-input'])).code).toBe(0);
    expect(service.requests).toHaveLength(2);
    expect((await cli.sandbox(['people', 'bulk-add', 'examples/members.csv', '--no-input'], typing())).code).toBe(3);
  });

  it('is off for ORGADM_NO_INPUT=false, and rejects any other word', async () => {
    const { run } = await cli.scripted(addsMembers());
    const terminal = typing('y');
    const argv = ['people', 'bulk-add', writeList()];
    const env = { ...terminal.env, ORGADM_NO_INPUT: 'false' };
    expect((await run(argv, { ...terminal, env })).stderr).toContain('○ Yes');
    const { code, stderr } = await run([...argv, '--restart'], {
      ...typing(),
      env: { ...env, ORGADM_NO_INPUT: 'maybe' },
    });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('ORGADM_NO_INPUT: "maybe"') });
  });
});
