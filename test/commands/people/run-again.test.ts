import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { journalOf, rewriteRecords, users } from '../../helpers/journal-files.ts';
import { withDefaults } from '../../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { type CliResult, runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';

const folder = temporaryFolder();

const FIRST_MS = Date.UTC(2026, 10, 20, 23, 14);
const DAY_MS = 24 * 3_600_000;
const SENDING = { '--batch-size': '2', '--concurrency': '1', '--request-lifetime': '1ms' };
const ACTIVE = ['--active', 'all'];
const MAPPING = ['--map', 'userId=Account', '--default', 'role=member', ...ACTIVE];

function writeList(people: readonly string[] = users(6)): void {
  writeFileSync(folder.file('people.csv'), `Account\n${people.map((id) => `${id}\n`).join('')}`);
}

interface Import {
  /** Options about the list. */
  more?: readonly string[];
  key?: string;
  /** Days after the first import. */
  days?: number;
}

function importList(service: PeopleService, { more = MAPPING, key = API_KEY, days = 0 }: Import = {}) {
  const list = ['people', 'bulk-add', folder.file('people.csv'), '--base-url', service.url];
  return runCli(folder.path, [...list, ...withDefaults(SENDING, more), '--json'], {
    env: { ORGADM_API_KEY: key },
    clock: createAutoClock(FIRST_MS + days * DAY_MS),
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

/** Returns the first line of standard error. */
const firstLine = ({ stderr }: CliResult) =>
  stderr
    .split('\n')[0]
    ?.replaceAll(/\b[0-9a-f]{8}\b/g, '<id>')
    .replace(folder.file('people.csv'), 'people.csv');

/** Says which run goes on, and how far it is. */
const CONTINUING = 'Continuing run <id> (people.csv, started 2026-11-20 23:14 UTC): 4 of 6 people are left';
const THE_LAST_FOUR = users(6).slice(2);

describe('the same command', () => {
  it.each<[string, readonly string[]]>([
    ['the same options', MAPPING],
    ['equivalent options', [...ACTIVE, '--default', 'role=member', '--map', 'userId=ACCOUNT', '--header-row', '1']],
    ['a mapping file with the same mapping', ['--mapping', 'mapping.json']],
    ['other options about sending and the report', [...MAPPING, '--batch-size', '3', '--ignore-existing']],
    ['other options that lead to the same people', [...MAPPING, '--invalid', 'skip']],
  ])('continues an unfinished run, and sends nothing again, with %s', async (_, options) => {
    const service = await unfinished();
    const mapping = { columns: { userId: 'Account' }, default: { role: 'member' }, active: 'all' };
    writeFileSync(folder.file('mapping.json'), JSON.stringify(mapping));
    const more = options.map((word) => (word === 'mapping.json' ? folder.file(word) : word));
    const result = await importList(service, { more });
    expect(firstLine(result)).toBe(CONTINUING);
    expect(result.json()).toMatchObject({ run: { continued: true } });
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 6 }));
    expect([...service.sends.keys()]).toEqual(THE_LAST_FOUR);
  });

  it('sends the rows of unknown outcome in addition to those that --limit allows', async () => {
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

  it('stops at --limit if rows are left, and says how many people it sends', async () => {
    writeList([...users(3), 'bad_004']);
    const service = await startPeopleService();
    const importing = async (limit: number) => {
      const result = await importList(service, { more: [...MAPPING, '--limit', String(limit)] });
      const [, announced] = /^\w+ (.* (?:person|people)) into/m.exec(result.stderr) ?? [];
      return { code: result.code, announced, stopped: reportOf(result).summary.stopped?.code };
    };
    expect(await importing(1)).toEqual({ code: 3, announced: '1 of 4 people', stopped: 'limit' });
    expect(await importing(1)).toEqual({ code: 3, announced: '1 of the remaining 3 people', stopped: 'limit' });
    expect(await importing(2)).toEqual({ code: 3, announced: 'the remaining 2 people', stopped: undefined });
    // Sends the failed row again.
    expect(await importing(1)).toEqual({ code: 3, announced: '1 person', stopped: undefined });
  });

  it.each<[string, string, Import, people?: string[]]>([
    ['a changed row', 'people.csv or its options have changed …', {}, [...users(5), 'usr_900']],
    [
      'a changed mapping',
      'people.csv or its options have changed …',
      { more: ['--map', 'userId=Account', '--default', 'role=admin', ...ACTIVE] },
    ],
    ['another key', 'The API key has changed since run <id>, …', { key: 'key_of_another_admin_88' }],
  ])('starts a new run with %s, and says what the old one has left', async (_, line, again, people) => {
    const service = await unfinished();
    writeList(people);
    const result = await importList(service, { ...again, days: 1 });
    expect(firstLine(result)).toMatch(textLike(line));
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
    expect(service.sends.size).toBe(6);
    const runs = (await runCli(folder.path, ['runs', 'list', '--json'])).json() as { state: string }[];
    expect(runs.map(({ state }) => state).sort()).toEqual(['finished', 'superseded']);
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

  it('prints the report of a finished run, sends nothing, and writes nothing', async () => {
    writeList();
    const service = await startPeopleService();
    await importList(service);
    const journal = journalOf(folder.path) ?? 'none';
    const recorded = readFileSync(journal, 'utf8');
    const result = await importList(service, { days: 2 });
    expect(firstLine(result)).toBe(
      'people.csv was imported on 2026-11-20 23:14 UTC (run <id>). To import it again, add --restart.',
    );
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 6, created: 6 }),
    });
    expect({ requests: service.requests, journal: readFileSync(journal, 'utf8') }).toEqual({
      requests: 3,
      journal: recorded,
    });
  });

  it('continues the earlier run when the list is as it was again', async () => {
    const service = await unfinished();
    writeList([...users(5), 'usr_900']);
    await importList(service);
    writeList();
    service.sends.clear();
    expect(firstLine(await importList(service))).toBe(CONTINUING);
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
    ['a newer', 1, { key: 'key_of_another_admin_88' }],
  ])('stops an import of the same list before anything is sent: %s one (%j)', async (version, step, again: Import) => {
    const service = await unfinishedInFormat(step);
    const result = await importList(service, again);
    expect({ code: result.code, requests: service.requests }).toEqual({ code: 2, requests: 0 });
    expect(errorOf(result)).toMatchObject({
      code: 'journal-damaged',
      message: expect.stringMatching(partLike(`${journalOf(folder.path)} … ${version} version of orgadm`)),
      hint: expect.stringContaining('--restart'),
    });
  });

  it('stops neither the import of a changed list nor one into another service', async () => {
    const service = await unfinishedInFormat(1);
    const elsewhere = await startPeopleService();
    expect(reportOf(await importList(elsewhere)).summary).toEqual(counts({ total: 6, created: 6 }));
    writeList([...users(5), 'usr_900']);
    const result = await importList(service);
    expect(firstLine(result)).toMatch(partLike(' run <id>,… journal '));
    expect(reportOf(result).summary).toEqual(counts({ total: 6, created: 4, existing: 2 }));
  });
});
