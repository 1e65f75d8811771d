import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyBatchOutcome } from '../../../src/import/journal/journal-records.ts';
import { openRun, type RunRequest } from '../../../src/import/journal/open-run.ts';
import { journalDirectory } from './journal-directory.ts';
import { rowsOf, users } from './list-rows.ts';

const SERVICE = 'https://api.example.com';

/** A request for the run of a list of these users; its digest is their names. */
function request(root: string, userIds: readonly string[], changes: Partial<RunRequest> = {}): RunRequest {
  return {
    root,
    locks: join(root, 'locks'),
    identity: { digest: userIds.join(), settings: [], service: SERVICE },
    apiKey: 'key_1',
    allowParallel: false,
    mode: 'new',
    list: 'members.csv',
    path: '/home/anna/members.csv',
    total: userIds.length,
    rows: () => rowsOf(userIds),
    invalid: [],
    nowMs: Date.UTC(2026, 0, 5, 9),
    ...changes,
  };
}

/** Opens a run, closes it, and returns the rows of unknown outcome with their users. */
async function opened(root: string, userIds: readonly string[], changes: Partial<RunRequest> = {}): Promise<string[]> {
  const { run, close } = await openRun(request(root, userIds, changes));
  await close();
  return userIds.filter((_, at) => run.rowStates.isUnknown(at + 1));
}

/** A run of usr_1 to usr_6: the first two are created, the next two in flight when its process ended. */
async function leaveInFlight(root: string, changes: Partial<RunRequest> = {}): Promise<void> {
  const { run, close } = await openRun(request(root, users(1, 6), changes));
  run.finish(await run.begin([1, 2], users(1, 2), 1_000), { ...emptyBatchOutcome(), created: [1, 2] });
  await run.begin([3, 4], users(3, 4), 1_000);
  await close();
}

describe('a run of another list into the same service', () => {
  it.each(['new', 'resume'] as const)('stops this list if it has the same rows in flight, mode %s', async (mode) => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    const before = await readdir(root);
    await expect(openRun(request(root, users(4, 9), { mode }))).rejects.toMatchObject({
      code: 'unfinished-run',
      exitCode: 2,
      message:
        'an unfinished run of members.csv, started 2026-01-05T09:00:00.000Z, has 1 row of unknown outcome that is also in this list: usr_4',
      hint: 'Continue that run first: its own list and options with --resume. Or add --restart: these rows then wait for the quiet period before they are sent again.',
    });
    expect((await readdir(root)).length).toBe(before.length + 1);
  });

  it.each([
    ['localhost', 'http://localhost:8080', 'http://127.0.0.1:8080/'],
    ['the case of the host', 'https://api.example.com', 'https://API.example.com'],
  ])('is found by any name of the service: %s', async (_, service, other) => {
    const root = await journalDirectory();
    const at = (name: string, userIds: string[]) => ({
      identity: { digest: userIds.join(), settings: [], service: name },
    });
    await leaveInFlight(root, at(service, users(1, 6)));
    await expect(openRun(request(root, users(4, 9), at(other, users(4, 9))))).rejects.toMatchObject({
      code: 'unfinished-run',
    });
  });

  it.each<[string, string[], Partial<RunRequest>]>([
    ['its rows in flight are not in this list', users(5, 9), {}],
    ['they were created', users(1, 2), {}],
    [
      'the service is another one',
      users(1, 9),
      { identity: { digest: 'd2', settings: [], service: 'https://other.example.com' } },
    ],
  ])('has no effect if %s', async (_, userIds, changes) => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    expect(await opened(root, userIds, changes)).toEqual([]);
  });

  it('stops --resume if its list had the same path, and the service is another one', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    const identity = { digest: 'd2', settings: [], service: 'https://other.example.com' };
    await expect(openRun(request(root, users(1, 9), { mode: 'resume', identity }))).rejects.toMatchObject({
      code: 'unfinished-run',
    });
    expect(await opened(root, users(1, 9), { mode: 'resume', identity, path: '/home/anna/others.csv' })).toEqual([]);
  });

  it('stops the continuation of a run whose unsent rows are in flight elsewhere', async () => {
    const root = await journalDirectory();
    await opened(root, users(3, 9));
    await leaveInFlight(root);
    await expect(openRun(request(root, users(3, 9), { mode: 'resume' }))).rejects.toMatchObject({
      code: 'unfinished-run',
    });
  });

  it('passes its rows to --restart, and stops no further list', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    expect(await opened(root, users(4, 9), { mode: 'restart' })).toEqual(['usr_4']);
    // The new run has it now, and finishes it.
    await expect(openRun(request(root, users(4, 10)))).rejects.toMatchObject({ code: 'unfinished-run' });
    const { run, close } = await openRun(request(root, users(4, 9), { mode: 'resume' }));
    run.finish(await run.begin([1], ['usr_4'], 1_000), { ...emptyBatchOutcome(), created: [1] });
    await close();
    expect(await opened(root, users(4, 10))).toEqual([]);
    // usr_3 was not handed over.
    await expect(openRun(request(root, users(3, 10)))).rejects.toMatchObject({ code: 'unfinished-run' });
  });

  it('does not continue while another run has taken over its rows of unknown outcome', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    await opened(root, ['usr_3', 'usr_4'], { mode: 'restart' });
    await expect(openRun(request(root, users(1, 6), { mode: 'resume' }))).rejects.toMatchObject({
      code: 'unfinished-run',
      exitCode: 2,
      message: expect.stringContaining('has 2 rows of unknown outcome that are also in this list: usr_3, usr_4'),
    });
    const other = await openRun(request(root, ['usr_3', 'usr_4'], { mode: 'resume' }));
    other.run.finish(await other.run.begin([1, 2], users(3, 4), 1_000), { ...emptyBatchOutcome(), created: [1, 2] });
    await other.close();
    expect(await opened(root, users(1, 6), { mode: 'resume' })).toEqual(['usr_3', 'usr_4']);
  });

  it('owns its rows again when it sends them again', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    const other = await openRun(request(root, ['usr_4'], { mode: 'restart' }));
    other.run.finish(await other.run.begin([1], ['usr_4'], 1_000), { ...emptyBatchOutcome(), created: [1] });
    await other.close();
    const { run, close } = await openRun(request(root, users(1, 6), { mode: 'resume' }));
    await run.begin([4], ['usr_4'], 1_000);
    await close();
    await expect(openRun(request(root, users(4, 5)))).rejects.toMatchObject({ code: 'unfinished-run' });
  });

  it('keeps its rows after its own --restart, also for other lists', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    expect(await opened(root, users(1, 6), { mode: 'restart' })).toEqual(['usr_3', 'usr_4']);
    await expect(openRun(request(root, users(4, 9)))).rejects.toMatchObject({ code: 'unfinished-run' });
    expect(await opened(root, users(1, 6), { mode: 'restart' })).toEqual(['usr_3', 'usr_4']);
  });

  it('keeps its rows while it is in progress: --restart does not move them', async () => {
    const root = await journalDirectory();
    const running = await openRun(request(root, users(1, 6)));
    await running.run.begin([3, 4], users(3, 4), 1_000);
    await expect(openRun(request(root, users(4, 9), { mode: 'restart', allowParallel: true }))).rejects.toMatchObject({
      code: 'in-use',
      message: `process ${process.pid} is already importing this list`,
    });
    await running.close();
  });

  it('is not repaired by a process that only reads its journal', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    const [name = ''] = (await readdir(root)).filter((entry) => /^[0-9a-f]{32}$/.test(entry));
    const path = join(root, name, 'journal');
    const torn = `${await readFile(path, 'utf8')}5c5651ac {"t":"do`;
    await writeFile(path, torn);
    await expect(openRun(request(root, users(4, 9)))).rejects.toMatchObject({ code: 'unfinished-run' });
    expect(await readFile(path, 'utf8')).toBe(torn);
  });
});

describe('a run in another journal directory', () => {
  /** Runs with the same locks, but each with a journal directory of its own. */
  async function twoRoots(): Promise<{ root: string; forgotten: string; locks: string }> {
    const home = await journalDirectory();
    const forgotten = join(home, 'forgotten');
    const locks = join(home, 'locks');
    await leaveInFlight(forgotten, { locks });
    return { root: join(home, 'runs'), forgotten, locks };
  }

  it.each(['new', 'resume'] as const)('stops the same list if its rows are in flight, mode %s', async (mode) => {
    const { root, forgotten, locks } = await twoRoots();
    await expect(openRun(request(root, users(1, 6), { mode, locks }))).rejects.toMatchObject({
      code: 'unfinished-run',
      exitCode: 2,
      message:
        'an unfinished run of members.csv, started 2026-01-05T09:00:00.000Z, has 2 rows of unknown outcome that are also in this list: usr_3, usr_4',
      hint: `Continue that run first: its own list and options with --resume and --journal ${forgotten}. Or add --restart: these rows then wait for the quiet period before they are sent again.`,
    });
  });

  it('passes its rows to --restart', async () => {
    const { root, forgotten, locks } = await twoRoots();
    expect(await opened(root, users(1, 6), { mode: 'restart', locks })).toEqual(['usr_3', 'usr_4']);
    await expect(openRun(request(forgotten, users(1, 6), { mode: 'resume', locks }))).rejects.toMatchObject({
      code: 'unfinished-run',
    });
    const { run, close } = await openRun(request(root, users(1, 6), { mode: 'resume', locks }));
    run.finish(await run.begin([3, 4], users(3, 4), 1_000), { ...emptyBatchOutcome(), created: [3, 4] });
    await close();
    expect(await opened(forgotten, users(3, 9), { locks })).toEqual([]);
  });

  it('has no effect once the directory is gone, or under another path of the same directory', async () => {
    const { root, forgotten, locks } = await twoRoots();
    await symlink(forgotten, root);
    expect(await opened(root, users(1, 6), { mode: 'resume', locks })).toEqual(['usr_3', 'usr_4']);
    await rm(root);
    await rm(forgotten, { recursive: true });
    expect(await opened(root, users(1, 6), { locks })).toEqual([]);
  });
});

describe('a run whose rows cannot be compared', () => {
  async function incomparable(damage: (text: string) => string): Promise<{ root: string; directory: string }> {
    const root = await journalDirectory();
    await leaveInFlight(root);
    const [name = ''] = (await readdir(root)).filter((entry) => /^[0-9a-f]{32}$/.test(entry));
    const path = join(root, name, 'journal');
    await writeFile(path, damage(await readFile(path, 'utf8')));
    return { root, directory: join(root, name) };
  }

  it('stops other lists if its journal is damaged, and --restart lets all their rows wait', async () => {
    const { root, directory } = await incomparable((text) => text.replace('"attempt":1', '"attempt":7'));
    await expect(openRun(request(root, users(8, 9)))).rejects.toMatchObject({
      code: 'unfinished-run',
      message: `the run in ${directory} may have sent people of this list without learning the outcome: the journal ${join(directory, 'journal')} is damaged in line 2`,
      hint: expect.stringContaining(`remove ${directory} instead`),
    });
    expect(await opened(root, users(8, 9), { mode: 'restart' })).toEqual(['usr_8', 'usr_9']);
  });

  it('stops lists into the same service only, if an older version wrote it', async () => {
    const { root, directory } = await incomparable(
      () =>
        'b7db0b47 {"t":"run","version":1,"list":"old.csv","baseUrl":"https://api.example.com","total":3,"startedAt":"2026-01-01T00:00:00.000Z"}\n' +
        'd04f0e6c {"t":"send","attempt":1,"rows":"1-3"}\n',
    );
    await expect(openRun(request(root, users(8, 9)))).rejects.toMatchObject({
      message: `an unfinished run of old.csv, started 2026-01-01T00:00:00.000Z, may have sent people of this list without learning the outcome: the journal ${join(directory, 'journal')} was written by an older version of orgadm`,
    });
    const identity = { digest: 'd2', settings: [], service: 'https://other.example.com' };
    expect(await opened(root, users(8, 9), { identity })).toEqual([]);
  });

  it('stops other lists if the secret is another one', async () => {
    const root = await journalDirectory();
    await leaveInFlight(root);
    await writeFile(join(root, 'secret'), Buffer.alloc(32, 7));
    await expect(openRun(request(root, users(8, 9)))).rejects.toMatchObject({
      message: expect.stringContaining('its journal does not contain their user ids'),
    });
  });
});

describe('an import into the same service with the same key', () => {
  const other = (root: string, changes: Partial<RunRequest> = {}) =>
    request(join(root, 'other-journals'), users(20, 22), {
      locks: join(root, 'locks'),
      list: 'others.csv',
      ...changes,
    });

  async function withOneRunning(use: (root: string) => Promise<void>): Promise<void> {
    const root = await journalDirectory();
    const first = await openRun(request(root, users(1, 6)));
    await use(root);
    await first.close();
  }

  it('is rejected while another one runs, whatever its list and journal directory, and names that one', async () => {
    await withOneRunning(async (root) => {
      await expect(openRun(other(root))).rejects.toMatchObject({
        code: 'in-use',
        exitCode: 2,
        message: `process ${process.pid} is importing members.csv into https://api.example.com with the same key`,
        hint: 'Nothing was sent. Wait until it ends, or stop it. With --allow-parallel both run at the same time: people on both lists may then be added twice.',
      });
    });
  });

  it.each<[string, Partial<RunRequest>]>([
    ['with --allow-parallel', { allowParallel: true }],
    ['with another key', { apiKey: 'key_2' }],
    ['into another service', { identity: { digest: 'd2', settings: [], service: 'https://other.example.com' } }],
  ])('runs at the same time %s', async (_, changes) => {
    await withOneRunning(async (root) => {
      expect(await opened(join(root, 'other-journals'), users(20, 22), other(root, changes))).toEqual([]);
    });
  });

  it('runs once the other one has ended', async () => {
    let root = '';
    await withOneRunning(async (directory) => {
      root = directory;
    });
    expect(await opened(join(root, 'other-journals'), users(20, 22), other(root))).toEqual([]);
  });

  it('is reported again if it is finished while another one runs', async () => {
    const root = await journalDirectory();
    const finished = await openRun(other(root));
    finished.run.finish(await finished.run.begin([1, 2, 3], users(20, 22), 1_000), {
      ...emptyBatchOutcome(),
      created: [1, 2, 3],
    });
    await finished.close();
    const running = await openRun(request(root, users(1, 6)));
    const again = await openRun(other(root, { mode: 'resume' }));
    expect(again.run.rowStates.counts().created).toBe(3);
    await again.close();
    await running.close();
  });
});
