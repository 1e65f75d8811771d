import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY, bulkAddArgs, startOrgadm } from '../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { workbook } from '../helpers/workbook.ts';
import { filesBelow, users, writeList } from './journal-files.ts';

/** The rows of a sheet with the role first. */
function sheetOf(people: readonly string[]): string {
  return [['role', 'userId'], ...people.map((id) => ['member', id])]
    .map((cells) => `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`)
    .join('');
}

const folder = temporaryFolder();

function run(list: string, service: PeopleService, more: readonly string[] = [], key = API_KEY): Promise<CliResult> {
  return runCli(folder.path, bulkAddArgs(list, service, more), { env: { ORGADM_API_KEY: key } });
}

/** A run of twelve rows of which the last six are unsent. */
async function unfinished(): Promise<{ list: string; service: PeopleService }> {
  const list = writeList(folder.path, users(12));
  const service = await startPeopleService(({ number }) =>
    number === 3 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
  );
  expect(reportOf(await run(list, service)).summary).toMatchObject({ created: 6, unsent: 6 });
  return { list, service };
}

const runsIn = (state: string) => readdirSync(join(state, 'runs')).filter((name) => /^[0-9a-f]{32}$/.test(name));

describe('the run of a list', () => {
  it('is the same wherever the file is, and read from a pipe', async () => {
    const { list, service } = await unfinished();
    const copy = folder.file('copy.csv');
    copyFileSync(list, copy);
    const copied = await run(copy, service);
    expect({ code: copied.code, ...reportOf(copied).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
    const { requests } = service;
    const piped = await runCli(folder.path, bulkAddArgs('-', service), {
      env: { ORGADM_API_KEY: API_KEY },
      stdin: readFileSync(list),
    });
    expect(reportOf(piped).summary).toEqual(counts({ total: 12, created: 12 }));
    expect(service.requests).toBe(requests);
  });

  it.each<[string, string, (people: readonly string[]) => string | Uint8Array]>([
    ['JSON', 'members.json', (people) => JSON.stringify(people.map((userId) => ({ role: 'member', userId })))],
    ['NDJSON', 'members.ndjson', (people) => people.map((id) => `{"userId":"${id}","role":"member"}\n`).join('\n')],
    ['a workbook', 'members.xlsx', (people) => workbook([{ name: 'Team', data: sheetOf(people) }])],
  ])('is continued by the same people as %s', async (_, name, write) => {
    const { service } = await unfinished();
    const list = folder.file(name);
    writeFileSync(list, write(users(12)));
    const result = await run(list, service, ['--json']);
    expect(reportOf(result).summary).toEqual(counts({ total: 12, created: 12 }));
    expect(result.stderr).toContain(`\nLine numbers in the report refer to ${folder.file('members.csv')}\n`);
    expect(runsIn(folder.file('state')).length).toBe(1);
  });

  it.each<[string, { path?: string; content?: string }]>([
    [
      'its people in another order',
      {
        content: `userId,role\n${users(12)
          .reverse()
          .map((id) => `${id},member\n`)
          .join('')}`,
      },
    ],
    ['another base URL', { path: '/api' }],
  ])('is another one with %s', async (_, { path = '', content }) => {
    const { list, service } = await unfinished();
    if (content !== undefined) writeFileSync(list, content);
    const result = await run(list, { ...service, url: service.url + path });
    // The service added six of them in the first run.
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 3,
      ...counts({ total: 12, existing: 6, created: 6 }),
    });
    expect(runsIn(folder.file('state')).length).toBe(2);
  });

  it('is reported again, byte for byte, without a request if it is finished', async () => {
    const list = folder.file('members.csv');
    writeFileSync(list, 'userId,role\nusr_001,member\nusr_003,\nusr_004,member\nusr_005,member\n');
    const service = await startPeopleService();
    service.members.set('usr_004', 1);
    const first = await run(list, service, ['--invalid', 'skip']);
    expect({ code: first.code, ...reportOf(first).summary }).toEqual({
      code: 3,
      ...counts({ total: 4, created: 2, existing: 1, invalid: 1 }),
    });
    const { requests } = service;
    for (let again = 0; again < 2; again++) {
      const result = await run(list, service, ['--invalid', 'skip']);
      const expected = first.stdout.replace('"continued": false', '"continued": true');
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 3, stdout: expected });
      expect(result.stderr).toMatch(/ \(run [0-9a-f]{8}\)\. .* --restart\.\n/);
    }
    expect(service.requests).toBe(requests);
  });
});

describe('--restart', () => {
  it('sends every row again except the invalid ones', async () => {
    const list = folder.file('members.csv');
    writeFileSync(list, 'userId,role\nusr_001,member\nusr_002,\nusr_003,member\n');
    const service = await startPeopleService();
    await run(list, service, ['--invalid', 'skip']);
    const result = await run(list, service, ['--invalid', 'skip', '--restart']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 3,
      ...counts({ total: 3, existing: 2, invalid: 1 }),
    });
    expect([...service.sends]).toEqual([
      ['usr_001', 2],
      ['usr_003', 2],
    ]);
  });
});

describe('the state directory', () => {
  it('is private, and contains neither the key nor names and addresses of members', async () => {
    const list = writeList(folder.path, users(12));
    const service = await startPeopleService();
    expect((await run(list, service)).code).toBe(0);
    expect((await run(list, service, ['--restart'])).code).toBe(3);
    const killed = startOrgadm(folder.path, bulkAddArgs(list, service, ['--default', 'department=it']));
    service.step = ({ number }) => {
      if (number === 10) killed.child.kill('SIGKILL');
      return 'respond';
    };
    expect((await killed.ended).signal).toBe('SIGKILL');

    const state = folder.file('state');
    const files = filesBelow(state);
    expect(runsIn(state).length).toBe(3);
    const keyHash = createHash('sha256').update(API_KEY).digest();
    const secrets = [
      API_KEY,
      Buffer.from(API_KEY).toString('base64'),
      keyHash.toString('hex'),
      keyHash.toString('base64'),
    ];
    for (const file of files) {
      const text = readFileSync(file, 'latin1') + file;
      for (const secret of [...secrets, '@people.example', 'Person usr']) expect(text, file).not.toContain(secret);
      expect(statSync(file).mode & 0o777, file).toBe(0o600);
    }
    const folders = readdirSync(state, { recursive: true, encoding: 'utf8' })
      .map((name) => join(state, name))
      .filter((path) => lstatSync(path).isDirectory());
    // Three runs, a service, and the locks that the killed process left.
    expect(folders.length).toBe(8);
    for (const path of [state, ...folders]) expect(statSync(path).mode & 0o777, path).toBe(0o700);
  });
});
