import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quoteForShell } from '../../../src/output/sanitize.ts';
import { APPLICATION_LAYOUTS } from '../../fixtures/exports/application-layouts.ts';
import { DIRECTORY_LAYOUTS } from '../../fixtures/exports/directory-layouts.ts';
import { PROGRAM_LAYOUTS } from '../../fixtures/exports/program-layouts.ts';
import { SUGGESTIONS } from '../../fixtures/exports/suggestions.ts';
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

describe('the suggestion for a list without any option', () => {
  const lists = Object.entries(SUGGESTIONS).map(([file, suggestion]) => ({ file, ...suggestion }));

  it.each(lists)('is a command with the missing options: $file', async ({ file, words }) => {
    const { service, run } = await cli.scripted(startAddMembersService());
    const argv = ['people', 'bulk-add', join(FOLDER, file)];
    const { code, stderr } = await run(argv);
    expect({ code, requests: service.requests.length }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain(`Try: ${['orgadm', ...argv, ...words].map(quoteForShell).join(' ')}\n`);
  });

  it.each(lists)('is right or rejected as it is: $file', async ({ file, words, entries }) => {
    const { service, run } = await cli.scripted(startAddMembersService());
    const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file), ...words]);
    expect({ code, sent: service.requests.flatMap(membersOf) }).toEqual({ code: entries ? 0 : 2, sent: entries ?? [] });
    if (entries === undefined)
      expect(stderr).toMatch(/^error: --[a-z-]+ .*: <[a-z ]+> is a placeholder\nhint: Replace </);
  });

  it.each(lists.filter(({ entries }) => entries === undefined))(
    'adds no one as active who is not, once a role is filled in: $file',
    async ({ file, words }) => {
      const { service, run } = await cli.scripted(startAddMembersService());
      const filled = words.map((word) => word.replace('<role>', 'employee'));
      await run(['people', 'bulk-add', join(FOLDER, file), ...filled]);
      const sent = service.requests.flatMap(membersOf);
      for (const { entries } of EXPORT_LAYOUTS.filter((layout) => layout.file === file))
        for (const [at, { isActive }] of entries.entries())
          if (isActive === false && sent[at] !== undefined) expect(sent[at]).toMatchObject({ isActive: false });
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
