import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rewriteRecords, users, writeList } from '../../e2e/journal-files.ts';
import { addCommand, startOrgadm } from '../../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { partLike } from '../../helpers/text-like.ts';
import { machineAt, only, runDirectories, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();

const LIST = 'userId,role\nusr_001,member\nbad_002,member\nusr_003,\nusr_004,member\n';

/** The first record of the journal below `folder`. */
const firstRecord = () =>
  readFileSync(join(only(runDirectories(folder.path)), 'journal'), 'utf8')
    .split('\n')[0]
    ?.slice('01234567 '.length) ?? '';

/** The same report, printed by a later command, which has not read the list. */
const asContinued = (stdout: string) =>
  stdout
    .replace(/"continued":( ?)false/, '"continued":$1true')
    .replace(/ {2}"mapping": \{.*?\n {2}\},\n {2}"totals": \{.*?\n {2}\},\n/s, '')
    .replace(/"mapping":\{.*\},(?="possibleDuplicates")/, '');

describe('runs show', () => {
  it.each(['table', 'json', 'csv', 'ndjson'])('prints the report of a finished run again as %s', async (format) => {
    const machine = machineAt(folder.path);
    const list = folder.file('members.csv');
    writeFileSync(list, LIST);
    const service = await startPeopleService();
    service.members.set('usr_004', 1);
    const more = ['--invalid', 'skip', '--all-rows'];
    const first = await machine.add(list, service, [...more, '-o', format]);
    expect(first.code).toBe(3);
    const { id } = only(await machine.runs());
    const again = await machine.run(['runs', 'show', id.slice(0, 6), '--all-rows', '-o', format]);
    expect(again.code).toBe(0);
    expect(again.stdout).toBe(asContinued(first.stdout));
    expect(service.requests).toBe(1);
  });

  it('prints why a run ended early, and how to continue it', async () => {
    const machine = machineAt(folder.path);
    const first = await machine.add(writeList(folder.path, users(12)), await serviceThatStops(), ['--json']);
    const { id, command } = only(await machine.runs());
    const { code, stdout, stderr } = await machine.run(['runs', 'show', id, '--json']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: asContinued(first.stdout) });
    expect(reportOf(first).summary.stopped?.code).toBe('forbidden');
    expect(stderr).toContain(`To continue: ${command}\n`);
  });

  it('describes the target, the profile and the state on standard error', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, users(3));
    const service = await startPeopleService();
    await machine.add(list, service, [], { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) });
    const { id } = only(await machine.runs());
    expect((await machine.run(['runs', 'show', id])).stderr).toBe(
      `Run ${id.slice(0, 8)}: ${list} into ${service.url}, started 2026-01-05 09:00 UTC, finished\n`,
    );
  });

  it('names the command that saves the failed rows of a finished run', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, ['usr_001', 'bad_002']), await startPeopleService());
    const { id } = only(await machine.runs());
    const { stderr } = await machine.run(['runs', 'show', id, '--json']);
    const short = id.slice(0, 8);
    expect(stderr.split('\n').slice(1)).toEqual([
      expect.stringMatching(partLike(`: orgadm runs show ${short} --errors-file rejected.csv`)),
      '',
    ]);
  });

  it('shows the rows of a process that was killed with an unknown outcome', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService();
    const list = writeList(folder.path, users(6));
    const running = startOrgadm(folder.path, addCommand(list, service));
    service.step = ({ number }) => {
      if (number === 2) running.child.kill('SIGKILL');
      return number === 2 ? 'ignore' : 'respond';
    };
    await running.ended;
    const { id } = only(await machine.runs());
    const report = reportOf(await machine.run(['runs', 'show', id, '--json']));
    expect(report.summary).toEqual({
      ...counts({ total: 6, created: 3, unknown: 3 }),
      stopped: expect.objectContaining({ code: 'interrupted' }),
    });
    expect(report.rows.map(({ userId, state }) => `${userId} ${state}`)).toEqual([
      'usr_004 unknown',
      'usr_005 unknown',
      'usr_006 unknown',
    ]);
  });

  it('says why the outcome of each row is unknown, as the import did', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService(({ number, result }) => {
      if (number > 1) return { status: 403, body: { statusCode: 403, message: 'Forbidden' } };
      const errors = ['no seat', 'no role'].map((error, index) => ({ index, userId: `usr_00${index + 1}`, error }));
      return { status: 201, body: { ...result(), errors } };
    });
    const first = await machine.add(writeList(folder.path, users(6)), service, ['--json']);
    const { id } = only(await machine.runs());
    const { rows } = reportOf(await machine.run(['runs', 'show', id, '--json']));
    expect(rows).toEqual(reportOf(first).rows);
    expect(rows.filter(({ state }) => state === 'unknown').map(({ userId, error }) => [userId, error])).toEqual([
      ['usr_001', expect.stringMatching(/: no seat$/)],
      ['usr_002', expect.stringMatching(/: no role$/)],
    ]);
  });

  it('shows a run that is in progress, and does not change its journal', async () => {
    const machine = machineAt(folder.path);
    const { step, arrival, release } = holdRequest(2);
    const service = await startPeopleService(step);
    const running = startOrgadm(folder.path, addCommand(writeList(folder.path, users(6)), service));
    await arrival;
    const journal = join(only(runDirectories(folder.path)), 'journal');
    const before = readFileSync(journal);
    const { id } = only(await machine.runs());
    const report = reportOf(await machine.run(['runs', 'show', id, '--json']));
    expect(report.summary).toMatchObject({ created: 3, unknown: 3, stopped: { code: 'running' } });
    expect(readFileSync(journal).equals(before)).toBe(true);
    release();
    expect((await running.ended).code).toBe(0);
  });

  it.each<[string, (list: string) => void]>([
    ['has changed', (list) => appendFileSync(list, '\n')],
    ['is gone', (list) => rmSync(list)],
  ])('shows the rows that the run has stored if the list %s', async (_, change) => {
    const machine = machineAt(folder.path);
    const list = folder.file('members.csv');
    writeFileSync(list, LIST);
    const first = await machine.add(list, await startPeopleService(), ['--invalid', 'skip', '-o', 'csv']);
    change(list);
    const { id } = only(await machine.runs());
    const errors = folder.file('rejected.csv');
    const { code, stdout } = await machine.run(['runs', 'show', id, '-o', 'csv', '--errors-file', errors]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: first.stdout });
    expect(readFileSync(errors, 'utf8')).toMatch(/\nbad_002,member,,,,3,.*\nusr_003,,,,,4,.*\n$/);
  });

  it('shows the rows of a list that came from standard input', async () => {
    const machine = machineAt(folder.path);
    await machine.add('-', await startPeopleService(), ['--invalid', 'skip'], { stdin: LIST });
    const { id } = only(await machine.runs());
    const { stdout } = await machine.run(['runs', 'show', id, '--all-rows', '-o', 'csv']);
    expect(stdout.split('\n')[1]).toBe('2,1,usr_001,created,,mem_usr_001');
  });

  it('takes the latest run into the service of the settings without an ID', async () => {
    const machine = machineAt(folder.path);
    const [service, other] = [await startPeopleService(), await startPeopleService()];
    const at = (day: number) => ({ clock: createAutoClock(Date.UTC(2026, 0, day)) });
    await machine.add(writeList(folder.path, users(1)), service, [], at(1));
    await machine.add(writeList(folder.path, users(2)), service, [], at(2));
    await machine.add(writeList(folder.path, users(3)), other, [], at(3));
    const shown = await machine.run(['runs', 'show', '--json', '--base-url', service.url]);
    expect(reportOf(shown).summary).toMatchObject({ total: 2 });
    const none = await machine.run(['runs', 'show', '--json', '--base-url', 'http://127.0.0.1:9']);
    expect({ exit: none.code, error: errorOf(none) }).toMatchObject({ exit: 5, error: { code: 'run-not-found' } });
    const unnamed = await machine.run(['runs', 'show', '--json']);
    expect({ exit: unnamed.code, error: errorOf(unnamed) }).toMatchObject({
      exit: 2,
      error: { code: 'usage', hint: expect.stringContaining('orgadm runs list') },
    });
  });

  it('exits 5 for an id that no run has, and for one that several have', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    expect(await machine.run(['runs', 'show', 'ffff'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*\bffff\n.*orgadm runs list\n/),
    });
    writeFileSync(folder.file('more.csv'), 'userId,role\nusr_9,member\n');
    for (let at = 0; at < 16; at++) {
      writeFileSync(folder.file('more.csv'), `userId,role\nusr_9${at},member\n`);
      await machine.add(folder.file('more.csv'), await startPeopleService());
    }
    const firsts = (await machine.runs()).map(({ id }) => id[0] ?? '');
    const shared = firsts.find((first, at) => firsts.indexOf(first) !== at) ?? '';
    const { code, stderr } = await machine.run(['runs', 'show', shared]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(/^error: .*\b\d+ runs\b/),
    });
  });

  /** Damages the journal of a finished run, and shows the run. */
  async function showDamaged(damage: (journal: string) => void) {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const journal = join(only(runDirectories(folder.path)), 'journal');
    damage(journal);
    const { id } = only(await machine.runs());
    return { journal, shown: await machine.run(['runs', 'show', id]) };
  }

  it('exits 2 for a damaged run, and names the command that starts over', async () => {
    const { journal, shown } = await showDamaged((file) => writeFileSync(file, 'x\ny\n'));
    expect(shown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^error: .*${journal}.*\\bline 1\n.*--restart`)),
    });
  });

  it.each<[string, (rows: string) => void]>([
    ['does not have the rows of the run', (rows) => writeFileSync(rows, readFileSync(rows, 'utf8').replace('1', '2'))],
    ['is missing', (rows) => rmSync(rows)],
  ])('exits 2 for a run whose file of rows %s', async (_, damage) => {
    const { journal, shown } = await showDamaged((file) => damage(file.replace(/journal$/, 'rows')));
    const rows = journal.replace(/journal$/, 'rows');
    expect(shown).toMatchObject({ code: 2, stdout: '' });
    expect(shown.stderr).toMatch(new RegExp(`^error: .*${rows}`, 'm'));
  });

  const unlike = (change: (json: string) => string) => (journal: string) => rewriteRecords(journal, change);
  it.each<[string, (journal: string) => void]>([
    ['is empty', (journal) => writeFileSync(journal, '')],
    ['does not begin with its run', unlike((json) => json.replace('"t":"run"', '"t":"closed"'))],
    ['does not begin with its run', unlike((json) => json.replace(/"total":\d+,/, ''))],
    ['has the records of two runs', unlike((json) => json.replace(/.*"t":"closed".*/, firstRecord))],
    ['does not fit its list: row 3 is not in a list of 2', unlike((json) => json.replace('"1-2"', '"1-3"'))],
    ['does not fit its list: row 0 is not in a list of 2', unlike((json) => json.replace('"1-2"', '"0-2"'))],
    [
      'does not fit its list: row 2 has no outcome',
      unlike((json) => json.replace('"created":"1-2"', '"created":"1","duplicates":[{"entry":2,"memberIds":[]}]')),
    ],
  ])('exits 2 for a run whose journal %s', async (_, damage) => {
    const { journal, shown } = await showDamaged(damage);
    expect(shown).toMatchObject({ code: 2, stdout: '' });
    expect(shown.stderr).toMatch(new RegExp(`^error: .*${journal}`));
  });
});
