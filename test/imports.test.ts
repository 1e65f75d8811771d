import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Import {
  /** A path below src, or the name of a package. */
  target: string;
  /** `type` is gone at run time, `dynamic` is loaded when it is asked for. */
  kind: 'static' | 'dynamic' | 'type';
}

/**
 * What each area may import beside itself, packages aside. `members` takes from the output only what makes untrusted
 * text safe, since it tells what stands in a list; `sandbox` takes no path and no code of the client, for a wrong URL
 * would else pass every test.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'clock.ts': [],
  'errors.ts': [],
  'file-trouble.ts': [],
  'json/': [],
  'output/': ['clock.ts', 'errors.ts', 'file-trouble.ts'],
  'service/': ['clock.ts', 'errors.ts', 'json/'],
  'members/': [
    'clock.ts',
    'errors.ts',
    'file-trouble.ts',
    'private-directory.ts',
    'duration.ts',
    'nearest.ts',
    'json/',
    'service/',
    'output/formulas.ts',
    'output/sanitize.ts',
  ],
  'sandbox/': [
    'clock.ts',
    'errors.ts',
    'file-lock.ts',
    'file-trouble.ts',
    'private-directory.ts',
    'service/contract.ts',
  ],
};

/** Packages that take long to load, or that only some commands need. */
const HEAVY = ['undici', 'zod', 'ora', 'csv-parse', 'cli-table3', 'chalk'];

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const IMPORTS = new Map(FILES.map((file) => [file, importsOf(file)]));

describe('imports run downwards only', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports beside itself at most %j', (area, allowed) => {
    const files = FILES.filter((file) => file.startsWith(area));
    expect(files).not.toEqual([]);
    const wrong = files.flatMap((file) =>
      localImports(file)
        .filter(({ target }) => ![area, ...allowed].some((place) => target.startsWith(place)))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('only the program knows the commands', () => {
    const importers = FILES.filter((file) => !file.startsWith('commands/')).filter((file) =>
      localImports(file).some(({ target }) => target.startsWith('commands/')),
    );
    expect(importers).toEqual(['command-table.ts']);
  });

  it('nothing heavy is loaded before a command is', () => {
    const packages = [...reachable('main.ts')].flatMap((file) =>
      (IMPORTS.get(file) ?? [])
        .filter(({ target, kind }) => kind === 'static' && !target.endsWith('.ts') && !target.startsWith('node:'))
        .map(({ target }) => target),
    );
    expect(packages.filter((name) => HEAVY.includes(name.split('/')[0] ?? ''))).toEqual([]);
    // Proof that the walk finds packages at all.
    expect(packages).toContain('commander');
  });

  it('finds every kind of import', () => {
    expect(IMPORTS.get('program.ts')).toContainEqual({ target: 'commander', kind: 'static' });
    expect(IMPORTS.get('program.ts')).toContainEqual({ target: 'context.ts', kind: 'type' });
    expect(IMPORTS.get('command-table.ts')).toContainEqual({ target: 'commands/role/update.ts', kind: 'dynamic' });
  });
});

/** The files that are loaded together with `entry`. */
function reachable(entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { target, kind } of localImports(file)) if (kind === 'static') found.add(target);
  }
  return found;
}

function localImports(file: string): Import[] {
  return (IMPORTS.get(file) ?? []).filter(({ target }) => target.endsWith('.ts'));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join('src', file), 'utf8');
  const statements = [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)].map(
    ([, type, name]): Import => ({ target: resolve(file, name ?? ''), kind: type === undefined ? 'static' : 'type' }),
  );
  const calls = [...text.matchAll(/\bimport\(\s*'([^']+)'/g)].map(
    ([, name]): Import => ({ target: resolve(file, name ?? ''), kind: 'dynamic' }),
  );
  return [...statements, ...calls];
}

function resolve(file: string, name: string): string {
  return name.startsWith('.') ? join(dirname(file), name) : name;
}
