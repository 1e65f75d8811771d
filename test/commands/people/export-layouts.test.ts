import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXPORT_LAYOUTS } from '../../fixtures/exports/export-layouts.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/exports');
const UNREADABLE = ['legacy.xls', 'password.xlsx'];

const cli = createCommandRunner();

describe('a list that another system exports', () => {
  it.each(EXPORT_LAYOUTS)(
    'is sent correctly with the documented options: $name',
    async ({ file, args, entries, warning = /^/ }) => {
      const { service, run } = await cli.scripted(addsMembers());
      const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file), ...args]);
      expect({ code, sent: service.requests.flatMap(membersOf) }, stderr).toEqual({ code: 0, sent: entries });
      expect(stderr).toMatch(warning);
    },
  );

  it.each(EXPORT_LAYOUTS)('is not sent without options: $name', async ({ file }) => {
    const { service, run } = await cli.scripted(addsMembers());
    const result = await run(['people', 'bulk-add', join(FOLDER, file), '--json']);
    const { code } = errorOf(result);
    expect({ exit: result.code, sent: service.requests.length }, result.stderr).toEqual({ exit: 2, sent: 0 });
    expect(['bad-columns', 'bad-list']).toContain(code);
  });

  it.each(UNREADABLE)('is rejected with the fix if it is no workbook: %s', async (file) => {
    const { code, stdout, stderr } = await cli.plain(['people', 'bulk-add', join(FOLDER, file), '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: .* is not an Excel workbook \(\.xlsx\)\nhint: .*without a password, or as CSV UTF-8/,
    );
  });
});

describe('the table of exported lists', () => {
  it('contains every list of the folder, with the address of its documentation', () => {
    const files = readdirSync(FOLDER).filter((file) => !file.startsWith('.') && !file.endsWith('.ts'));
    const named = [...EXPORT_LAYOUTS.map(({ file }) => file), ...UNREADABLE];
    expect(files).toEqual([...new Set(named)].sort());
    for (const { documentation } of EXPORT_LAYOUTS) expect(documentation).toMatch(/^https:\/\//);
  });
});
