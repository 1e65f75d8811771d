import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyBatchOutcome } from '../../../src/import/journal/journal-records.ts';
import { openRun, type RunRequest } from '../../../src/import/journal/open-run.ts';
import { journalDirectory } from './journal-directory.ts';
import { rowsOf, users } from './list-rows.ts';

const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };

function request(root: string, changes: Partial<RunRequest> = {}): RunRequest {
  return {
    root,
    locks: join(root, 'locks'),
    identity: { digest: 'd1', settings: ['csv'], service: 'https://api.example.com' },
    apiKey: 'key_1',
    allowParallel: false,
    mode: 'new',
    list: 'members.csv',
    path: '/home/anna/members.csv',
    total: 4,
    rows: () => rowsOf(users(1, 4)),
    invalid: [],
    nowMs: Date.UTC(2026, 0, 5, 9),
    ...changes,
  };
}

/** A run whose rows 1 and 2 are created, 3 of unknown outcome, and 4 unsent. */
async function leaveUnfinished(root: string): Promise<void> {
  const opened = await openRun(request(root));
  opened.run.finish(await opened.run.begin([1, 2], ['usr_1', 'usr_2'], 1_000), {
    ...emptyBatchOutcome(),
    created: [1, 2],
  });
  await opened.run.begin([3], ['usr_3'], 1_000);
  await opened.close();
}

describe('openRun', () => {
  it('creates private directories, a secret, and a journal that begins with the description of the run', async () => {
    const root = join(await journalDirectory(), 'state', 'runs');
    const { close, resumed } = await openRun(request(root));
    await close();
    expect(resumed).toBe(false);
    const [name = ''] = (await readdir(root)).filter((entry) => /^[0-9a-f]{32}$/.test(entry));
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    expect((await stat(join(root, 'secret'))).size).toBe(32);
    for (const folder of [join(root, '..'), root, join(root, name)]) {
      expect((await stat(folder)).mode & 0o777, folder).toBe(0o700);
    }
    expect((await readdir(join(root, name))).sort()).toEqual(['journal']);
    const lines = (await readFile(join(root, name, 'journal'), 'utf8')).split('\n');
    expect(lines.map((line) => line.slice(9).replaceAll(/"([0-9a-f]{32}|[0-9a-f]{8})"/g, '"<hash>"'))).toEqual([
      '{"t":"run","version":3,"list":"members.csv","path":"/home/anna/members.csv","digest":"d1","baseUrl":"https://api.example.com",' +
        '"total":4,"startedAt":"2026-01-05T09:00:00.000Z","keyFingerprint":"<hash>","secretId":"<hash>"}',
      '{"t":"closed","unknown":0}',
      '',
    ]);
  });

  it('continues an unfinished run', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    const { run, resumed, close } = await openRun(request(root, { mode: 'resume' }));
    expect(resumed).toBe(true);
    expect(run.rowStates.counts()).toEqual({ ...NONE, created: 2, unknown: 1, unsent: 1 });
    await close();
  });

  it('does not start an unfinished run over without --restart, and releases its lock', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    for (let again = 0; again < 2; again++) {
      await expect(openRun(request(root))).rejects.toMatchObject({
        code: 'unfinished-run',
        message: 'an earlier run of this list is not finished: 1 unsent, 1 of unknown outcome',
      });
    }
  });

  it('starts over with --restart, and carries the rows of unknown outcome, however often', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    for (let again = 0; again < 3; again++) {
      const { run, resumed, close } = await openRun(request(root, { mode: 'restart' }));
      expect(resumed).toBe(false);
      expect(run.rowStates.counts()).toEqual({ ...NONE, unknown: 1, unsent: 3 });
      expect(run.rowStates.isUnknown(3)).toBe(true);
      expect(await run.messageFor(3)).toBe('an earlier run ended before its outcome was known');
      await close();
    }
  });

  it('treats the outcome of every row of a damaged journal as unknown when it starts over', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    const [name = ''] = (await readdir(root)).filter((entry) => /^[0-9a-f]{32}$/.test(entry));
    await writeFile(join(root, name, 'journal'), 'something else\n');
    await expect(openRun(request(root, { mode: 'resume' }))).rejects.toMatchObject({ code: 'journal-damaged' });
    const { run, close } = await openRun(request(root, { mode: 'restart', invalid: [2] }));
    expect(run.rowStates.counts()).toEqual({ ...NONE, invalid: 1, unknown: 3 });
    await close();
  });

  it.each([
    ['continued', 'resume', { created: 2, invalid: 2 }],
    ['started anew', 'new', { unsent: 2, invalid: 2 }],
    ['started over', 'restart', { unsent: 2, invalid: 2 }],
  ] as const)('knows the invalid rows of a run that is %s, although they are passed once', async (_, mode, counts) => {
    const root = await journalDirectory();
    const first = await openRun(request(root, { invalid: [3, 4] }));
    first.run.finish(await first.run.begin([1, 2], ['usr_1', 'usr_2'], 1_000), {
      ...emptyBatchOutcome(),
      created: [1, 2],
    });
    await first.close();
    const { run, close } = await openRun(request(root, { mode, invalid: [3, 4].values() }));
    expect(run.rowStates.counts()).toEqual({ ...NONE, ...counts });
    await close();
  });

  it.each<[string, Partial<RunRequest['identity']>]>([
    ['list', { digest: 'd2' }],
    ['setting', { settings: ['tsv'] }],
    ['service', { service: 'https://api.example.com/v2' }],
  ])('opens another run for another %s', async (_, change) => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    const base = request(root, { total: 2, rows: () => rowsOf(users(8, 9)) });
    const { run, close } = await openRun({ ...base, identity: { ...base.identity, ...change } });
    expect(run.rowStates.counts()).toEqual({ ...NONE, unsent: 2 });
    await close();
  });

  it.each([
    ['http://localhost:8080/api', 'http://127.0.0.1:8080/api'],
    ['http://localhost:8080/api', 'http://[::1]:8080/api/'],
    ['https://api.example.com', 'https://API.Example.com:443/'],
    ['https://api.example.com', 'https://api.example.com.'],
  ])('opens the same run for %s and %s', async (service, other) => {
    const root = await journalDirectory();
    const base = request(root);
    const first = await openRun({ ...base, identity: { ...base.identity, service } });
    await first.close();
    const second = await openRun({ ...base, mode: 'resume', identity: { ...base.identity, service: other } });
    expect(second.resumed).toBe(true);
    await second.close();
  });

  it('finds each of many runs that were started at the same time in a new folder', async () => {
    const root = join(await journalDirectory(), 'runs');
    const base = request(root);
    const each = (mode: RunRequest['mode']) =>
      Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          openRun({ ...base, mode, allowParallel: true, identity: { ...base.identity, digest: `list ${n}` } }),
        ),
      );
    await Promise.all((await each('new')).map(({ close }) => close()));
    expect((await readdir(root)).filter((name) => name.includes('secret'))).toEqual(['secret']);
    const again = await each('resume');
    expect(again.map(({ resumed }) => resumed)).toEqual(Array(8).fill(true));
    await Promise.all(again.map(({ close }) => close()));
  });

  it('rejects a damaged secret', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    await writeFile(join(root, 'secret'), '');
    await expect(openRun(request(root))).rejects.toMatchObject({
      exitCode: 2,
      message: `the file ${join(root, 'secret')} is damaged: it has 0 bytes, not 32`,
    });
  });

  it('reports an error of the file system before anything else', async () => {
    const root = await journalDirectory();
    await leaveUnfinished(root);
    const [name = ''] = (await readdir(root)).filter((entry) => /^[0-9a-f]{32}$/.test(entry));
    await mkdir(join(root, name, 'journal.new'));
    await expect(openRun(request(root, { mode: 'restart' }))).rejects.toMatchObject({
      code: 'journal-write',
      exitCode: 2,
      message: expect.stringMatching(/: it is a directory \(EISDIR\)/),
    });
    const { run, close } = await openRun(request(root, { mode: 'resume' }));
    expect(run.rowStates.counts()).toEqual({ ...NONE, created: 2, unknown: 1, unsent: 1 });
    await close();
  });
});
