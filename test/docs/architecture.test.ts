import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;

/** Every import in `src`: the file that has it, and the one that it names. */
const IMPORTS = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => {
    const from = join('src', name);
    return [...readFileSync(from, 'utf8').matchAll(IMPORT)].map(([, path = '']) => ({
      from,
      to: join(dirname(from), path),
    }));
  });

/** By folder, the folders next to it that it may import. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  src: {
    util: [],
    output: ['util'],
    client: ['output', 'util'],
    config: ['output', 'util'],
    sandbox: ['output', 'util'],
    import: ['client', 'output', 'util'],
    commands: ['client', 'config', 'import', 'output', 'sandbox', 'util'],
    cli: ['client', 'commands', 'config', 'import', 'output', 'sandbox', 'util'],
  },
  'src/import': { table: [], check: ['table'], journal: ['check', 'table'], send: ['check', 'journal', 'table'] },
};

/** Returns the folder that a file is in, directly below another one; undefined for a file elsewhere. */
function folderBelow(parent: string, file: string): string | undefined {
  const [name, ...rest] = file.startsWith(`${parent}/`) ? file.slice(parent.length + 1).split('/') : [];
  return rest.length > 0 ? name : undefined;
}

describe('the folders of the source', () => {
  it.each(Object.entries(ALLOWED))('import only those below them: %s', (parent, allowed) => {
    const found = new Set(IMPORTS.flatMap(({ from }) => folderBelow(parent, from) ?? []));
    expect([...found].toSorted()).toEqual(Object.keys(allowed).toSorted());
    const upward = IMPORTS.filter(({ from, to }) => {
      const importing = folderBelow(parent, from);
      const imported = to === 'src/main.ts' ? 'main' : folderBelow(parent, to);
      if (importing === undefined || imported === undefined || importing === imported) return false;
      return !allowed[importing]?.includes(imported);
    });
    expect(upward).toEqual([]);
  });

  it('that belong to a noun are imported by no other noun', () => {
    const crossing = IMPORTS.filter(({ from, to }) => {
      const [noun, other] = [folderBelow('src/commands', from), folderBelow('src/commands', to)];
      return noun !== other && other !== undefined && other !== 'import' && from.startsWith('src/commands/');
    });
    expect(crossing).toEqual([]);
  });
});
