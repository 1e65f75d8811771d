/*
 * Creates the tarball to publish: `npm run package [-- <folder>]`.
 *
 * The manifest in the repository lists the bundled packages as dependencies, for audits and update bots. The
 * published one must not, because all of it is bundled. The tarball is made from a copy in a temporary directory: packing
 * that is interrupted leaves the repository's manifest as it is, which `prepack` and `postpack` scripts could not promise.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Fields of the manifest that users of the package need; `private`, scripts and dependencies are dropped. */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'keywords',
  'homepage',
  'bugs',
  'repository',
  'license',
  'type',
  'bin',
  'exports',
  'files',
  'engines',
];

const [destination = '.'] = process.argv.slice(2);
const copy = mkdtempSync(join(tmpdir(), 'orgadm-pack-'));
try {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  // The name of the tarball, and nothing else, on standard output.
  const flags = ['--pack-destination', resolve(destination), '--loglevel', 'warn'];
  execFileSync('npm', ['pack', ...flags], { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });
} finally {
  rmSync(copy, { recursive: true });
}

function publishedManifest(manifest) {
  const kept = PUBLISHED.filter((field) => field in manifest).map((field) => [field, manifest[field]]);
  return { ...repositoryOf(process.env), ...Object.fromEntries(kept) };
}

/** In GitHub Actions the repository that publishes: npm compares it with the provenance of the package. */
function repositoryOf({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }) {
  if (GITHUB_SERVER_URL === undefined || GITHUB_REPOSITORY === undefined) return {};
  const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return { homepage: `${url}#readme`, bugs: `${url}/issues`, repository: { type: 'git', url: `git+${url}.git` } };
}
