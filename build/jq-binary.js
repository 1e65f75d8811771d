import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Path at which jq-wasm loads it, relative to its own file. */
const PLACE = 'build/jq.wasm';

/**
 * Copies jq, a WebAssembly file, next to the bundle.
 *
 * @returns {import('rolldown').Plugin}
 */
export function jqBinary() {
  return {
    name: 'jq-binary',
    generateBundle() {
      const home = dirname(createRequire(import.meta.url).resolve('jq-wasm'));
      this.emitFile({ type: 'asset', fileName: PLACE, source: readFileSync(join(home, PLACE)) });
    },
  };
}
