import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'test/README.md',
  'test/contract/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** A document without its code, in which nothing is a link or a heading. */
function textOf(document: string): string {
  return readFileSync(document, 'utf8').replace(/^(```|~~~).*?^\1$/gms, '');
}

/** The targets of links and images, in Markdown and HTML. */
function linksIn(document: string): string[] {
  const text = textOf(document).replace(/`[^`]*`/g, 'code');
  return [...text.matchAll(/\]\(<?([^)\s>]+)[^)]*\)|\b(?:href|src|srcset)="([^"\s]+)"/g)].map(
    ([, markdown, html]) => markdown ?? html ?? '',
  );
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsIn(document: string): string[] {
  const counts = new Map<string, number>();
  return [...textOf(document).matchAll(/^#{1,6} +(.*?) *#*$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function isBroken(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? document : join(dirname(document), decodeURIComponent(path));
  if (!existsSync(file)) return true;
  return anchor !== undefined && !(statSync(file).isFile() && anchorsIn(file).includes(anchor));
}

describe('the links in documents', () => {
  it.each(DOCUMENTS)('lead to existing files and headings: %s', (document) => {
    const relative = linksIn(document).filter((link) => !/^[a-z]+:/.test(link));
    expect(relative.filter((link) => isBroken(document, link))).toEqual([]);
  });

  it('are found, and those that are broken are reported', () => {
    expect(linksIn('CONTRIBUTING.md')).toContain('docs/architecture.md');
    expect(linksIn('docs/architecture.md')).toContain('../CONTRIBUTING.md#add-a-command');
    expect(isBroken('docs/architecture.md', '../CONTRIBUTING.md#add-a-command')).toBe(false);
    expect(isBroken('docs/architecture.md', '../CONTRIBUTING.md#add-commands')).toBe(true);
    expect(isBroken('docs/architecture.md', 'CONTRIBUTING.md')).toBe(true);
  });
});
