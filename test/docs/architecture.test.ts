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

/** Returns the folder that a file is in, or leads to, directly below another one; undefined for a file elsewhere. */
function folderBelow(parent: string, file: string): string | undefined {
  const [name, ...rest] = file.startsWith(`${parent}/`) ? file.slice(parent.length + 1).split('/') : [];
  return rest.length > 0 ? name : undefined;
}

/** Returns a circle of folders that lie next to each other; undefined if there is none. */
function findCircle(parent: string): string[] | undefined {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of IMPORTS) {
    const [importing, imported] = [folderBelow(parent, from), folderBelow(parent, to)];
    if (importing === undefined || imported === undefined || importing === imported) continue;
    targets.set(importing, (targets.get(importing) ?? new Set()).add(imported));
  }
  const visit = (name: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    for (const next of targets.get(name) ?? []) {
      const circle = visit(next, [...path, name]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  for (const name of targets.keys()) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** The folders of src, from the bottom: each may import those in its list. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  util: [],
  output: ['util'],
  client: ['output', 'util'],
  config: ['output', 'util'],
  sandbox: ['output', 'util'],
  import: ['client', 'output', 'util'],
  commands: ['client', 'config', 'import', 'output', 'sandbox', 'util'],
  cli: ['client', 'commands', 'config', 'import', 'output', 'sandbox', 'util'],
};

describe('the folders of src', () => {
  it('import only those below them', () => {
    const found = new Set(IMPORTS.flatMap(({ from }) => folderBelow('src', from) ?? []));
    expect([...found].toSorted()).toEqual(Object.keys(FOLDERS).toSorted());
    const upward = IMPORTS.filter(({ from, to }) => {
      const [importing, imported] = [folderBelow('src', from), folderBelow('src', to) ?? 'main.ts'];
      if (importing === undefined || importing === imported || !to.startsWith('src/')) return false;
      return !FOLDERS[importing]?.includes(imported);
    });
    expect(upward).toEqual([]);
  });

  it('that lie next to each other never import each other in a circle', () => {
    const parents = new Set(IMPORTS.map(({ from }) => dirname(dirname(from))));
    expect(parents).toContain('src/commands/import');
    for (const parent of parents) expect(findCircle(parent), parent).toBeUndefined();
  });

  it('that belong to a noun are imported by no other noun', () => {
    const crossing = IMPORTS.filter(({ from, to }) => {
      const [noun, other] = [folderBelow('src/commands', from), folderBelow('src/commands', to)];
      return noun !== other && other !== undefined && other !== 'import' && from.startsWith('src/commands/');
    });
    expect(crossing).toEqual([]);
  });
});
