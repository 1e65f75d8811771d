import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();

interface Manifest {
  version: string;
  private: boolean;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** Where all tests find the package: packing and installing take seconds. */
let shared: string;
let env: NodeJS.ProcessEnv;
let tarball: string;
beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'orgadm-test-package-'));
  env = { PATH: process.env.PATH ?? '', HOME: join(shared, 'home') };
  // Packs what is built: building would replace files that other tests are running.
  const { stdout } = await run(process.execPath, ['build/pack.js', shared], { env });
  tarball = join(shared, stdout.trim());
}, 60_000);
afterAll(() => rmSync(shared, { recursive: true, force: true }));

describe('the package as it is published', () => {
  let prefix: string;
  let installed: string;

  beforeAll(async () => {
    prefix = join(shared, 'prefix');
    installed = join(prefix, 'lib/node_modules/orgadm');
    await run('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball], { env });
  }, 60_000);

  it('installs globally without a download, and runs from any folder', async () => {
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['orgadm']);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);

    const elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    const orgadm = join(prefix, 'bin', 'orgadm');
    const options = { cwd: elsewhere, env: { PATH: process.env.PATH ?? '', HOME: folder.path } };
    expect((await run(orgadm, ['--version'], options)).stdout).toBe(`${manifest.version}\n`);
    const { stdout } = await run(orgadm, ['domain', 'status', 'trust.example.com', '--sandbox', '--json'], options);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }, 60_000);

  it('holds the built program, its documentation and its licenses, and no sources', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const paths = stdout.trim().split('\n');
    expect(paths).toEqual(
      expect.arrayContaining([
        'package/bin/orgadm.js',
        'package/dist/main.cjs',
        'package/dist/THIRD-PARTY-LICENSES.txt',
        'package/examples/members.csv',
        'package/CHANGELOG.md',
        'package/LICENSE',
        'package/README.md',
      ]),
    );
    expect(paths.filter((path) => /^package\/(src|test|build|\.ci)\/|\.ts$/.test(path))).toEqual([]);
  });

  it('has a manifest without scripts, dependencies, or an entry point to import', async () => {
    const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
    const published = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(published).filter((field) => /scripts|dependencies|private|main/i.test(field))).toEqual([]);
    expect(published).toMatchObject({
      name: 'orgadm',
      bin: { orgadm: 'bin/orgadm.js' },
      exports: { './package.json': './package.json' },
    });
  });

  it('exports nothing but its manifest', () => {
    const { resolve: find } = createRequire(join(prefix, 'lib/main.js'));
    expect(find('orgadm/package.json')).toBe(join(installed, 'package.json'));
    for (const inner of ['orgadm', 'orgadm/dist/main.cjs'])
      expect(() => find(inner)).toThrow(expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }));
  });

  // The last one here: the package is gone afterwards.
  it('leaves nothing but settings and state when it is uninstalled', async () => {
    const home = join(folder.path, 'user');
    mkdirSync(home);
    const user = { env: { PATH: process.env.PATH ?? '', HOME: home } };
    const orgadm = join(prefix, 'bin', 'orgadm');
    await run(orgadm, ['config', 'set', 'retries', '7'], user);
    await run(orgadm, ['people', 'bulk-add', 'examples/members.csv', '--sandbox', '--ignore-existing'], user);
    await run('npm', ['uninstall', '--global', '--prefix', prefix, 'orgadm'], { env });
    expect(existsSync(orgadm)).toBe(false);
    const left = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(home, entry.parentPath).split('/').slice(0, 3).join('/'))
      .filter((path) => !/^\.(?:config|local\/state)\/orgadm\b/.test(path));
    expect(left).toEqual([]);
    expect(existsSync(join(home, '.config/orgadm/config.json'))).toBe(true);
    expect(existsSync(join(home, '.local/state/orgadm/runs'))).toBe(true);
  }, 60_000);
});

describe('the repository', () => {
  it('lists the packages that are bundled, and no others, as dependencies', () => {
    const licenses = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    const isBundled = (name: string) =>
      new RegExp(`^${name} \\d+\\.\\d+\\.\\S+\n=+\n\n[^]*?Copyright`, 'm').test(licenses);
    const { dependencies, devDependencies } = manifest;
    expect(dependencies).toMatchObject({ commander: expect.any(String), zod: expect.any(String) });
    expect(Object.keys({ ...dependencies, ...devDependencies }).filter(isBundled)).toEqual(Object.keys(dependencies));
  });

  it('pins undici exactly while the build replaces its index', () => {
    if (!existsSync('build/undici.cjs')) return;
    expect(manifest.dependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
