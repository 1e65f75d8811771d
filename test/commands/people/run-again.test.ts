import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journalOf, rewriteRecords, users } from '../../e2e/journal-files.ts';
import { API_KEY, withDefaults } from '../../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { type CliOptions, type CliResult, runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';
import { runDirectories } from '../runs/run-fixtures.ts';

const folder = temporaryFolder();

const FIRST_MS = Date.UTC(2026, 10, 20, 23, 14);
const DAY_MS = 24 * 3_600_000;
const SENDING = { '--batch-size': '2', '--concurrency': '1', '--request-lifetime': '1ms' };
const ACTIVE = ['--active', 'all'];
const MAPPING = ['--map', 'userId=Account', '--default', 'role=member', ...ACTIVE];
const LOOKUP = ['--lookup', 'directory.csv:email=id'];

function writeList(people: readonly string[] = users(6)): void {
  writeFileSync(folder.file('people.csv'), `Account\n${people.map((id) => `${id}\n`).join('')}`);
}

interface Import {
  /** Options about the list. */
  more?: readonly string[];
  file?: string;
  key?: string;
  /** Days after the first import. */
  days?: number;
  options?: CliOptions;
}

async function importList(service: PeopleService, { more = MAPPING, file, key, days = 0, options }: Import = {}) {
  const args = [
    'people',
    'bulk-add',
    file ?? folder.file('people.csv'),
    '--base-url',
    service.url,
    ...withDefaults(SENDING, more),
    '--json',
  ];
  return runCli(folder.path, args, {
    env: { ORGADM_API_KEY: key ?? API_KEY },
    clock: createAutoClock(FIRST_MS + days * DAY_MS),
    ...options,
  });
}

/** A run of six people that ended after two, because the key lost its permission. The service has recovered since. */
async function unfinished(first: Import = {}): Promise<PeopleService> {
  writeList();
  const service = await startPeopleService(({ number }) =>
    number > 1 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
  );
  const result = await importList(service, first);
  expect(reportOf(result).summary).toMatchObject({ created: 2, unsent: 4 });
  service.step = () => 'respond';
  service.sends.clear();
  return service;
}

const firstLine = ({ stderr }: CliResult) => stderr.split('\n')[0]?.replaceAll(/\b[0-9a-f]{8}\b/g, '<id>');

/** Says which run goes on, and how far it is. */
const CONTINUING = /^.* <id> \(.*, started 2026-11-20 23:14 UTC\): 4 of 6 /;
const THE_LAST_FOUR = users(6).slice(2);

describe('the same command', () => {
  it.each<[string, Import]>([
    ['the same options', {}],
    [
      'equivalent options',
      { more: [...ACTIVE, '--default', 'role=member', '--map', 'userId=ACCOUNT', '--header-row', '1'] },
    ],
    ['a mapping file with the same mapping', { more: ['--mapping', 'mapping.json'] }],
    [
      'another batch size and existing members ignored',
      { more: [...MAPPING, '--batch-size', '3', '--ignore-existing'] },
    ],
    ['another path of the same list', { file: 'copy.csv' }],
    ['other options that lead to the same people', { more: [...MAPPING, '--header-row', '1', '--invalid', 'skip'] }],
    ['the same list on standard input', { file: '-' }],
  ])('continues an unfinished run with %s', async (name, again) => {
    const service = await unfinished(
      name === 'equivalent options'
        ? { more: ['--header-row', '1', '--map', 'userId=account', '--default', 'role=member', ...ACTIVE] }
        : {},
    );
    const mapping = folder.file('mapping.json');
    writeFileSync(
      mapping,
      JSON.stringify({ columns: { userId: 'Account' }, default: { role: 'member' }, active: 'all' }),
    );
    const copy = folder.file('copy.csv');
    writeFileSync(copy, readFileSync(folder.file('people.csv')));
    const result = await importList(service, {
      ...again,
      ...(again.file === 'copy.csv' && { file: copy }),
      more: (again.more ?? MAPPING).map((word) => (word === 'mapping.json' ? mapping : word)),
      ...(again.file === '-' && {
        options: { env: { ORGADM_API_KEY: API_KEY }, stdin: readFileSync(copy) },
      }),
    });
    expect(firstLine(result)).toMatch(CONTINUING);
    expect(result.json()).toMatchObject({ run: { continued: true } });
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 6 }));
    expect([...service.sends.keys()]).toEqual(THE_LAST_FOUR);
  });

  it('counts the rows of unknown outcome, which it sends in addition to those that --limit allows', async () => {
    writeList();
    const service = await startPeopleService(({ number }) => ({
      status: number === 1 ? 500 : 403,
      body: { message: 'failed' },
    }));
    expect(reportOf(await importList(service)).summary).toMatchObject({ unknown: 2, unsent: 4 });
    service.step = () => 'respond';
    const { stderr } = await importList(service, { more: [...MAPPING, '--limit', '1'] });
    expect(stderr).toMatch(/\b3 of the remaining 6 people \(2 /);
    expect([...service.sends.keys()].sort()).toEqual(['usr_001', 'usr_002', 'usr_003']);
  });

  it('stops at --limit if rows are left, and says so', async () => {
    writeList(users(3));
    const service = await startPeopleService();
    const limited = await importList(service, { more: [...MAPPING, '--limit', '2'] });
    expect(limited.code).toBe(3);
    expect(reportOf(limited).summary).toMatchObject({
      created: 2,
      unsent: 1,
      stopped: { code: 'limit' },
    });
    const rest = await importList(service, { more: [...MAPPING, '--limit', '1'] });
    expect({ code: rest.code, ...reportOf(rest).summary }).toMatchObject({ code: 0, created: 3, stopped: null });
  });

  it('says how many people it is about to send, of which --limit may leave out some', async () => {
    const list = folder.file('roles.csv');
    writeFileSync(list, 'userId,role\nusr_1,admin\nusr_2,admin\nbad_3,member\nusr_4,owner\nusr_5,owner\n');
    const service = await startPeopleService();
    const importing = async (more: readonly string[]) => {
      const { stderr } = await runCli(folder.path, ['people', 'bulk-add', list, '--base-url', service.url, ...more], {
        env: { ORGADM_API_KEY: API_KEY },
      });
      return /^Importing (.*) into/m.exec(stderr)?.[1];
    };
    expect(await importing(['--limit', '3'])).toBe('3 of 5 people');
    expect(await importing([])).toBe('the remaining 2 people');
    // Sends the failed row again.
    expect(await importing([])).toBe('1 person');
  });

  it.each<[string, string, (service: PeopleService) => Promise<CliResult>]>([
    [
      'a changed row',
      'people.csv or its options have changed …',
      async (service) => {
        writeList([...users(5), 'usr_900']);
        return importList(service, { days: 1 });
      },
    ],
    [
      'a changed mapping',
      'people.csv or its options have changed …',
      (service) =>
        importList(service, { days: 1, more: ['--map', 'userId=Account', '--default', 'role=admin', ...ACTIVE] }),
    ],
    [
      'another key',
      'The API key has changed since run <id>, …',
      (service) => importList(service, { days: 1, key: 'key_of_another_admin_88' }),
    ],
  ])('starts a new run with %s, and says what the old one has left', async (_, line, again) => {
    const service = await unfinished();
    const result = await again(service);
    expect(firstLine(result)?.replace(folder.file('people.csv'), 'people.csv')).toMatch(textLike(line));
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
    expect(service.sends.size).toBe(6);
    const runs = (await runCli(folder.path, ['runs', 'list', '--json'])).json() as { state: string }[];
    expect(runs.map(({ state }) => state).sort()).toEqual(['finished', 'superseded']);
  });

  it('starts a new run if the second list of --lookup has other IDs', async () => {
    writeFileSync(folder.file('people.csv'), 'Account\nmei@example.com\nada@example.com\n');
    const directory = folder.file('directory.csv');
    writeFileSync(directory, 'email,id\nmei@example.com,usr_1\nada@example.com,usr_2\n');
    const more = [...MAPPING, ...LOOKUP.map((word) => word.replace('directory.csv', directory))];
    const service = await startPeopleService();
    await importList(service, { more });
    expect(firstLine(await importList(service, { more }))).toContain('--restart');
    writeFileSync(directory, 'email,id\nmei@example.com,usr_1\nada@example.com,usr_3\n');
    const changed = await importList(service, { more });
    expect(reportOf(changed).summary).toEqual(counts({ total: 2, created: 1, existing: 1 }));
  });

  it('starts a run for each list, and says nothing about the others', async () => {
    const service = await unfinished();
    const other = folder.file('contractors.csv');
    writeFileSync(other, 'Account\nusr_901\n');
    const result = await importList(service, { file: other });
    expect({ first: firstLine(result), ...reportOf(result).summary }).toEqual({
      first: expect.stringContaining('1 person '),
      ...counts({ total: 1, created: 1 }),
    });
  });

  it('says nothing about a finished run of the same path when it sends another list', async () => {
    writeList();
    const service = await startPeopleService();
    await importList(service);
    writeList([...users(5), 'usr_900']);
    const result = await importList(service);
    expect({ stderr: result.stderr, ...reportOf(result).summary }).toEqual({
      stderr: expect.not.stringContaining('run'),
      ...counts({ total: 6, created: 1, existing: 5 }),
    });
  });

  it('starts a run for each service', async () => {
    const staging = await unfinished();
    const production = await startPeopleService();
    const result = await importList(production);
    expect(firstLine(result)).toMatch(partLike(` 6 people … ${production.url}`));
    expect(production.sends.size).toBe(6);
    expect(firstLine(await importList(staging))).toMatch(CONTINUING);
  });

  it('prints the report of a finished run without failed rows, and sends nothing', async () => {
    writeList();
    const service = await startPeopleService();
    await importList(service);
    const journal = journalOf(folder.path) ?? 'none';
    const recorded = readFileSync(journal, 'utf8');
    const result = await importList(service, { days: 2 });
    expect(readFileSync(journal, 'utf8')).toBe(recorded);
    expect(firstLine(result)).toMatch(
      partLike(`${folder.file('people.csv')} … 2026-11-20 23:14 UTC (run <id>)… --restart`),
    );
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 6, created: 6 }),
    });
    expect(service.requests).toBe(3);
    const argv = ['people', 'bulk-add', folder.file('people.csv'), '--base-url', service.url, ...MAPPING];
    const table = await runCli(folder.path, argv, { env: { ORGADM_API_KEY: API_KEY } });
    expect(table.stdout).toMatch(/^✓ .*\b6 created\b/m);
  });

  it('sends the failed rows of a finished run again, and nothing else', async () => {
    writeList([...users(3), 'bad_004']);
    const service = await startPeopleService();
    await importList(service);
    service.sends.clear();
    const result = await importList(service);
    expect(firstLine(result)).toMatch(partLike('1 failed row of run <id>'));
    expect([...service.sends.keys()]).toEqual(['bad_004']);
  });

  it('continues the earlier run when the list is as it was again', async () => {
    const service = await unfinished();
    writeList([...users(5), 'usr_900']);
    await importList(service);
    writeList();
    service.sends.clear();
    expect(firstLine(await importList(service))).toBe(
      `Continuing run <id> (${folder.file('people.csv')}, started 2026-11-20 23:14 UTC): 4 of 6 people are left`,
    );
    expect([...service.sends.keys()]).toEqual(THE_LAST_FOUR);
  });

  it('continues the last run, also if the clock has been set back since an earlier one', async () => {
    writeList();
    const service = await startPeopleService();
    await importList(service, { days: 2 });
    const restarted = await importList(service, { days: 1, more: [...MAPPING, '--restart', '--limit', '2'] });
    expect(reportOf(restarted).summary).toMatchObject({ existing: 2, unsent: 4 });
    const result = await importList(service, { days: 1 });
    expect(firstLine(result)).toMatch(/<id> .*: 4 of 6 /);
    expect(reportOf(result).summary).toEqual(counts({ total: 6, existing: 6 }));
  });

  it('starts a new run 30 days after the last request of an unfinished one, which is removed', async () => {
    const service = await unfinished();
    // The system has the time of its files.
    for (const directory of runDirectories(folder.path)) utimesSync(join(directory, 'journal'), 0, FIRST_MS / 1000);
    const before = await importList(service, { days: 29.9, more: [...MAPPING, '--limit', '1'] });
    expect(firstLine(before)).toMatch(CONTINUING);
    for (const directory of runDirectories(folder.path)) utimesSync(join(directory, 'journal'), 0, FIRST_MS / 1000);
    const result = await importList(service, { days: 60.1 });
    expect(result.stderr).not.toContain('run');
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 3, existing: 3 }));
    expect(runDirectories(folder.path)).toHaveLength(1);
  });

  it.each([
    [[], ''],
    [['--restart'], ' without --restart…'],
    [['--limit', '4'], ' without --limit…'],
    [['--restart', '--limit', '4'], ' without --restart and --limit…'],
  ])('is named by the next step of an unfinished run with %j, without what would start over', async (options, step) => {
    writeList();
    const service = await startPeopleService(({ number }) =>
      number > 1 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
    );
    const { stderr } = await importList(service, { more: [...MAPPING, ...options] });
    expect(stderr).toMatch(partLike(`${step}orgadm runs resume `));
  });

  it('is named without --limit by the next step of a list from standard input, and sends the rest', async () => {
    const stdin = `Account\n${users(6).join('\n')}\n`;
    const options = { env: { ORGADM_API_KEY: API_KEY }, stdin };
    const service = await startPeopleService();
    const first = await importList(service, { file: '-', more: [...MAPPING, '--limit', '4'], options });
    expect(first.stderr).toMatch(/ without --limit, or: orgadm runs resume [0-9a-f]{8}\n/);
    const rest = await importList(service, { file: '-', options });
    expect({ code: rest.code, ...reportOf(rest).summary }).toEqual({ code: 0, ...counts({ total: 6, created: 6 }) });
  });

  it('sends nothing of a list whose rows are all invalid', async () => {
    writeFileSync(folder.file('people.csv'), 'userId,role\n,member\n');
    const service = await startPeopleService();
    expect((await importList(service, { more: ['--invalid', 'skip'] })).code).toBe(2);
    expect(service.requests).toBe(0);
  });

  it('exits 2 for a damaged run, and names --restart', async () => {
    const service = await unfinished();
    const [directory = ''] = runDirectories(folder.path);
    const journal = join(directory, 'journal');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"request":1', '"request":7'));
    const result = await importList(service);
    expect({ code: result.code, sends: service.sends.size }).toEqual({ code: 2, sends: 0 });
    expect(errorOf(result).hint).toContain('add --restart');
    writeList([...users(5), 'usr_900']);
    const changed = await importList(service);
    expect(reportOf(changed).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
  });
});

describe('a journal that another version of orgadm wrote', () => {
  /** Changes the format of the journal of an unfinished run by this many versions. */
  async function unfinishedInFormat(step: number): Promise<PeopleService> {
    const service = await unfinished();
    rewriteRecords(journalOf(folder.path) ?? 'none', (json) =>
      json.replace(/"version":(\d+),.*/, (rest, version) =>
        rest
          .replace(`"version":${version},`, `"version":${Number(version) + step},"of":"another format",`)
          .replace(/"total":\d+,/, ''),
      ),
    );
    service.requests = 0;
    return service;
  }

  it.each([
    ['an older', -1, {}],
    ['a newer', 1, {}],
    ['a newer', 1, { file: 'copy.csv' }],
    ['a newer', 1, { key: 'key_of_another_admin_88' }],
  ])('stops an import of the same list before anything is sent: %s one (%j)', async (version, step, again: Import) => {
    const service = await unfinishedInFormat(step);
    const copy = folder.file('copy.csv');
    writeFileSync(copy, readFileSync(folder.file('people.csv')));
    const result = await importList(service, { ...again, ...(again.file !== undefined && { file: copy }) });
    expect({ code: result.code, stdout: result.stdout, requests: service.requests }).toEqual({
      code: 2,
      stdout: '',
      requests: 0,
    });
    expect(errorOf(result)).toMatchObject({
      code: 'journal-damaged',
      message: expect.stringMatching(partLike(`${journalOf(folder.path)} … ${version} version of orgadm`)),
      hint: expect.stringContaining('--restart'),
    });
  });

  it('is left behind with --restart, whose run the same command continues', async () => {
    const service = await unfinishedInFormat(1);
    const restarted = await importList(service, { more: [...MAPPING, '--restart', '--limit', '2'] });
    expect(reportOf(restarted).summary).toMatchObject({ existing: 2, unsent: 4 });
    const result = await importList(service);
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
  });

  it('does not stop the import of a changed list, which says that orgadm cannot read it', async () => {
    const service = await unfinishedInFormat(1);
    writeList([...users(5), 'usr_900']);
    const result = await importList(service);
    expect(firstLine(result)).toMatch(partLike(' run <id>,… journal '));
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
  });

  it('does not stop an import into another service', async () => {
    await unfinishedInFormat(1);
    const result = await importList(await startPeopleService());
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 6 }));
  });

  it('is listed as damaged, and named as the reason why nothing can continue the run', async () => {
    await unfinishedInFormat(1);
    const listed = (await runCli(folder.path, ['runs', 'list', '--json'])).json() as { id: string; state: string }[];
    expect(listed).toMatchObject([{ state: 'damaged', error: expect.stringContaining('a newer version') }]);
    const resumed = await runCli(folder.path, ['runs', 'resume', listed[0]?.id ?? '', '--json']);
    expect(resumed.code).toBe(2);
    expect(errorOf(resumed)).toMatchObject({
      code: 'journal-damaged',
      message: expect.stringContaining('a newer version'),
    });
  });
});
