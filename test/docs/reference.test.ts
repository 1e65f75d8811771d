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

/** The words that messages, documentation, code, and tests use, each for one thing. */
const GLOSSARY = `## Glossary

| Word | Meaning |
|---|---|
| list | the file with the people to add |
| row | one person in a list |
| entry | what orgadm sends for a row |
| mapping | how the columns of a list become the fields of an entry |
| run | one import of one list into one service |
| journal | the record of a run on disk |
| state | how a row ended, such as \`created\` or \`failed\` |
| outcome | how a request ended: accepted, rejected, never sent, or unknown |
| confirm | resend rows of unknown outcome once their request is over |
| probe | resend a few of them earlier, to learn whether the service works again |
| check | a command that fails a job, with \`--exit-status\` or \`--wait\` |
| profile | the settings and the API key for one service |
`;

describe('docs/reference.md', () => {
  it('has the help pages of the program, one after the other (`npm run docs` rewrites it)', async () => {
    const sections = [await sectionOf('orgadm', ['--help'])];
    for (const { name } of COMMANDS) sections.push(await sectionOf(`orgadm ${name}`, ['help', ...name.split(' ')]));
    for (const topic of Object.keys(TOPICS)) sections.push(await sectionOf(titleOf(topic), ['help', topic]));
    sections.push(GLOSSARY);
    const introduction = '# Command reference\n\nThe pages of `orgadm help`, one after the other.\n';
    await expect([introduction, ...sections].join('\n')).toMatchFileSnapshot(resolve('docs/reference.md'));
  });
});
