/*
 * Keeps the JSON Schemas of a release, which the tests hold later versions against:
 *
 *   node build/release-schemas.js [<file>]            writes those in schemas/, with the version of the package
 *   node build/release-schemas.js --check [<file>]    fails unless the file has them
 *
 * `npm version` does the first, the release workflow the second.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const [isCheck, paths] = process.argv[2] === '--check' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];
const [file = join(ROOT, 'test/fixtures/released-schemas.json')] = paths;
const release = `${JSON.stringify(readRelease(), null, 1)}\n`;
if (!isCheck) {
  writeFileSync(file, release);
} else if (readExisting(file) !== release) {
  process.stderr.write(`${file} does not have the schemas of this version: run npm run schemas:release\n`);
  process.exitCode = 1;
}

function readRelease() {
  const { version } = readJson('package.json');
  const { schemaVersion, schemas: names } = readJson('schemas/index.json');
  const schemas = names.map((name) => [name, readJson(`schemas/${name.replaceAll(' ', '-')}.json`)]);
  return { version, schemaVersion, schemas: Object.fromEntries(schemas) };
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

function readExisting(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
