import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readDocumentation } from '../../build/docs/command-pages.ts';
import { renderReference } from '../../build/docs/reference.ts';

it('docs/reference.md describes the current program (`npm run docs` rewrites it)', async () => {
  expect(renderReference(await readDocumentation())).toBe(readFileSync('docs/reference.md', 'utf8'));
});
