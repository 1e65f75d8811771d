import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { plainWords, within } from '../docs/console-blocks.ts';
import { writeOrgadm } from '../helpers/orgadm-process.ts';
import { runBuilt, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** Examples that cannot be tried everywhere. */
const ELSEWHERE = [
  // They need a service of one's own.
  /orgadm auth login/,
  // It asks the name servers of the machine.
  /--check-dns/,
  // They need a run of one's own.
  /orgadm runs (?:show|resume)/,
  // They serve until they are interrupted; test/commands/sandbox has that.
  /orgadm sandbox serve/,
];

/** Exit codes other than 0: findings are left, there is no key, and rows are left to send. */
const EXIT_CODES: readonly [RegExp, number][] = [
  [/^orgadm findings list .*--exit-status/, 7],
  [/^orgadm auth status/, 4],
  [/--limit 1 /, 3],
];

/** Creates a folder with the program, a configuration, and an empty folder. */
function prepareFolder(): string {
  const folder = temporaryFolder().path;
  writeOrgadm(folder);
  const profile = { 'base-url': 'https://api.example.com', timeout: '10s' };
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'config'));
  writeFileSync(
    join(folder, 'config', 'config.json'),
    JSON.stringify({ profiles: { default: profile, staging: profile } }),
  );
  return folder;
}

function shell(line: string, folder: string): Promise<{ code: number; stderr: string }> {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    EDITOR: 'cat',
    ORGADM_STATE_DIR: join(folder, 'state'),
    ORGADM_CONFIG_DIR: join(folder, 'config'),
  };
  return new Promise((done) => {
    const child = execFile(
      'bash',
      ['-o', 'pipefail', '-c', line],
      { cwd: join(folder, 'empty'), env },
      (error, _stdout, stderr) => done({ code: error === null ? 0 : Number(error.code), stderr }),
    );
    child.stdin?.end();
  });
}

/** Runs an example in this process if it needs no shell, and in bash otherwise. */
async function runExample(line: string, folder: string): Promise<{ code: number; stderr: string }> {
  const words = plainWords(line);
  return words === undefined ? shell(line, folder) : within(join(folder, 'empty'), () => runBuilt(folder, words));
}

/** The lines behind `$`, each with those that continue it. */
function examplesIn(help: string): string[] {
  return [...help.matchAll(/^ {2}\$ (.*(?:\n {6}\S.*)*)/gm)].map(([, line = '']) => line);
}

const commands = COMMANDS.map(({ name }) => `${name} --help`);
const topics = Object.keys(TOPICS).map((topic) => `help ${topic}`);

describe('every example runs unchanged in an empty directory', () => {
  it.each([...commands, '--help', ...topics])(
    'works for orgadm %s',
    async (page) => {
      const folder = prepareFolder();
      const { code: helpCode, stdout } = await runCli(folder, page.split(' '));
      expect(helpCode).toBe(0);
      const examples = examplesIn(stdout);
      if (commands.includes(page)) expect(examples.length).toBeGreaterThan(0);
      for (const line of examples.filter((example) => !ELSEWHERE.some((one) => one.test(example)))) {
        const { code, stderr } = await runExample(line, folder);
        const expected = EXIT_CODES.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
        expect({ line, code, stderr: code === expected ? '' : stderr }).toEqual({ line, code: expected, stderr: '' });
      }
    },
    60_000,
  );
});
