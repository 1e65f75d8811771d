import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

const run = promisify(execFile);
const folder = temporaryCliDirectory();

/** What the main job prints in a fresh sandbox, at its end. */
const SUMMARY = '14 rows: 12 created, 1 existing, 1 failed\n';

describe('the package', () => {
  // The build is there already: packing runs no scripts, so that it does not rewrite what other tests run.
  it('installs into an empty prefix without install scripts, and runs from any folder', {
    timeout: 180_000,
  }, async () => {
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path]);
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'bin/orgadm.js',
        'dist/main.cjs',
        'dist/THIRD-PARTY-LICENSES.txt',
        'examples/members.csv',
        'LICENSE',
      ]),
    );
    expect(paths.filter((path) => /^(src|test|\.ci)\/|\.ts$/.test(path))).toEqual([]);

    const prefix = join(folder.path, 'prefix');
    const flags = ['--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', '--global', join(folder.path, filename), ...flags]);

    const elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    const orgadm = join(prefix, 'bin', 'orgadm');
    const example = join(prefix, 'lib/node_modules/orgadm/examples/members.csv');
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, ORGADM_STATE_DIR: join(folder.path, 'state') };
    const options = { cwd: elsewhere, env };
    expect((await run(orgadm, ['--version'], options)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(run(orgadm, ['people', 'bulk-add', example, '--sandbox'], options)).rejects.toMatchObject({
      code: 3,
      stdout: expect.stringContaining(SUMMARY),
      stderr: '',
    });
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['orgadm']);
    expect(existsSync(join(prefix, 'lib/node_modules/orgadm/node_modules'))).toBe(false);
  });

  it('brings every package with it, and its license', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies?: unknown };
    expect(dependencies).toBeUndefined();
    const licenses = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    const packages = [
      'chalk',
      'cli-table3',
      'commander',
      'csv-parse',
      'jq-wasm',
      'leven',
      'ora',
      'string-width',
      'undici',
      'zod',
    ];
    for (const name of packages)
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\S+\n=+\n\n[^]*?Copyright`, 'm'));
  });

  it('asks npm to run nothing when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const script of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(script);
  });
});
