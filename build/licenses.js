import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE_NAME = 'THIRD-PARTY-LICENSES.txt';

/** Compiled parts of packages that contain no license text for them. */
const COMPILED = [
  { name: 'llhttp, in undici', text: readHere('licenses/llhttp.txt') },
  { name: 'jq, in jq-wasm', text: readHere('licenses/jq.txt') },
  { name: 'Oniguruma, in jq', text: readHere('licenses/oniguruma.txt') },
];

/**
 * Writes the licenses of all bundled packages to one file. Fails for a package without a license.
 *
 * @returns {import('rolldown').Plugin}
 */
export function licenses() {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => output.moduleIds ?? []);
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const parts = [...[...folders].map(licenseOf), ...COMPILED].sort((a, b) => (a.name < b.name ? -1 : 1));
      this.emitFile({ type: 'asset', fileName: FILE_NAME, source: parts.map(renderLicense).join('\n') });
    },
  };
}

function packageFolder(module) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

function licenseOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no license file`);
  return { name: `${name} ${version}`, text: readFileSync(join(folder, file), 'utf8') };
}

function renderLicense({ name, text }) {
  return `${name}\n${'='.repeat(name.length)}\n\n${text.trim()}\n`;
}

function readHere(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
