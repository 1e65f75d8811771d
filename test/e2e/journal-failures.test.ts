import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { journalOf, users, writeList } from './journal-files.ts';
import { API_KEY, bulkAddArgs, startOrgadm, startShell } from './journal-process.ts';
import { counts, errorOf, reportOf } from './journal-report.ts';
import { holdRequest, type PeopleService, startPeopleService } from './journal-service.ts';

const folder = temporaryCliDirectory();
const PEOPLE = users(60);

function cliArgs(home: string, service: PeopleService, more: readonly string[] = []): string[] {
  return bulkAddArgs(writeList(home, PEOPLE), service, more);
}

function run(home: string, service: PeopleService, more: readonly string[] = []): Promise<CliResult> {
  // The clock passes the time until the requests in flight are over.
  const clock = createAutoClock(Date.now());
  return runCli(home, cliArgs(home, service, more), { env: { ORGADM_API_KEY: API_KEY }, clock });
}

/** Expects that the report counts exactly the users that the service has added as created, and that the run can be completed. */
async function expectTruth(home: string, service: PeopleService, report: Pick<CliResult, 'stdout'>): Promise<void> {
  const added = service.addedBy.size;
  expect(reportOf(report).summary).toMatchObject({ total: 60, created: added, unknown: 0, unsent: 60 - added });
  const next = await run(home, service);
  expect(next.code).toBe(0);
  const { created, recovered } = reportOf(next).summary;
  expect(created + recovered).toBe(60);
  expect(PEOPLE.filter((id) => (service.sends.get(id) ?? 0) > 1).length).toBe(recovered);
}

describe('a full disk', () => {
  it('exits 2 before anything is sent', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const ended = await startOrgadm(home, cliArgs(home, service), 'write:full:1').ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(ended)).toEqual({
      code: 'journal-write',
      message: expect.stringMatching(/^cannot write the journal .*\/journal: no space left on device \(ENOSPC\)$/),
      hint: 'Nothing was sent. Set ORGADM_STATE_DIR to a writable directory with enough free space.',
    });
    expect(service.requests).toBe(0);
  });

  // Write 2 is that of the requests in flight, 3 is an intent, 5 is an outcome, 44 closes the journal. Syncs 10 and 11 are intents.
  it.each([
    ['write:full:2', 0],
    ['write:full:3', 0],
    ['write:full:5', 1],
    ['write:full:44', 20],
    ['sync:fail:10', 0],
    ['sync:fail:11', 1],
  ])(
    'is reported before the next batch is sent, and the report is correct: %s, after %d requests',
    async (breakAt, requests) => {
      const home = folder.path;
      const service = await startPeopleService();
      const ended = await startOrgadm(home, cliArgs(home, service), breakAt).ended;
      expect(ended.code).toBe(1);
      expect(errorOf(ended)).toMatchObject({
        code: 'journal-write',
        hint: 'Nothing more was sent. Free some space there first.',
      });
      expect(service.requests).toBe(requests);
      await expectTruth(home, service, ended);
    },
  );

  it('is reported by the system itself for files of more than 2 KiB', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const ended = await startShell(home, `ulimit -f 2; orgadm ${cliArgs(home, service).join(' ')}`).ended;
    expect(ended.code).toBe(1);
    expect(errorOf(ended).message).toMatch(/: file too large \(EFBIG\)$/);
    expect(service.requests).toBeGreaterThan(2);
    expect(service.requests).toBeLessThan(20);
    await expectTruth(home, service, ended);
  });

  it('is reported after every final row under -o ndjson', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const args = cliArgs(home, service).filter((word) => word !== '--json');
    const ended = await startOrgadm(home, [...args, '-o', 'ndjson'], 'write:full:5').ended;
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { userId?: string; state?: string });
    expect(lines.filter(({ state }) => state === 'created').map(({ userId }) => userId)).toEqual([
      ...service.addedBy.keys(),
    ]);
    expect(lines.filter(({ state }) => state === 'unsent').length).toBe(57);
  });
});

describe('a disk that takes longer than the timeout to write an intent', () => {
  it('delays the request: it is sent once, after an intent of its own', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    // Syncs 10 and 11 are intents.
    const args = cliArgs(home, service, ['--timeout', '1s', '--request-lifetime', '10m']);
    const ended = await startOrgadm(home, args, 'sync:slow:11').ended;
    expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
      code: 0,
      ...counts({ total: 60, created: 60 }),
    });
    expect([...service.sends.values()]).toEqual(Array(60).fill(1));
    expect(service.requests).toBe(20);
  });
});

describe('a state directory that lies below a file', () => {
  it('exits 2 before anything is sent', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const env = { ORGADM_API_KEY: API_KEY, ORGADM_STATE_DIR: join(home, 'members.csv', 'state') };
    const result = await runCli(home, cliArgs(home, service), { env });
    expect({ code: result.code, stdout: result.stdout, requests: service.requests }).toEqual({
      code: 2,
      stdout: '',
      requests: 0,
    });
    expect(errorOf(result)).toMatchObject({
      code: 'file',
      message: expect.stringMatching(/^cannot read \S+\/state\/runs: not a directory \(ENOTDIR\)$/),
      hint: 'Set ORGADM_STATE_DIR to the directory that holds the records of imports.',
    });
  });
});

describe('two processes with one list', () => {
  it.each([[[]], [['--restart']]])(
    'end the second one, started with %j, with an error that names the first',
    async (more) => {
      const home = folder.path;
      const { step, arrival, release } = holdRequest(1);
      const service = await startPeopleService(step);
      const first = startOrgadm(home, cliArgs(home, service));
      await arrival;
      const second = await startOrgadm(home, cliArgs(home, service, more)).ended;
      expect(second).toMatchObject({ code: 2, stdout: '' });
      expect(errorOf(second)).toEqual({
        code: 'in-use',
        message: `process ${first.pid} is importing into the same service (${folder.file('members.csv')})`,
        hint: 'Nothing was sent. Wait until it ends, or stop it.',
      });
      expect(service.requests).toBe(1);
      release();
      expect((await first.ended).code).toBe(0);
      expect([...service.sends.values()]).toEqual(Array(60).fill(1));
    },
  );
});

describe('a damaged journal', () => {
  /** A run that ended after two batches, and its journal. */
  async function unfinished(home: string): Promise<{ service: PeopleService; journal: string }> {
    const service = await startPeopleService(({ number }) =>
      number === 3 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
    );
    const result = await run(home, service);
    expect(result.code).toBe(4);
    expect(reportOf(result).summary).toMatchObject({ created: 6, unsent: 54 });
    return { service, journal: journalOf(home) ?? 'none' };
  }

  it.each([
    ['a byte', '0'],
    ['half a record', '5c5651ac {"t":"done","attempt":2,"crea'],
    ['a long line', 'x'.repeat(100_000)],
  ])('is completed by the same command if it ends in %s', async (_, end) => {
    const home = folder.path;
    const { service, journal } = await unfinished(home);
    appendFileSync(journal, end);
    const result = await run(home, service);
    expect(result.code).toBe(0);
    expect(reportOf(result).summary).toEqual(counts({ total: 60, created: 60 }));
    expect(PEOPLE.slice(0, 6).map((id) => service.sends.get(id))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('sends nothing until --restart, and exits with 2, if it is damaged in the middle', async () => {
    const home = folder.path;
    const { service, journal } = await unfinished(home);
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"request":1', '"request":7'));
    const damaged = readFileSync(journal, 'utf8');
    const { requests } = service;
    const rejected = await run(home, service);
    expect({ code: rejected.code, stdout: rejected.stdout }).toEqual({ code: 2, stdout: '' });
    expect(errorOf(rejected)).toEqual({
      code: 'journal-damaged',
      message: expect.stringMatching(/is damaged in line 2$/),
      hint: 'Nothing was sent. To start over, add --restart. Existing members are reported as existing.',
    });
    expect(service.requests).toBe(requests);
    expect(readFileSync(journal, 'utf8')).toBe(damaged);

    const result = await run(home, service, ['--restart']);
    expect(result.code).toBe(3);
    expect(reportOf(result).summary).toEqual(counts({ total: 60, created: 54, existing: 6 }));
    expect(readFileSync(journal, 'utf8')).toBe(damaged);
  });

  it.each<[string, (text: string) => string]>([
    ['empty', () => ''],
    ['from a newer version', (text) => ofFormat(6, text)],
  ])('does not say which list it is about if it is %s: the list is imported as a new one', async (_, damage) => {
    const home = folder.path;
    const { service, journal } = await unfinished(home);
    writeFileSync(journal, damage(readFileSync(journal, 'utf8')));
    const result = await run(home, service);
    expect(reportOf(result).summary).toEqual(counts({ total: 60, created: 54, existing: 6 }));
  });
});

/** The same journal, as another version of its format begins. */
function ofFormat(version: number, text: string): string {
  const [first = '', ...others] = text.split('\n');
  const json = first.slice(9).replace('"version":5', `"version":${version}`);
  return [`${crc32(json).toString(16).padStart(8, '0')} ${json}`, ...others].join('\n');
}
