import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rewriteRecords, runDirectories, users, writeList } from '../../helpers/journal-files.ts';
import { FORBIDDEN, startPeopleService } from '../../helpers/people-service.ts';
import { errorOf, reportOf } from '../../helpers/report.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { machineAt, only, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();

const LIST = 'userId,role\nusr_001,member\nbad_002,member\nusr_003,\nusr_004,member\n';

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
    const at = { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) };
    const first = await machine.add(list, service, ['--invalid', 'skip', '--all-rows', '-o', format], at);
    expect(first.code).toBe(3);
    const { id } = only(await machine.runs());
    // The run has stored its rows.
    rmSync(list);
    const errors = folder.file('rejected.csv');
    const argv = ['runs', 'show', id.slice(0, 6), '--all-rows', '--errors-file', errors, '-o', format];
    const again = await machine.run(argv);
    expect(again).toMatchObject({ code: 0, stdout: asContinued(first.stdout) });
    const [line = ''] = again.stderr.split('\n');
    for (const named of [id.slice(0, 8), list, service.url, '2026-01-05 09:00 UTC', 'finished'])
      expect(line).toContain(named);
    expect(readFileSync(errors, 'utf8')).toMatch(/\nbad_002,member,,,,3,.*\nusr_003,,,,,4,.*\n$/);
    expect(service.requests).toBe(1);
    const next = await machine.run(['runs', 'show', id, '-o', format]);
    expect(next.stderr).toContain(`: orgadm runs show ${id.slice(0, 8)} --errors-file rejected.csv\n`);
  });

  it('prints why a run ended early, and how to continue it', async () => {
    const machine = machineAt(folder.path);
    const first = await machine.add(writeList(folder.path, users(12)), await serviceThatStops(), ['--json']);
    const { id, command } = only(await machine.runs());
    const { code, stdout, stderr } = await machine.run(['runs', 'show', id, '--json']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: asContinued(first.stdout) });
    expect(reportOf(first).summary.stopped?.code).toBe('forbidden');
    expect(stderr).toContain(`: ${command}\n`);
  });

  it('says why the outcome of each row is unknown, as the import did', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService(({ number, result }) => {
      if (number > 1) return FORBIDDEN;
      const errors = ['no seat', 'no role'].map((error, index) => ({ index, userId: `usr_00${index + 1}`, error }));
      return { status: 201, body: { ...result(), errors } };
    });
    const first = await machine.add(writeList(folder.path, users(6)), service, ['--json']);
    const { rows } = reportOf(await machine.run(['runs', 'show', only(await machine.runs()).id, '--json']));
    expect(rows).toEqual(reportOf(first).rows);
    expect(rows.filter(({ state }) => state === 'unknown').map(({ userId, error }) => [userId, error])).toEqual([
      ['usr_001', expect.stringMatching(/: no seat$/)],
      ['usr_002', expect.stringMatching(/: no role$/)],
    ]);
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
    expect({ exit: none.code, error: errorOf(none).code }).toEqual({ exit: 5, error: 'run-not-found' });
    const unnamed = await machine.run(['runs', 'show', '--json']);
    expect({ exit: unnamed.code, error: errorOf(unnamed).code }).toEqual({ exit: 2, error: 'usage' });
  });

  it.each(['show', 'resume'])('and runs resume exit 5 for an ID that no run has, or several: %s', async (command) => {
    for (const digit of ['1', '2']) mkdirSync(folder.file(`state/runs/f${digit.repeat(31)}`), { recursive: true });
    for (const id of ['e', 'f']) {
      const result = await machineAt(folder.path).run(['runs', command, id, '--json']);
      expect({ exit: result.code, error: errorOf(result).code }).toEqual({ exit: 5, error: 'run-not-found' });
    }
  });

  it.each<[string, file: string, damage: (path: string) => void]>([
    ['a damaged journal', 'journal', (path) => writeFileSync(path, 'x\ny\n')],
    ['an empty journal', 'journal', (path) => writeFileSync(path, '')],
    ['more rows than its list', 'journal', (path) => rewriteRecords(path, (json) => json.replace('"1-2"', '"1-3"'))],
    ['other rows', 'rows', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('1', '2'))],
    ['no rows', 'rows', (path) => rmSync(path)],
  ])('exits 2 for a run with %s, and names the file and the option that starts over', async (_, file, damage) => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const path = join(only(runDirectories(folder.path)), file);
    damage(path);
    const { code, stdout, stderr } = await machine.run(['runs', 'show', only(await machine.runs()).id]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: .*${path}.*\nhint: .*--restart`, 'm'));
  });
});
