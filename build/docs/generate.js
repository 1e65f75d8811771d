/*
 * Generates files from the program itself:
 *
 *   node build/docs/generate.js                      schemas/, which is not in git
 *   node build/docs/generate.js docs                 docs/reference.md and docs/json.md, which are
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const [folder] = process.argv.slice(2);
const generator = await loadGenerator();
const schemas = await generator.readSchemas();
if (folder !== undefined) {
  writeFileSync(join(folder, 'reference.md'), generator.renderReference(await generator.readDocumentation()));
  writeFileSync(join(folder, 'json.md'), generator.renderJsonPage(generator.parseSchemas(schemas)));
} else {
  writeAll('schemas', generator.renderSchemaFiles(schemas));
}

/** Bundles the generator with the sources it reads, because Node 20 does not run TypeScript. */
async function loadGenerator() {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-docs-'));
  try {
    const file = join(folder, 'generator.mjs');
    const input = fileURLToPath(new URL('generator.ts', import.meta.url));
    await build({ input, platform: 'node', logLevel: 'warn', output: { file, codeSplitting: false } });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Replaces a folder of generated files. */
function writeAll(folder, files) {
  const path = join(ROOT, folder);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  for (const [name, text] of files) writeFileSync(join(path, name), text);
}
