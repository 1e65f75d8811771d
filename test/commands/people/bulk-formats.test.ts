import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { membersOf, startAddMembersService } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const CSV = 'User ID;role;department;is_active;deviceMgmtLabelId\n0012;admin;it;YES;042\n1E5;member;;0;\n';
const JSON_ENTRIES =
  '[{"userId":"0012","role":"admin","department":"it","isActive":true,"deviceMgmtLabelId":42},\n' +
  ' {"userId":"1E5","role":"member","isActive":false,"department":null}]';
const LISTS: Readonly<Record<string, string | Buffer>> = {
  'members.csv': CSV,
  'members.tsv': CSV.replaceAll(';', '\t'),
  'members.json': JSON_ENTRIES,
  'body.json': `{"members":${JSON_ENTRIES}}`,
  'members.ndjson': `${JSON_ENTRIES.slice(1, -1).replaceAll('},\n', '}\r\n')}\n`,
  'bom.csv': `\uFEFF${CSV.replaceAll('\n', '\r\n')}`,
  'utf16.csv': Buffer.from(`\uFEFF${CSV}`, 'utf16le'),
};
const SENT = [
  { userId: '0012', role: 'admin', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
  { userId: '1E5', role: 'member', isActive: false },
];

describe('a list in any format', () => {
  it.each(Object.keys(LISTS))('is sent with ids as text and typed flags and labels: %s', async (name) => {
    const file = cli.file(name);
    writeFileSync(file, LISTS[name] ?? '');
    const { service, run } = await cli.scripted(startAddMembersService());
    expect(await run(['people', 'bulk-add', file])).toMatchObject({ code: 0, stdout: '✓ 2 created\n' });
    expect(service.requests.map(membersOf)).toEqual([SENT]);
  });

  it('is sent in the same way from standard input', async () => {
    const { service, run } = await cli.scripted(startAddMembersService());
    expect((await run(['people', 'bulk-add', '-'], { stdin: CSV })).code).toBe(0);
    expect(service.requests.map(membersOf)).toEqual([SENT]);
  });

  it('is read with --format from a file with another extension', async () => {
    const file = cli.file('export.json');
    writeFileSync(file, CSV);
    const { service, run } = await cli.scripted(startAddMembersService());
    expect((await run(['people', 'bulk-add', file, '--format', 'csv'])).code).toBe(0);
    expect(service.requests.map(membersOf)).toEqual([SENT]);
  });
});

describe('the columns of a list', () => {
  it('are named by --map, filled by --default, and left unread by --ignore-extra-columns', async () => {
    const { service, run } = await cli.scripted(startAddMembersService());
    const stdin = 'Login,Team,Shoe size\nusr_1,it,41\nusr_2,,44\n';
    const options = ['--map', 'userId=Login', '--map', 'department=Team', '--default', 'role=member'];
    const more = ['--default', 'isActive=no', '--default', 'department=hr', '--ignore-extra-columns'];
    expect((await run(['people', 'bulk-add', '-', ...options, ...more], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'member', department: 'it', isActive: false },
      { userId: 'usr_2', role: 'member', department: 'hr', isActive: false },
    ]);
  });
});
