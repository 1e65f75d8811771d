import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { jqBinary } from './build/jq-binary.js';
import { licenses } from './build/licenses.js';

const ZOD = /\/node_modules\/zod\//;
const isZod = (module) => ZOD.test(module);

const inBuild = (name) => fileURLToPath(new URL(`build/${name}`, import.meta.url));

/** The program and its packages. */
const PROGRAM = defineConfig({
  platform: 'node',
  // Commands load files on demand that other commands share, and the build prints no timings.
  checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  resolve: { alias: { undici$: inBuild('undici.cjs'), 'node:http2$': inBuild('no-http2.cjs') } },
  onLog(level, log, report) {
    // Otherwise a renamed file of a package would be missing only at run time.
    report(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
  },
});

/**
 * CommonJS, because the loader of ES modules takes a fifth of Node's start-up time. Lines and the names of functions stay, for
 * stack traces.
 *
 * @type {import('rolldown').OutputOptions}
 */
const SCRIPTS = {
  format: 'cjs',
  // An `import()` of a built-in module would start the loader of ES modules.
  dynamicImportInCjs: false,
  comments: false,
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: { toplevel: false, keepNames: true },
    codegen: false,
  },
};

/* Bundles the program for the npm package, with a file for each command, so that a run loads only the code of its command. */
export default defineConfig({
  ...PROGRAM,
  input: { main: 'src/main.ts' },
  plugins: [jqBinary(), licenses()],
  output: {
    ...SCRIPTS,
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    // Opening a file takes a third of a millisecond, so what every command loads is in one file, and what most of them load in
    // another. zod is in a file of its own, because loading it takes longer than most of the commands that do without it.
    codeSplitting: {
      groups: [
        { name: 'zod', minShareCount: 8, test: ZOD },
        { name: 'start', tags: ['$initial'] },
        {
          debugName: 'shared',
          name: (module, graph) => (graph.getModuleInfo(module).importedIds.some(isZod) ? null : 'shared'),
          minShareCount: 8,
        },
      ],
    },
    chunkFileNames: ({ facadeModuleId, name }) => `${placeOf(facadeModuleId) ?? name}.cjs`,
  },
});

/** Returns `commands-role-update` for our own files, `jq-wasm` for packages, so that names in stack traces are unique. */
function placeOf(module) {
  const [, ours, theirs] = /^.*\/src\/(.*)\.ts$|\/node_modules\/([^/]+)/.exec(module ?? '') ?? [];
  return ours?.replaceAll('/', '-') ?? theirs;
}
