/*
 * Prints the SBOM of the packages that are bundled, in CycloneDX: `npm run --silent sbom`.
 *
 * `npm sbom --omit=dev` in the repository also omits packages that both the program and a development dependency use. So
 * it runs in a copy of the manifest and the lock file without development dependencies.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const temporary = mkdtempSync(join(tmpdir(), 'orgadm-sbom-'));
try {
  // npm names the component after the folder.
  const copy = join(temporary, manifest.name);
  mkdirSync(copy);
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
  cpSync(join(ROOT, 'package-lock.json'), join(copy, 'package-lock.json'));
  const npm = (...words) => execFileSync('npm', words, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
  npm('install', '--package-lock-only', '--no-audit', '--no-fund');
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'));
} finally {
  rmSync(temporary, { recursive: true });
}
