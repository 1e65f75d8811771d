import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentedCommands } from './console-blocks.ts';

const walkthrough = readFileSync('docs/walkthrough.md', 'utf8');

/** The commands of a document that its test runs. */
function runCommands(markdown: string): string[] {
  return documentedCommands(markdown).flatMap(({ isRun, text }) => (isRun ? text : []));
}

describe('docs/walkthrough.md', () => {
  it('has the commands of the README that need no account, in the same order, and no others', () => {
    expect(documentedCommands(walkthrough).map(({ text }) => text)).toEqual(
      runCommands(readFileSync('README.md', 'utf8')),
    );
  });

  it('leaves out nothing that a command prints', () => {
    expect(walkthrough).not.toContain('…');
  });
});
