/*
 * Generates docs/reference.md from the program itself: `node build/docs/generate.js`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const generator = await loadGenerator();
const page = generator.renderReference(await generator.readDocumentation());
writeFileSync(new URL('../../docs/reference.md', import.meta.url), page);

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
