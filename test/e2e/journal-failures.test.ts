import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { journalOf, users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs } from '../helpers/orgadm-process.ts';
import { FORBIDDEN, startPeopleService } from '../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { breakFiles, repairFiles } from './broken-files.js';

const folder = temporaryFolder();
const env = { ORGADM_API_KEY: API_KEY };

function run(home: string, args: readonly string[]): Promise<CliResult> {
  // The clock passes the time until the requests in flight are over.
  return runCli(home, args, { env, clock: createAutoClock(Date.now()) });
}

/** Runs a command on a disk that fails, in real time. */
async function runOnBrokenDisk(home: string, args: readonly string[], breakAt: string) {
  let isReached = false;
  breakFiles(breakAt);
  const ended = await runCli(home, args, { env }).finally(() => {
    isReached = repairFiles();
  });
  return { ...ended, isReached };
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
        if (!ended.isReached) break;
        const { code, message } = errorOf(ended);
        expect({ code, isNamed: message.includes(`${home}/state/`), isExplained: message.includes(reason) }).toEqual({
          ...{ code: 'journal-write', isNamed: true, isExplained: true },
        });
        const created = service.members.size;
        if (ended.code === 2)
          expect({ stdout: ended.stdout, requests: service.requests }).toEqual({ stdout: '', requests: 0 });
        else expect(reportOf(ended).summary).toMatchObject({ total: 6, created, unknown: 0, unsent: 6 - created });
        ends.add(ended.code);

        const completed = await run(home, args);
        const { recovered } = reportOf(completed).summary;
        expect({ code: completed.code, ...reportOf(completed).summary }, completed.stderr).toEqual({
          code: 0,
          ...counts({ total: 6, created: 6 - recovered, recovered }),
        });
        // No row that has an outcome is sent again.
        expect([...service.sends.values()].filter((times) => times > 1)).toHaveLength(recovered);
      }
      expect([...ends].sort()).toEqual([1, 2]);
    },
    60_000,
  );

  it('that takes longer than the timeout to write an intent delays the request, and it is sent once, after another intent', async () => {
    const service = await startPeopleService();
    const more = ['--timeout', '1s', '--request-lifetime', '10m'];
    const start = performance.now();
    // In the middle of a run, each sync is that of an intent.
    const args = bulkAddArgs(writeList(folder.path, users(30)), service, more);
    const ended = await runOnBrokenDisk(folder.path, args, 'sync:slow:15');
    expect(performance.now() - start).toBeGreaterThan(1_200);
    expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
      code: 0,
      ...counts({ total: 30, created: 30 }),
    });
    expect([...service.sends.values()]).toEqual(Array(30).fill(1));
    // orgadm has given up the intent that took so long, and recorded another one.
    const intents = readFileSync(journalOf(folder.path) ?? 'none', 'utf8').match(/"t":"intent"/g);
    expect(intents).toHaveLength(service.requests + 1);
  });
});

describe('a journal that is damaged in the middle', () => {
  it('sends nothing until --restart, and is left as it is', async () => {
    const service = await startPeopleService(({ number }) => (number === 3 ? FORBIDDEN : 'respond'));
    const args = bulkAddArgs(writeList(folder.path, users(12)), service);
    expect(reportOf(await run(folder.path, args)).summary).toMatchObject({ created: 6, unsent: 6 });
    const journal = journalOf(folder.path) ?? 'none';
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"request":1', '"request":7'));
    const damaged = readFileSync(journal);
    const { requests } = service;
    const rejected = await run(folder.path, args);
    expect({ code: rejected.code, stdout: rejected.stdout, requests: service.requests }).toEqual({
      ...{ code: 2, stdout: '', requests },
    });
    expect(errorOf(rejected)).toMatchObject({
      code: 'journal-damaged',
      message: expect.stringMatching(/\bline 2\b/),
      hint: expect.stringContaining('--restart'),
    });
    const restarted = await run(folder.path, [...args, '--restart']);
    expect(reportOf(restarted).summary).toEqual(counts({ total: 12, created: 6, existing: 6 }));
    expect(readFileSync(journal)).toEqual(damaged);
  });
});
