import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APPLICATION_LAYOUTS } from '../../fixtures/exports/application-layouts.ts';
import { DIRECTORY_LAYOUTS } from '../../fixtures/exports/directory-layouts.ts';
import { PROGRAM_LAYOUTS } from '../../fixtures/exports/program-layouts.ts';
import { membersOf, startAddMembersService } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/exports');

const EXPORT_LAYOUTS = [...DIRECTORY_LAYOUTS, ...APPLICATION_LAYOUTS, ...PROGRAM_LAYOUTS];

const UNREADABLE = [
  { file: 'users.ldif', message: /^error: .*LDIF/, fix: /^hint: .*CSV/m },
  { file: 'password.xlsx', message: /^error: .*protected by a password/, fix: /^hint: .*CSV/m },
  { file: 'legacy.xls', message: /^error: .*\.xls\b/, fix: /^hint: .*\.xlsx.*CSV/m },
];

const cli = createCommandRunner();

describe('a list that another system exports', () => {
  it.each(EXPORT_LAYOUTS)(
    'is sent correctly with the documented options: $name',
    async ({ file, args, entries, warning = /^/ }) => {
      const { service, run } = await cli.scripted(startAddMembersService());
      const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file), ...args]);
      expect({ code, sent: service.requests.flatMap(membersOf) }, stderr).toEqual({ code: 0, sent: entries });
      expect(stderr).toMatch(warning);
    },
  );
});

describe('a list in a format that cannot be read', () => {
  it.each(UNREADABLE)('is rejected with the fix: $file', async ({ file, message, fix }) => {
    const { code, stdout, stderr } = await cli.plain(['people', 'bulk-add', join(FOLDER, file), '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(fix);
  });
});

describe('the table of exported lists', () => {
  it('contains every list of the folder, with the address of its documentation', () => {
    const files = readdirSync(FOLDER).filter((file) => !file.startsWith('.') && !file.endsWith('.ts'));
    const named = [...EXPORT_LAYOUTS, ...UNREADABLE].map(({ file }) => file);
    expect(files).toEqual([...new Set(named)].sort());
    for (const { documentation } of EXPORT_LAYOUTS) expect(documentation).toMatch(/^https:\/\//);
  });
});
