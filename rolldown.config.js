import { defineConfig } from 'rolldown';
import { aliases } from './build/aliases.js';
import { jqBinary } from './build/jq-binary.js';
import { licenses } from './build/licenses.js';
import { rootHelp } from './build/root-help.js';

/*
 * Bundles the program and its packages. Modules that are loaded together are in one file, because opening a file takes a third
 * of a millisecond; modules that only some commands need are in their own files. CommonJS, because the loader of ES modules
 * takes a fifth of Node's start-up time. Parsing takes another fifth, and less of it with short local names; lines and the
 * names of functions stay, for stack traces.
 */
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  plugins: [aliases(), jqBinary(), licenses(), fastParsing(), rootHelp()],
  onLog(level, log, report) {
    // Otherwise a renamed file of a package would be missing only at run time.
    report(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
  },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    // An `import()` of a built-in module would start the loader of ES modules.
    dynamicImportInCjs: false,
    comments: false,
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { toplevel: false, keepNames: true },
      codegen: false,
    },
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ facadeModuleId, name }) => `${placeOf(facadeModuleId) ?? name}.cjs`,
    codeSplitting: {
      groups: [
        {
          name: 'start',
          test: /\/src\/(main|util\/suggest|commands\/define-command|output\/markdown|client\/(redactor|bulk-response|interface-values|json\/parse-json))\.ts$/,
          priority: 4,
        },
        { name: 'client', test: /\/src\/client\/service-client\.ts$/, priority: 2 },
      ],
    },
  },
});

/** Returns `commands-role-update` for our own files, `jq-wasm` for packages, so that names in stack traces are unique. */
function placeOf(module) {
  const [, ours, theirs] = /^.*\/src\/(.*)\.ts$|\/node_modules\/([^/]+)/.exec(module ?? '') ?? [];
  return ours?.replaceAll('/', '-') ?? theirs;
}

/**
 * Rewrites the code so that V8 parses it faster:
 * - A single character beyond ASCII makes V8 decode the file in a slow way, and hold two bytes for each character of it.
 *   All of them are in strings and regular expressions, where an escape is equivalent.
 * - Each CommonJS module of a package is a function that runs as soon as its file is loaded. V8 before Node 24 parses it twice if it
 *   is an arrow function, and once if it is a function in parentheses. Rolldown passes `this` to it as a parameter.
 *
 * `findings list` as a table is 4 % and 6 % slower without them.
 *
 * @returns {import('rolldown').Plugin}
 */
function fastParsing() {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const moduleWrapper = /((?:runtime\.t|__commonJSMin)\(\()\(([\w$, ]*)\) => \{/g;
  return {
    name: 'fast-parsing',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      // Otherwise a changed bundler would silently slow down every start.
      if (chunks.every(({ code }) => code.search(moduleWrapper) < 0)) this.error('no CommonJS module has a wrapper');
      for (const chunk of chunks) {
        // There, the escape would be text.
        if (/String\.raw`[^`]*[^\0-\x7f]/.test(chunk.code))
          this.error(`${chunk.fileName}: String.raw with more than ASCII`);
        chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped).replace(moduleWrapper, '$1function($2) {');
      }
    },
  };
}
