import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXPORT_LAYOUTS } from '../../fixtures/exports/export-layouts.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/exports');

const UNREADABLE = [
  { file: 'password.xlsx', message: /^error: .*protected by a password/, fix: /^hint: .*without a password.*CSV/m },
  { file: 'legacy.xls', message: /^error: .*\.xls\b/, fix: /^hint: .*\.xlsx.*CSV/m },
];

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
});

describe('a list that another system exports, without options', () => {
  it.each(EXPORT_LAYOUTS)('is not sent, and the hint asks for the decisions: $name', async ({ file, asks }) => {
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file)]);
    expect({ code, sent: service.requests.length }, stderr).toEqual({ code: 2, sent: 0 });
    const [suggested = ''] = /^ {2}orgadm people bulk-add .*$/m.exec(stderr) ?? [];
    const asked = Array.from(suggested.matchAll(/'(\w+)=</g), ([, field]) => field);
    expect(asked.filter((field) => field !== 'department')).toEqual(asks);
  });

  it.each(EXPORT_LAYOUTS)(
    'is not sent by the command that orgadm suggests, even without --dry-run: $name',
    async ({ file }) => {
      const { service, run } = await cli.scripted(addsMembers());
      const { stderr } = await run(['people', 'bulk-add', join(FOLDER, file)]);
      const [, suggested = ''] = /^ {2}orgadm (people bulk-add .* --dry-run)$/m.exec(stderr) ?? [];
      const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${suggested}`], { encoding: 'utf8' });
      const words = printed.trimEnd().split('\n');
      const hasPlaceholder = words.some((word) => /<[a-z ]+>/.test(word));
      expect((await run(words)).code).toBe(hasPlaceholder ? 2 : 0);
      if (hasPlaceholder) await run(words.slice(0, -1));
      expect(service.requests).toEqual([]);
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
