import { execFileSync } from 'node:child_process';
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
  { file: 'password.xlsx', message: /^error: .*protected by a password/, fix: /^hint: .*without a password.*CSV/m },
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

describe('a list that another system exports, without options', () => {
  const files = [...new Set(EXPORT_LAYOUTS.map(({ file }) => file))];
  /** Lists that have only fields. */
  const complete = [
    'excel-sep.csv',
    'excel-utf8.csv',
    'excel-unicode.txt',
    'libreoffice.csv',
    'psql-copy.csv',
    'jq-elements.json',
    'jq-lines.ndjson',
  ];

  /** Returns what orgadm prints about a list, whose folder is not shown. */
  async function printed(file: string): Promise<{ code: number; shown: string; sent: number }> {
    const { service, run } = await cli.scripted(startAddMembersService());
    const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file)]);
    return { code, shown: stderr.replaceAll(`${FOLDER}/`, ''), sent: service.requests.length };
  }

  it('is sent only if it has no other columns than fields; otherwise, orgadm shows them and asks', async () => {
    const all: string[] = [];
    for (const file of files) {
      const { code, shown, sent } = await printed(file);
      const isComplete = complete.includes(file);
      expect({ file, code, sent }, shown).toEqual({ file, code: isComplete ? 0 : 2, sent: isComplete ? 1 : 0 });
      if (!isComplete) all.push(`$ orgadm people bulk-add ${file}\n${shown}`);
    }
    await expect(all.join('\n')).toMatchFileSnapshot('../../fixtures/exports-without-options.txt');
  });

  it.each(files.filter((file) => !complete.includes(file)))(
    'is not sent by the command that orgadm suggests, even without --dry-run: %s',
    async (file) => {
      const { service, run } = await cli.scripted(startAddMembersService());
      const { stderr } = await run(['people', 'bulk-add', join(FOLDER, file)]);
      const [, suggested] = /^ {2}orgadm (people bulk-add .* --dry-run)$/m.exec(stderr) ?? [];
      if (suggested === undefined) return;
      const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${suggested}`], { encoding: 'utf8' });
      const words = printed.trimEnd().split('\n');
      const hasPlaceholder = words.some((word) => /<[a-z ]+>/.test(word));
      expect((await run(words)).code).toBe(hasPlaceholder ? 2 : 0);
      if (hasPlaceholder) await run(words.slice(0, -1));
      expect(service.requests).toEqual([]);
    },
  );

  it.each(
    EXPORT_LAYOUTS.filter(({ file, args }) => !complete.includes(file) && withoutStatus(args).length < args.length),
  )('is not sent if only the options about who is active are missing: $name', async ({ file, args }) => {
    const { service, run } = await cli.scripted(startAddMembersService());
    const { code, stderr } = await run(['people', 'bulk-add', join(FOLDER, file), ...withoutStatus(args)]);
    expect({ code, sent: service.requests.length }, stderr).toEqual({ code: 2, sent: 0 });
    expect(stderr).toMatch(/^hint: Say .*(?:who is active|what a blank status means)/m);
  });
});

/** Returns options without those about isActive. */
function withoutStatus(options: readonly string[]): string[] {
  return options.filter((word, at) => {
    const isPair = (text: string | undefined) => /^isActive[=:]/.test(text ?? '');
    return !isPair(word) && !(word.startsWith('--') && isPair(options[at + 1]));
  });
}

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
