import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { jqBinary } from './build/jq-binary.js';
import { licenses } from './build/licenses.js';

/* Bundles the program and its packages, with a file for each command, so that a run loads only the code of its command. */
export default defineConfig({
  platform: 'node',
  input: { main: 'src/main.ts' },
  resolve: { alias: { undici$: fileURLToPath(new URL('build/undici.cjs', import.meta.url)) } },
  plugins: [jqBinary(), licenses()],
  // Commands load files on demand that other commands share, and the build prints no timings.
  checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  onLog(level, log, report) {
    // Otherwise a renamed file of a package would be missing only at run time.
    report(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
  },
  output: {
    dir: 'dist',
    cleanDir: true,
    // Loading ES modules takes an eighth longer.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});
