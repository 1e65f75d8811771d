import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { runDirectories, users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs, startOrgadm } from '../helpers/orgadm-process.ts';
import { FORBIDDEN, type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliOptions, type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { workbook } from '../helpers/workbook.ts';

const folder = temporaryFolder();

function run(
  list: string,
  service: { url: string },
  more: readonly string[] = [],
  options: CliOptions = {},
): Promise<CliResult> {
  return runCli(folder.path, bulkAddArgs(list, service, more), { env: { ORGADM_API_KEY: API_KEY }, ...options });
}

/** A run of twelve people of whom the last six are unsent. The service has recovered since. */
async function unfinished(): Promise<{ list: string; service: PeopleService }> {
  const list = writeList(folder.path, users(12));
  const service = await startPeopleService(({ number }) => (number === 3 ? FORBIDDEN : 'respond'));
  expect(reportOf(await run(list, service)).summary).toMatchObject({ created: 6, unsent: 6 });
  return { list, service };
}

/** The rows of a sheet with the role first. */
function sheetOf(people: readonly string[]): string {
  return [['role', 'userId'], ...people.map((id) => ['member', id])]
    .map((cells) => `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`)
    .join('');
}

const JSON_LIST = JSON.stringify(users(12).map((userId) => ({ role: 'member', userId })));
const NDJSON_LIST = users(12)
  .map((id) => `{"userId":"${id}","role":"member"}\n`)
  .join('\n');

it.each<[string, (list: string, service: PeopleService) => Promise<CliResult>]>([
  [
    'at another path',
    (list, service) => {
      copyFileSync(list, folder.file('copy.csv'));
      return run(folder.file('copy.csv'), service);
    },
  ],
  ['from a pipe', (list, service) => run('-', service, [], { stdin: readFileSync(list) })],
  [
    'as JSON',
    (_, service) => {
      writeFileSync(folder.file('members.json'), JSON_LIST);
      return run(folder.file('members.json'), service);
    },
  ],
  [
    'as NDJSON',
    (_, service) => {
      writeFileSync(folder.file('members.ndjson'), NDJSON_LIST);
      return run(folder.file('members.ndjson'), service);
    },
  ],
  [
    'as a workbook',
    (_, service) => {
      writeFileSync(folder.file('members.xlsx'), workbook([{ name: 'Team', data: sheetOf(users(12)) }]));
      return run(folder.file('members.xlsx'), service);
    },
  ],
])('an unfinished run is continued by the same people %s', async (_, importAgain) => {
  const { list, service } = await unfinished();
  const result = await importAgain(list, service);
  expect({ code: result.code, ...reportOf(result).summary }).toEqual({
    code: 0,
    ...counts({ total: 12, created: 12 }),
  });
  expect(result.stderr).toContain(`\nLine numbers in the report refer to ${list}\n`);
  expect(runDirectories(folder.path)).toHaveLength(1);
});

it.each([
  ['in another order', users(12).reverse(), ''],
  ['with another base URL', users(12), '/api'],
])('another run is started by the same people %s', async (_, people, path) => {
  const { service } = await unfinished();
  const result = await run(writeList(folder.path, people), { url: service.url + path });
  // The service added six of them in the first run.
  expect({ code: result.code, ...reportOf(result).summary }).toEqual({
    code: 3,
    ...counts({ total: 12, existing: 6, created: 6 }),
  });
  expect(runDirectories(folder.path)).toHaveLength(2);
});

it('--restart sends every row again except the invalid ones', async () => {
  const list = folder.file('members.csv');
  writeFileSync(list, 'userId,role\nusr_001,member\nusr_002,\nusr_003,member\n');
  const service = await startPeopleService();
  await run(list, service, ['--invalid', 'skip']);
  const result = await run(list, service, ['--invalid', 'skip', '--restart']);
  expect({ code: result.code, ...reportOf(result).summary }).toEqual({
    code: 3,
    ...counts({ total: 3, existing: 2, invalid: 1 }),
  });
  expect([...service.sends].sort()).toEqual([
    ['usr_001', 2],
    ['usr_003', 2],
  ]);
});

it('the state directory is private, and contains neither the key, other columns, nor names and addresses of members', async () => {
  const list = folder.file('members.csv');
  writeFileSync(list, `userId,role,Phone\n${users(12).join(',member,+49 30 901820\n')},member,+49 30 901820\n`);
  const service = await startPeopleService();
  const args = bulkAddArgs(list, service, ['--ignore-extra-columns', '--active', 'all']);
  const killed = startOrgadm(folder.path, args);
  service.step = ({ number }) => {
    if (number === 3) killed.child.kill('SIGKILL');
    return 'respond';
  };
  expect((await killed.ended).signal).toBe('SIGKILL');

  const names = readdirSync(folder.file('state'), { recursive: true, encoding: 'utf8' });
  const paths = [folder.file('state'), ...names.map((name) => join(folder.file('state'), name))];
  const files = paths.filter((path) => lstatSync(path).isFile());
  const kinds = [...new Set(files.map((path) => basename(path)))].sort();
  expect(kinds).toEqual(['holder.json', 'in-flight', 'journal', 'rows']);
  const keyHash = createHash('sha256').update(API_KEY);
  const secrets = [API_KEY, Buffer.from(API_KEY).toString('base64'), keyHash.digest('hex')];
  for (const file of files) {
    const text = readFileSync(file, 'latin1') + file;
    for (const secret of [...secrets, '901820', 'Ada Byron', 'ada@example.com'])
      expect(text, file).not.toContain(secret);
    expect(lstatSync(file).mode & 0o777, file).toBe(0o600);
  }
  for (const path of paths.filter((path) => lstatSync(path).isDirectory()))
    expect(lstatSync(path).mode & 0o777, path).toBe(0o700);
});
