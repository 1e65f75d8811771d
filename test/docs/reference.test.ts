import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

/** Returns a section with the help page that a command line prints. */
async function sectionOf(title: string, argv: readonly string[]): Promise<string> {
  const { stdout } = await cli.plain(argv);
  return `## ${title}\n\n\`\`\`text\n${stdout}\`\`\`\n`;
}

/** `Exit codes` for `exit-codes`. */
function titleOf(topic: string): string {
  return `${topic.charAt(0).toUpperCase()}${topic.slice(1).replaceAll('-', ' ')}`;
}

describe('docs/reference.md', () => {
  it('has the help pages of the program, one after the other (`npm run docs` rewrites it)', async () => {
    const sections = [await sectionOf('orgadm', ['--help'])];
    for (const { name } of COMMANDS) sections.push(await sectionOf(`orgadm ${name}`, ['help', ...name.split(' ')]));
    for (const topic of Object.keys(TOPICS)) sections.push(await sectionOf(titleOf(topic), ['help', topic]));
    const introduction = '# Command reference\n\nThe pages of `orgadm help`, one after the other.\n';
    await expect([introduction, ...sections].join('\n')).toMatchFileSnapshot(resolve('docs/reference.md'));
  });
});
