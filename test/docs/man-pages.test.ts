import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readDocumentation } from '../../build/docs/command-pages.ts';
import { renderManPages } from '../../build/docs/man-page.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';

const pages = renderManPages(await readDocumentation(), { version: '1.2.3', date: '2026-11-22' });

/** Returns the page as `mandoc` prints it, and its warnings. */
function mandoc(page: string, ...options: string[]): string {
  const { stdout, stderr } = spawnSync('mandoc', [...options], { input: page, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

/** The text of a page as a terminal shows it, without bold and underlines. */
function textOf(name: string): string {
  return mandoc(pages.get(name) ?? '', '-Tutf8', '-O', 'width=78').replace(/.\x08/g, '');
}

describe('the manual pages', () => {
  it('are one for the program and one for each command that help lists', () => {
    const listed = COMMANDS.filter(({ isHidden }) => !isHidden);
    const names = listed.map(({ name }) => `orgadm-${name.replace(' ', '-')}.1`);
    expect([...pages.keys()]).toEqual(['orgadm.1', ...names]);
  });

  it.each([...pages.keys()])('%s has no fault that mandoc finds', (name) => {
    expect(mandoc(pages.get(name) ?? '', '-Tlint')).toBe('');
  });

  it.each([...pages])('%s is ASCII, because groff drops other characters without a UTF-8 locale', (_, page) => {
    expect(page.match(/[^\n -~]/g)).toBe(null);
  });

  it('describe the options of a command under their headings', () => {
    const page = textOf('orgadm-people-bulk-add.1');
    expect(page).toMatch(/^ {7}orgadm people bulk-add .*<file>/m);
    expect(page).toMatch(/^ {7}--map <field=column>\n {14}\S/m);
    expect(page).toMatch(
      /^EXAMPLES\n {9}# Send one row first, then the others. The sandbox needs no account\n {9}\$ orgadm people /m,
    );
    expect(page).toMatch(/^SEE ALSO\n {7}orgadm\(1\)$/m);
  });

  it('have the topics of `orgadm help` and the global options on the page of the program', () => {
    const page = textOf('orgadm.1');
    for (const heading of ['COMMANDS', 'GLOBAL OPTIONS', 'OUTPUT', 'ENVIRONMENT', 'EXIT CODES', 'SEE ALSO'])
      expect(page).toMatch(new RegExp(`^${heading}$`, 'm'));
    expect(page).toMatch(/^ {7}-o, --output <format>$/m);
    expect(page).toMatch(/^ {7}ORGADM_API_KEY$/m);
    expect(page).toMatch(/^ {7}5 {6}not found$/m);
  });
});
