import { fileURLToPath } from 'node:url';

/** Replacements of modules where they are imported from `importer`: the entire module would slow down every start. */
const ALIASES = [
  { module: 'undici', importer: /\/src\/.*\.ts$/, by: 'undici.cjs' },
  { module: './client-h2.js', importer: /\/undici\/lib\/dispatcher\//, by: 'unused-in-undici.cjs' },
  { module: '../web/fetch/body.js', importer: /\/undici\/lib\/dispatcher\//, by: 'unused-in-undici.cjs' },
];

/** @returns {import('rolldown').Plugin} */
export function aliases() {
  const used = new Set();
  return {
    name: 'aliases',
    resolveId(id, importer = '') {
      const found = ALIASES.find(({ module, importer: from }) => id === module && from.test(importer));
      if (found === undefined) return undefined;
      used.add(found);
      return fileURLToPath(new URL(found.by, import.meta.url));
    },
    buildEnd() {
      // Otherwise a changed package would silently slow down every start.
      const unused = ALIASES.filter((alias) => !used.has(alias)).map(({ module }) => module);
      if (unused.length > 0) this.error(`nothing imports ${unused.join(', ')}, which build/aliases.js replaces`);
    },
  };
}
