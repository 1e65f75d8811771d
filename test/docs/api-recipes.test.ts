import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { writeOrgadm } from '../helpers/orgadm-process.ts';
import { addsMembers } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { documentedCommands } from './console-blocks.ts';

const opened = closeAfterTests();
const run = promisify(execFile);

describe('the recipes for people whom a service can remove, deactivate, or invite', () => {
  it('send the requests that docs/how-services-differ.md describes', async () => {
    const addMembers = addsMembers();
    const sent: string[] = [];
    const service = opened(
      await startScriptedService((request, response) => {
        if (request.path === '/v1/people/bulk') return addMembers(request, response);
        sent.push(`${request.method} ${request.path} ${request.body}`);
        return { body: [] };
      }),
    );
    const folder = temporaryFolder().path;
    writeOrgadm(folder);
    writeFileSync(join(folder, 'list.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      ORGADM_BASE_URL: service.url,
      ORGADM_API_KEY: 'k'.repeat(20),
    };
    const shell = async (script: string) => (await run('bash', ['-ec', script], { cwd: folder, env })).stdout;
    await shell('orgadm people bulk-add list.csv --all-rows');
    const id = (await shell("orgadm runs list -r --jq '.[0].id'")).trim();
    const members = (await shell(`orgadm runs show ${id} --all-rows -r --jq '.rows[].memberId'`)).trim().split('\n');
    sent.length = 0;

    const page = readFileSync('docs/how-services-differ.md', 'utf8');
    const commands = documentedCommands(page).map(({ text }) => text.replace('3f9a2c0d', id));
    await shell(commands.join('\n'));
    expect(members).toHaveLength(2);
    expect(sent).toEqual([
      ...members.map((member) => expect.stringContaining(`DELETE /v1/people/${member} `)),
      'PATCH /v1/people/mem_0042 {"isActive":false}\n',
      'POST /v1/people/invite {"invites":[{"email":"new.colleague@example.com","roles":["employee"]}]}\n',
    ]);
  });
});
