import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY, bulkAddArgs, startShell } from '../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { breakFiles, repairFiles } from './broken-files.js';
import { journalOf, users, writeList } from './journal-files.ts';

const folder = temporaryFolder();
const PEOPLE = users(30);

function cliArgs(home: string, service: PeopleService, more: readonly string[] = []): string[] {
  return bulkAddArgs(writeList(home, PEOPLE), service, more);
}

function runHere(home: string, args: readonly string[]): Promise<CliResult> {
  // The clock passes the time until the requests in flight are over.
  const clock = createAutoClock(Date.now());
  return runCli(home, args, { env: { ORGADM_API_KEY: API_KEY }, clock });
}

function run(home: string, service: PeopleService, more: readonly string[] = []): Promise<CliResult> {
  return runHere(home, cliArgs(home, service, more));
}

/** Runs a command on a disk that fails, in real time. */
async function runOnBrokenDisk(home: string, args: readonly string[], breakAt: string): Promise<CliResult> {
  breakFiles(breakAt);
  try {
    return await runCli(home, args, { env: { ORGADM_API_KEY: API_KEY } });
  } finally {
    repairFiles();
  }
}

/** Expects that the report counts exactly the users that the service has added as created, and the others as not sent. */
function expectTruth(report: Pick<CliResult, 'stdout'>, service: PeopleService, total: number): void {
  const added = service.members.size;
  expect(reportOf(report).summary).toMatchObject({ total, created: added, unknown: 0, unsent: total - added });
}

/** Expects that the command completes the run, and that it sends no row again that has an outcome. */
async function expectCompletion(home: string, args: readonly string[], service: PeopleService): Promise<void> {
  const result = await runHere(home, args);
  expect(result.code, result.stderr).toBe(0);
  const { total, created, recovered } = reportOf(result).summary;
  expect(created + recovered).toBe(total);
  expect([...service.sends.values()].filter((times) => times > 1).length).toBe(recovered);
}

describe('a disk', () => {
  it.each([
    ['is full from any write on', 'write:full', 'ENOSPC'],
    ['fails in any sync', 'sync:fail', 'EIO'],
  ])(
    'that %s ends the run: the error names the file, the report is correct, and the same command completes the run',
    async (_, kind, reason) => {
      const ends = new Set<number>();
      for (let point = 1; ; point++) {
        const home = folder.file(`${kind}-${point}`.replaceAll(':', '-'));
        const service = await startPeopleService();
        const args = bulkAddArgs(writeList(home, users(6)), service);
        const ended = await runOnBrokenDisk(home, args, `${kind}:${point}`);
        if (ended.code === 0) break;
        const { code, message } = errorOf(ended);
        expect(code).toBe('journal-write');
        expect(message).toContain(`${home}/state/`);
        expect(message.includes(reason), message).toBe(true);
        if (ended.code === 1) expectTruth(ended, service, 6);
        else expect({ stdout: ended.stdout, requests: service.requests }).toEqual({ stdout: '', requests: 0 });
        ends.add(ended.code);
        await expectCompletion(home, args, service);
      }
      expect([...ends].sort()).toEqual([1, 2]);
    },
    60_000,
  );

  it('that the system limits to files of 2 KiB ends the run, and the same command completes it', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const args = cliArgs(home, service);
    const ended = await startShell(home, `ulimit -f 2; orgadm ${args.join(' ')}`).ended;
    expect(ended.code).toBe(1);
    expect(errorOf(ended).message).toContain('EFBIG');
    expect(service.members.size).toBeGreaterThan(0);
    expectTruth(ended, service, 30);
    await expectCompletion(home, args, service);
  });

  it('that takes longer than the timeout to write an intent delays the request, and it is sent once', async () => {
    const home = folder.path;
    const service = await startPeopleService();
    const args = cliArgs(home, service, ['--timeout', '1s', '--request-lifetime', '10m']);
    const start = performance.now();
    // In the middle of a run, each sync is that of an intent.
    const ended = await runOnBrokenDisk(home, args, 'sync:slow:15');
    expect(performance.now() - start).toBeGreaterThan(1_200);
    expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
      code: 0,
      ...counts({ total: 30, created: 30 }),
    });
    expect([...service.sends.values()]).toEqual(Array(30).fill(1));
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
      message: expect.stringMatching(/\/state\/runs.*ENOTDIR/),
      hint: expect.stringContaining('ORGADM_STATE_DIR'),
    });
  });
});

describe('a damaged journal', () => {
  /** A run that ended after two batches, and its journal. */
  async function unfinished(home: string): Promise<{ service: PeopleService; journal: string }> {
    const service = await startPeopleService(({ number }) =>
      number === 3 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
    );
    const result = await run(home, service);
    expect(result.code).toBe(4);
    expect(reportOf(result).summary).toMatchObject({ created: 6, unsent: 24 });
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
    expect(reportOf(result).summary).toEqual(counts({ total: 30, created: 30 }));
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
    expect(errorOf(rejected)).toMatchObject({
      code: 'journal-damaged',
      message: expect.stringMatching(/\bline 2\b/),
      hint: expect.stringContaining('--restart'),
    });
    expect(service.requests).toBe(requests);
    expect(readFileSync(journal, 'utf8')).toBe(damaged);

    const result = await run(home, service, ['--restart']);
    expect(result.code).toBe(3);
    expect(reportOf(result).summary).toEqual(counts({ total: 30, created: 24, existing: 6 }));
    expect(readFileSync(journal, 'utf8')).toBe(damaged);
  });

  it('does not say which list it is about if it is empty: the list is imported as a new one', async () => {
    const home = folder.path;
    const { service, journal } = await unfinished(home);
    writeFileSync(journal, '');
    const result = await run(home, service);
    expect(reportOf(result).summary).toEqual(counts({ total: 30, created: 24, existing: 6 }));
  });
});
