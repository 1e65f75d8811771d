import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { journalOf, users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs } from '../helpers/orgadm-process.ts';
import { FORBIDDEN, startPeopleService } from '../helpers/people-service.ts';
import { errorOf, reportOf } from '../helpers/report.ts';
import { runBuilt } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const orgadm = (argv: readonly string[]) => runBuilt(folder.path, argv, { env: { ORGADM_API_KEY: API_KEY } });

const journal = () => journalOf(folder.path) ?? 'none';
const inFlight = () => {
  const services = folder.file('state/services');
  return join(services, readdirSync(services)[0] ?? 'none', 'in-flight');
};
const makePipe = (path: string) => void execFileSync('mkfifo', [path]);
const linkToZeros = (path: string) => symlinkSync('/dev/zero', path);

it.each<[string, string, () => string, (path: string) => void]>([
  ['the journal', 'not a regular file', journal, makePipe],
  ['the journal', 'a symbolic link', journal, linkToZeros],
  ['the journal', 'a directory', journal, (path) => mkdirSync(path)],
  ['the file of requests in flight', 'not a regular file', inFlight, makePipe],
  ['the file of requests in flight', 'a symbolic link', inFlight, linkToZeros],
])('if %s is %s, an import sends nothing, and no command hangs', async (_, kind, pathOf, replace) => {
  const service = await startPeopleService(({ number, response }) => {
    if (number > 1) return FORBIDDEN;
    response.destroy();
    return 'apply';
  });
  const args = bulkAddArgs(writeList(folder.path, users(9)), service);
  expect(reportOf(await orgadm(args)).summary).toMatchObject({ unknown: 3, unsent: 6 });
  const path = pathOf();
  rmSync(path);
  replace(path);
  const { requests } = service;
  const ended = await orgadm(args);
  expect({ exit: ended.code, requests: service.requests, error: errorOf(ended) }).toMatchObject({
    ...{ exit: 2, requests },
    error: { code: 'file', message: `${path} is ${kind}` },
  });
  const listed = (await orgadm(['runs', 'list', '--json'])).json();
  expect(listed).toMatchObject([{ state: pathOf === journal ? 'damaged' : 'unfinished' }]);
});
