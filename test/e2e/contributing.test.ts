import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { OutputFormat } from '../../src/output/output.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { copyWorkingTree } from '../helpers/working-copy.ts';

const run = promisify(execFile);
const folder = temporaryCliDirectory();

const [, instructions = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('## Add a command in 15 minutes');

/** Writes a new file, or inserts lines below the one that they start with. */
function applyBlock(root: string, path: string, lines: string[]): void {
  const file = join(root, path);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
    return;
  }
  const [anchor, ...added] = lines;
  const there = readFileSync(file, 'utf8').split('\n');
  expect({ path, anchor, found: there.filter((line) => line === anchor) }).toEqual({ path, anchor, found: [anchor] });
  there.splice(there.indexOf(anchor ?? '') + 1, 0, ...added);
  writeFileSync(file, there.join('\n'));
}

describe('CONTRIBUTING.md', () => {
  it('explains how to add a command that works', async () => {
    const root = join(folder.path, 'orgadm');
    copyWorkingTree(root);
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    const blocks = [...instructions.matchAll(/^```ts (\S+)\n(.*?)\n```$/gms)];
    expect(blocks).toHaveLength(4);
    for (const [, path = '', text = ''] of blocks) applyBlock(root, path, text.split('\n'));

    const [, commands = ''] = /^```console\n(.*?)\n```$/ms.exec(instructions) ?? [];
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, npm_config_update_notifier: 'false' };
    let printed = '';
    for (const command of commands.split('\n')) {
      expect(command).toMatch(/^\$ (npm run|npx) /);
      const done = run('sh', ['-c', command.slice(2)], { cwd: root, env }).catch((error) => error);
      const { stdout, stderr, code = 0 } = await done;
      expect({ command, code, output: code === 0 ? '' : `${stdout}${stderr}` }).toEqual({
        command,
        code: 0,
        output: '',
      });
      printed = stdout;
    }
    expect(printed).toMatch(/^TXT +_verify\.pending\.example\.com +domain-verify=pending\.example\.com,7f3a9c1e5b$/m);
    for (const [format, start] of Object.entries(FIRST_LINES)) {
      const argv = ['bin/orgadm.js', 'domain', 'records', 'pending.example.com', '--sandbox', '-o', format];
      const { stdout } = await run(process.execPath, argv, { cwd: root, env });
      expect(stdout.split('\n')[0]).toMatch(start);
    }
  }, 600_000);
});

/** How the example starts in each format. */
const FIRST_LINES: Readonly<Record<OutputFormat, RegExp>> = {
  table: /^type +domain +value$/,
  json: /^\[$/,
  ndjson: /^\{"type":"TXT","domain":"_verify\.pending\.example\.com",/,
  csv: /^type,domain,value$/,
};
