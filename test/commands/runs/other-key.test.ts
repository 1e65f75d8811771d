import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { bulkAddArgs } from '../../helpers/orgadm-process.ts';
import { type PeopleService, type Step, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { type CliResult, runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import type { ListedRun } from './run-fixtures.ts';

const folder = temporaryFolder();

/** Runs a command line with this key in the environment, and these variables. */
function orgadm(args: readonly string[], key: string, variables: Record<string, string> = {}): Promise<CliResult> {
  return runCli(folder.path, args, { env: { ORGADM_API_KEY: key, ...variables } });
}

const forbidden: Step = { status: 403, body: { message: 'Insufficient permissions', statusCode: 403 } };

/** A run of twelve rows whose key lost its permission after the first three. The service has recovered since. */
async function unfinishedRun(): Promise<{ list: string; service: PeopleService; id: string }> {
  const list = writeList(folder.path, users(12));
  const service = await startPeopleService(({ number }) => (number > 1 ? forbidden : 'respond'));
  const first = await orgadm(bulkAddArgs(list, service), 'key_old');
  expect({ code: first.code, ...reportOf(first).summary }).toMatchObject({ code: 4, created: 3, unsent: 9 });
  service.step = () => 'respond';
  return { list, service, id: await lastId() };
}

async function lastId(): Promise<string> {
  const [run] = (await orgadm(['runs', 'list', '--json'], '')).json() as [ListedRun];
  return run.id;
}

describe('an unfinished run with another key', () => {
  it.each<[string, (url: string) => Record<string, string>]>([
    ['no base URL', () => ({})],
    ['the base URL of the run', (url) => ({ ORGADM_BASE_URL: url })],
  ])('is rejected by runs resume before a request, next to %s in the environment', async (_, variables) => {
    const { list, service, id } = await unfinishedRun();
    const { requests } = service;
    const ended = await orgadm(['runs', 'resume', id, '--json'], 'key_of_production_77', variables(service.url));
    expect({ code: ended.code, stdout: ended.stdout, sent: service.requests - requests }).toEqual({
      code: 2,
      stdout: '',
      sent: 0,
    });
    expect(errorOf(ended)).toEqual({
      code: 'key-changed',
      message: `run ${id.slice(0, 8)} belongs to another API key`,
      hint: `Nothing was sent. Use the key that started the run, or import ${list} with this one as a new run.`,
    });
  });

  it('is continued by runs resume with its own key from a file', async () => {
    const { service, id } = await unfinishedRun();
    const keyFile = folder.file('key');
    writeFileSync(keyFile, 'key_old', { mode: 0o600 });
    const variables = { ORGADM_BASE_URL: service.url };
    const args = ['runs', 'resume', id, '--key-file', keyFile, '--json'];
    const ended = await orgadm(args, 'key_of_production_77', variables);
    expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
    expect(service.members.size).toBe(12);
  });
});

describe('a finished run with another key', () => {
  it('is not the run of this list, which is imported into the organization of that key', async () => {
    const list = writeList(folder.path, users(3));
    const service = await startPeopleService();
    expect((await orgadm(bulkAddArgs(list, service), 'key_old')).code).toBe(0);
    // Two organizations behind one URL.
    service.members.clear();
    const result = await orgadm(bulkAddArgs(list, service), 'key_new');
    expect({ code: result.code, stderr: result.stderr, ...reportOf(result).summary }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^.* 3 people /),
      ...counts({ total: 3, created: 3 }),
    });
    // Each is reported with its own key.
    const { requests } = service;
    for (const key of ['key_old', 'key_new']) expect((await orgadm(bulkAddArgs(list, service), key)).code).toBe(0);
    expect(service.requests).toBe(requests);
  });
});
