import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { runBin } from './run-bin.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orgadm-start-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The files of the build that a run loads. */
async function loadedBy(...argv: string[]): Promise<string[]> {
  // Node lists there every script that it has run.
  await runBin(argv, { env: { NODE_V8_COVERAGE: folder, ORGADM_STATE_DIR: folder, ORGADM_CONFIG_DIR: folder } });
  const urls = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  expect(urls.filter((url) => url.endsWith('/bin/orgadm.js'))).not.toEqual([]);
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  return urls.flatMap((url) => /\/dist\/(.*)$/.exec(url)?.[1] ?? []).sort();
}

const START = ['main.cjs', 'rolldown-runtime.cjs', 'start.cjs'];

describe('starting the program', () => {
  it.each(['--version', '-V', '--help', '-h'])('%s loads nothing', async (word) => {
    expect(await loadedBy(word)).toEqual([]);
  });

  it('loads no command for the help of a noun', async () => {
    expect(await loadedBy('people', '--help')).toEqual(START);
  });

  it.each([[[]], [['-h']], [['--help']]])(
    'shows by %j the help that the build wrote, which is current',
    async (argv) => {
      const { code, stdout, stderr } = await runCli(folder, ['--help']);
      expect(await runBin(argv)).toEqual({ code, stdout, stderr });
    },
  );

  it('loads for completion only the command that was typed', async () => {
    const loaded = await loadedBy('__complete', '--', 'findings', 'list', '--sco');
    expect(loaded).toEqual(expect.arrayContaining([...START, 'cli-complete.cjs', 'commands-findings-list.cjs']));
    for (const heavy of ['client', 'table', 'ora', 'jq-wasm', 'schemas', 'string-width'])
      expect(loaded).not.toContain(`${heavy}.cjs`);
  });
});
