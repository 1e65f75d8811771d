import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'test/README.md', 'test/contract/README.md'],
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** A document without its code, in which nothing is a link or a heading. */
function textOf(document: string): string {
  return readFileSync(document, 'utf8').replace(/^(```|~~~).*?^\1$/gms, '');
}

/** The targets of links and images to other files and headings, in Markdown and HTML. */
function linksIn(document: string): string[] {
  const text = textOf(document).replace(/`[^`]*`/g, 'code');
  const found = text.matchAll(/\]\(<?([^)\s>]+)[^)]*\)|\b(?:href|src|srcset)="([^"\s]+)"/g);
  return [...found].map(([, markdown, html]) => markdown ?? html ?? '').filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsIn(document: string): string[] {
  return [...textOf(document).matchAll(/^#{1,6} +(.*?) *#*$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? document : join(dirname(document), decodeURIComponent(path));
  if (!existsSync(file)) return true;
  return anchor !== undefined && !(statSync(file).isFile() && anchorsIn(file).includes(anchor));
}

describe('the links in documents', () => {
  it.each(DOCUMENTS)('lead to existing files and headings: %s', (document) => {
    expect(linksIn(document).filter((link) => isBroken(document, link))).toEqual([]);
  });

  it('are found, and those that are broken are reported', () => {
    const known = '../CONTRIBUTING.md#add-a-command';
    expect(linksIn('docs/architecture.md')).toContain(known);
    const links = [known, '../CONTRIBUTING.md#add-commands', 'CONTRIBUTING.md'];
    expect(links.map((link) => isBroken('docs/architecture.md', link))).toEqual([false, true, true]);
  });
});

describe('the configuration of the tests', () => {
  it.each(['.github/workflows/ci.yml', 'test/helpers/needed-programs.ts'])(
    'names test files that exist: %s',
    (file) => {
      const named = readFileSync(file, 'utf8').match(/\btest\/[\w./-]+\.test\.ts\b/g) ?? [];
      expect(named).not.toEqual([]);
      expect(named.filter((path) => !existsSync(path))).toEqual([]);
    },
  );

  it('runs the two commands of the README in CI', () => {
    const commands = [...readFileSync('.ci/run', 'utf8').matchAll(/^\((npm ci && .*)\)$/gm)].map(([, line]) => line);
    expect(commands).toHaveLength(2);
    const readme = readFileSync('README.md', 'utf8');
    expect(commands.filter((command) => !readme.includes(command ?? ''))).toEqual([]);
  });
});
