import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocumentation } from '../../build/docs/command-pages.ts';
import { renderReference } from '../../build/docs/reference.ts';

describe('docs/reference.md', () => {
  it('describes the current program (`npm run docs` rewrites it)', async () => {
    expect(renderReference(await readDocumentation())).toBe(readFileSync('docs/reference.md', 'utf8'));
  });
});
