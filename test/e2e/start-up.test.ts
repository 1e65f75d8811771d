import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBin } from '../helpers/orgadm-process.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** Returns the texts of the files of the build that a run loads. */
async function filesLoadedBy(...argv: string[]): Promise<string[]> {
  const [scripts, home] = [temporaryFolder().path, temporaryFolder().path];
  // Node lists there every script that it has run.
  await runBin(argv, { env: { NODE_V8_COVERAGE: scripts, ORGADM_STATE_DIR: home, ORGADM_CONFIG_DIR: home } });
  const urls = readdirSync(scripts).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(scripts, file), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  expect(urls.filter((url) => url.endsWith('/bin/orgadm.js'))).not.toEqual([]);
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  return urls.filter((url) => url.includes('/dist/')).map((url) => readFileSync(new URL(url), 'utf8'));
}

/** Whether one of the files has code of zod: the build writes the name of each module in front of its code. */
const haveZod = (files: readonly string[]) => files.some((text) => text.includes('// node_modules/zod/'));

const sizeOf = (files: readonly string[]) => files.reduce((sum, text) => sum + text.length, 0);

describe('starting the program', () => {
  it('loads less than half of the code of a command for help', async () => {
    const complete = sizeOf(await filesLoadedBy('findings', 'list', '--all', '--sandbox'));
    expect(sizeOf(await filesLoadedBy('people', '--help'))).toBeLessThan(complete / 2);
  });

  const commands = [
    [['--version']],
    [['--help']],
    [['config', 'set', 'retries', '7']],
    [['config', 'list']],
    [['people', 'template']],
  ];

  it.each(commands)('does not load zod for %j', async (argv) => {
    expect(haveZod(await filesLoadedBy(...argv))).toBe(false);
  });

  it('loads zod for a command that validates a response', async () => {
    expect(haveZod(await filesLoadedBy('domain', 'status', 'trust.example.com', '--sandbox'))).toBe(true);
  });
});
