import { fileURLToPath } from 'node:url';

/**
 * The replacement of a module where it is imported from `importer`. Each of them saves time at start: the whole
 * module would take too long to load for what is needed of it.
 */
const ALIASES = [
  { module: 'undici', importer: /\/src\/.*\.ts$/, by: 'undici.cjs' },
  { module: 'node:child_process', importer: /\/commander\//, by: 'lazy-child-process.cjs' },
  { module: 'string-width', importer: /./, by: 'lazy-string-width.cjs' },
];

/** Stands for the folder of the build in the substitutes: what is required from there stays a file of its own. */
const BUILT = 'built:';

/** @returns {import('rolldown').Plugin} */
export function aliases() {
  const used = new Set();
  return {
    name: 'substitutes',
    resolveId(id, importer = '') {
      if (id.startsWith(BUILT)) return { id: `./${id.slice(BUILT.length)}`, external: true };
      const found = ALIASES.find(({ module, importer: from }) => id === module && from.test(importer));
      if (found === undefined) return undefined;
      used.add(found);
      return fileURLToPath(new URL(found.by, import.meta.url));
    },
    buildEnd() {
      // A package that was changed would otherwise slow every start without a word.
      const unused = ALIASES.filter((substitute) => !used.has(substitute)).map(({ module }) => module);
      if (unused.length > 0) this.error(`nothing imports what these are put for: ${unused.join(', ')}`);
    },
  };
}
