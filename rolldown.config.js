import { defineConfig } from 'rolldown';
import { aliases } from './build/aliases.js';
import { jqBinary } from './build/jq-binary.js';
import { licenses } from './build/licenses.js';
import { rootHelp } from './build/root-help.js';

/*
 * The program in a few files, its packages among them. What starts up together lies in one file, for each file that is
 * opened takes a third of a millisecond; what only some commands need lies in files of its own, opened when it is needed.
 * CommonJS, because Node's loader of ES modules alone takes a fifth of its start. Not minified: it starts no faster, and
 * a stack trace names functions as they are called here.
 */
export default defineConfig({
  input: { main: 'src/main.ts', 'string-width': 'string-width' },
  platform: 'node',
  plugins: [aliases(), jqBinary(), licenses(), rootHelp()],
  onLog(level, log, report) {
    // Otherwise a package's file that was renamed would be missing only when the program needs it.
    report(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
  },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    // An `import()` of what Node brings would start its loader of ES modules.
    dynamicImportInCjs: false,
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ facadeModuleId, name }) => `${placeOf(facadeModuleId) ?? name}.cjs`,
    codeSplitting: {
      groups: [
        {
          name: 'start',
          test: /\/src\/(main|util\/suggest|commands\/option-parsers|client\/(identifier|redactor|parse-json))\.ts$/,
          priority: 4,
        },
        { name: 'settings', test: /\/src\/config\/settings\.ts$/, priority: 3 },
        { name: 'client', test: /\/src\/client\/service-client\.ts$/, priority: 2 },
        { name: 'text-width', test: /\/src\/output\/text-width\.ts$/, priority: 1 },
        { name: 'table', test: /\/src\/output\/table\.ts$/, priority: 0 },
      ],
    },
  },
});

/** `commands-role-update` for a file of ours, `jq-wasm` for a package: a stack trace tells them from their namesakes. */
function placeOf(module) {
  const [, ours, theirs] = /^.*\/src\/(.*)\.ts$|\/node_modules\/([^/]+)/.exec(module ?? '') ?? [];
  return ours?.replaceAll('/', '-') ?? theirs;
}
