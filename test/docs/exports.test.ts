import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { plainWords } from './console-blocks.ts';

/** By system of the table in docs/exports.md, the people who are sent for its sample, in order. */
const SENT: Readonly<Record<string, readonly Readonly<Record<string, string | boolean>>[]>> = {
  Okta: [
    { userId: 'usr_0027', role: 'employee', isActive: true },
    { userId: 'usr_0028', role: 'employee', isActive: true },
    { userId: 'usr_0029', role: 'employee', isActive: false },
  ],
  'Google Workspace': [
    { userId: 'usr_0021', role: 'employee', department: 'it', isActive: true },
    { userId: 'usr_0022', role: 'employee', department: 'hr', isActive: false },
    { userId: 'usr_0023', role: 'employee', isActive: true },
  ],
  'Google Workspace, GAM': [
    { userId: 'usr_0021', role: 'employee', isActive: true },
    { userId: 'usr_0022', role: 'employee', isActive: false },
    { userId: 'usr_0023', role: 'employee', isActive: false },
  ],
  'Microsoft Entra ID': [
    { userId: 'usr_0024', role: 'employee', isActive: true },
    { userId: 'usr_0025', role: 'employee', isActive: true },
    { userId: 'usr_0026', role: 'employee', isActive: false },
  ],
  Slack: [
    { userId: 'usr_0021', role: 'employee', isActive: true },
    { userId: 'usr_0024', role: 'employee', isActive: true },
    { userId: 'usr_0029', role: 'employee', isActive: false },
  ],
  GitHub: [
    { userId: 'usr_0021', role: 'employee', isActive: true },
    { userId: 'usr_0024', role: 'employee', isActive: true },
  ],
  Salesforce: [
    { userId: 'usr_0021', role: 'employee', isActive: true },
    { userId: 'usr_0025', role: 'employee', isActive: true },
    { userId: 'usr_0029', role: 'employee', isActive: false },
  ],
  Keycloak: [
    { userId: 'usr_0028', role: 'employee', department: 'it', isActive: true },
    { userId: 'usr_0029', role: 'employee', isActive: false },
  ],
  'OneRoster 1.1': [
    { userId: 'usr_0027', role: 'employee', isActive: true },
    { userId: 'usr_0023', role: 'admin', isActive: true },
    { userId: 'usr_0026', role: 'employee', isActive: false },
  ],
};

/** The systems of the table, each with the words of its command. */
const COMMANDS = [
  ...readFileSync('docs/exports.md', 'utf8').matchAll(/^\| ([^|]+) \|.*\| `(orgadm people bulk-add [^`]+)` \|$/gm),
].map(([, system = '', command = '']) => ({ system, words: plainWords(command) ?? [] }));

const cli = createCommandRunner();

describe('the table of systems in docs/exports.md', () => {
  it('has a command for each system', () => {
    expect(COMMANDS.map(({ system }) => system)).toEqual(Object.keys(SENT));
  });

  it.each(COMMANDS)('sends the people of the sample, and only those active who are: $system', async (command) => {
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await run(command.words);
    expect({ code, sent: service.requests.flatMap(membersOf) }, stderr).toEqual({
      code: 0,
      sent: SENT[command.system],
    });
  });

  it.each(COMMANDS)('sends nobody without the answers: $system', async ({ words }) => {
    const { service, run } = await cli.scripted(addsMembers());
    expect({ code: (await run(words.slice(0, 3))).code, sent: service.requests }).toEqual({ code: 2, sent: [] });
  });
});
