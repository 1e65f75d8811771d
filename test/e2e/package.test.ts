import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const PATH = process.env.PATH ?? '';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

describe('the package as it is published', () => {
  let shared: string;
  let tarball: string;
  let prefix: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    shared = mkdtempSync(join(tmpdir(), 'orgadm-test-package-'));
    env = { PATH, HOME: join(shared, 'home') };
    prefix = join(shared, 'prefix');
    // Packs what is built: building would replace files that other tests are running.
    const { stdout } = await run(process.execPath, ['build/pack.js', shared], { env });
    tarball = join(shared, stdout.trim());
    await run('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball], { env });
  }, 60_000);
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  it('holds the built program, its documentation and its licenses, and no sources', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const paths = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['bin/orgadm.js', 'dist/main.cjs', 'dist/THIRD-PARTY-LICENSES.txt', 'examples/members.csv'],
        ...['CHANGELOG.md', 'LICENSE', 'README.md'],
      ]),
    );
    expect(paths.filter((path) => /^(src|test|build|\.ci)\/|\.ts$/.test(path))).toEqual([]);
  });

  it('has a manifest without scripts and dependencies, and exports nothing else', () => {
    const find = createRequire(join(prefix, 'lib/main.js'));
    const published = find('orgadm/package.json') as Record<string, unknown>;
    expect(Object.keys(published).filter((field) => /scripts|dependencies|private|main/i.test(field))).toEqual([]);
    for (const inner of ['orgadm', 'orgadm/dist/main.cjs'])
      expect(() => find.resolve(inner)).toThrow(expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }));
  });

  it('installs without a download, runs from any folder, and leaves only settings and state when it is uninstalled', async () => {
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['orgadm']);
    expect(existsSync(join(prefix, 'lib/node_modules/orgadm/node_modules'))).toBe(false);
    const home = join(shared, 'user');
    mkdirSync(home);
    const orgadm = join(prefix, 'bin', 'orgadm');
    const user = { cwd: home, env: { PATH, HOME: home } };
    expect((await run(orgadm, ['--version'], user)).stdout).toBe(`${manifest.version}\n`);
    await run(orgadm, ['config', 'set', 'retries', '7'], user);
    const list = join(prefix, 'lib/node_modules/orgadm/examples/members.csv');
    await run(orgadm, ['people', 'bulk-add', list, '--sandbox', '--ignore-existing'], user);
    await run('npm', ['uninstall', '--global', '--prefix', prefix, 'orgadm'], { env });
    expect(existsSync(orgadm)).toBe(false);
    const left = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(home, entry.parentPath).split('/').slice(0, 3).join('/'));
    expect(new Set(left)).toEqual(new Set(['.config/orgadm', '.local/state/orgadm']));
  }, 60_000);
});

describe('the repository', () => {
  it('lists the packages that are bundled, and no others, as dependencies', () => {
    const licenses = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    const isBundled = (name: string) =>
      new RegExp(`^${name} \\d+\\.\\d+\\.\\S+\n=+\n\n[^]*?Copyright`, 'm').test(licenses);
    const { dependencies, devDependencies } = manifest;
    expect(Object.keys(dependencies)).not.toEqual([]);
    expect(Object.keys({ ...dependencies, ...devDependencies }).filter(isBundled)).toEqual(Object.keys(dependencies));
  });

  it('pins undici exactly while the build replaces its index', () => {
    if (!existsSync('build/undici.cjs')) return;
    expect(manifest.dependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
