import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runBin } from './run-bin.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orgadm-start-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The modules that a run loads, by their paths below dist, and the packages. */
async function loadedBy(...argv: string[]): Promise<{ own: string[]; packages: string[] }> {
  // Node lists there every script that it has run.
  await runBin(argv, { env: { NODE_V8_COVERAGE: folder, ORGADM_STATE_DIR: folder, ORGADM_CONFIG_DIR: folder } });
  const urls = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  const matches = (pattern: RegExp) => [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))];
  return {
    own: matches(/\/dist\/(.*)$/).filter((path) => !path.includes('node_modules')),
    packages: matches(/node_modules\/((?:@[^/]+\/)?[^/]+)/),
  };
}

it.each([['--help'], ['--version'], ['people', '--help']])('%s %s loads no command', async (...argv) => {
  const { own, packages } = await loadedBy(...argv.filter(Boolean));
  expect(own).toContain('command-table.js');
  expect(own.filter((path) => /^(commands|service|members|sandbox|completion|schemas)\//.test(path))).toEqual([]);
  expect(packages).toEqual(['commander']);
});

it('completion loads the command that is typed, and nothing that is heavy', async () => {
  const { own, packages } = await loadedBy('__complete', '--', 'findings', 'list', '--sco');
  expect(own.filter((path) => path.startsWith('commands/'))).toContain('commands/findings/list.js');
  expect(own.filter((path) => /^commands\/(people|role|domain|auth)\//.test(path))).toEqual([]);
  for (const heavy of ['undici', 'zod', 'ora', 'csv-parse', 'cli-table3', 'jq-wasm'])
    expect(packages).not.toContain(heavy);
});
