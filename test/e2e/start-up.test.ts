import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { runBin } from './run-bin.ts';

/** Returns the size of the files of the build that a run loads. */
async function bytesLoadedBy(...argv: string[]): Promise<number> {
  const [scripts, home] = [temporaryFolder(), temporaryFolder()];
  // Node lists there every script that it has run.
  await runBin(argv, { env: { NODE_V8_COVERAGE: scripts, ORGADM_STATE_DIR: home, ORGADM_CONFIG_DIR: home } });
  const urls = readdirSync(scripts).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(scripts, file), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  expect(urls.filter((url) => url.endsWith('/bin/orgadm.js'))).not.toEqual([]);
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  const built = urls.filter((url) => url.includes('/dist/'));
  return built.reduce((sum, url) => sum + statSync(new URL(url)).size, 0);
}

describe('starting the program', () => {
  it.each([[['people', '--help']], [['__complete', '--', 'findings', 'list', '--sco']]])(
    'loads less than half of the code of a command for %j',
    async (argv) => {
      const complete = await bytesLoadedBy('findings', 'list', '--all', '--sandbox');
      expect(await bytesLoadedBy(...argv)).toBeLessThan(complete / 2);
    },
  );
});
