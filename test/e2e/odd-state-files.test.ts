import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY, bulkAddArgs } from '../helpers/orgadm-process.ts';
import { startPeopleService } from '../helpers/people-service.ts';
import { errorOf, reportOf } from '../helpers/report.ts';
import { runBuilt } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { journalOf, users, writeList } from './journal-files.ts';

const orgadm = (home: string, argv: readonly string[]) => runBuilt(home, argv, { env: { ORGADM_API_KEY: API_KEY } });
const forbidden = { status: 403, body: { statusCode: 403, message: 'Forbidden' } };

/** A user's machine with an unfinished run that may have added three people. */
async function unfinishedRun() {
  const home = temporaryFolder().path;
  const service = await startPeopleService(({ number, response }) => {
    if (number !== 2) return number === 3 ? forbidden : 'respond';
    response.destroy();
    return 'apply';
  });
  const args = bulkAddArgs(writeList(home, users(9)), service);
  const first = await orgadm(home, args);
  expect(reportOf(first).summary).toMatchObject({ created: 3, unknown: 3, unsent: 3 });
  const services = join(home, 'state', 'services');
  const inFlight = join(services, readdirSync(services)[0] ?? 'none', 'in-flight');
  return { home, service, args, journal: journalOf(home) ?? 'none', inFlight };
}

/** Replaces a file by something else with its name. */
const REPLACEMENTS: Readonly<Record<string, (path: string) => void>> = {
  'not a regular file': (path) => {
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
  },
  'a directory': (path) => {
    rmSync(path, { force: true });
    mkdirSync(path);
  },
  'a symbolic link': (path) => {
    rmSync(path, { force: true });
    symlinkSync('/dev/zero', path);
  },
};

describe.each(Object.entries(REPLACEMENTS))('what is %s instead of a file in the state directory', (kind, replace) => {
  it.each(['journal', 'inFlight'] as const)('is an error that names it before anything is sent: %s', async (name) => {
    const machine = await unfinishedRun();
    const { home, service, args } = machine;
    replace(machine[name]);
    const { requests } = service;
    const ended = await orgadm(home, args);
    expect(errorOf(ended), ended.stderr).toEqual({
      code: 'file',
      message: `${machine[name]} is ${kind}`,
      hint: expect.any(String),
    });
    expect({ exit: ended.code, requests: service.requests }).toEqual({ exit: 2, requests });
  });

  it('makes runs list show a damaged run, and no command hang', async () => {
    const { home, journal } = await unfinishedRun();
    replace(journal);
    const listed = await orgadm(home, ['runs', 'list', '--json']);
    expect({ code: listed.code, runs: JSON.parse(listed.stdout) }).toMatchObject({
      code: 0,
      runs: [{ state: 'damaged', error: `${journal} is ${kind}` }],
    });
  });
});

describe('the names of this machine', () => {
  it('are one service: the same command with another name continues the run', async () => {
    const { home, service, args } = await unfinishedRun();
    service.step = () => forbidden;
    for (const host of ['0.0.0.0', '[::ffff:127.0.0.1]', 'localhost']) {
      const renamed = args.map((word) => word.replace('127.0.0.1', host));
      const ended = await orgadm(home, [...renamed, '--allow-http']);
      expect({ host, ...reportOf(ended) }, ended.stderr).toMatchObject({ host, run: { continued: true } });
    }
    expect(readdirSync(join(home, 'state', 'services'))).toHaveLength(1);
  });
});
