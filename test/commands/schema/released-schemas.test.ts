import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSchemas, readSchemas } from '../../../build/docs/schema-files.ts';
import type { JsonSchema } from '../../../build/docs/schema-types.ts';

/** Written by `npm run schemas:release`. There is no such file before the first release. */
const RELEASED = 'test/fixtures/released-schemas.json';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Returns the names of the schemas that differ and that the first section of the changelog does not name under "JSON". */
function unnamedChanges(released: Schemas, current: Schemas, changelog: string): string[] {
  const [, section = ''] = changelog.split(/^## /m);
  const subsections = section.split(/^(?=#{3,4} )/m).filter((one) => one.startsWith('#### JSON\n'));
  const entries = subsections.join('');
  const names = new Set([...Object.keys(released), ...Object.keys(current)]);
  return [...names].filter(
    (name) => shapeOf(released[name]) !== shapeOf(current[name]) && !entries.includes(`\`${name}\``),
  );
}

const WORDING = new Set(['title', 'description', 'examples']);

/** Returns the text of a schema without what only people read. */
function shapeOf(schema: JsonSchema | undefined): string | undefined {
  return JSON.stringify(schema, (key, value) => (WORDING.has(key) && !isSchema(value) ? undefined : value));
}

/** Whether a value of a keyword's name is that of a property: a schema. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

it.skipIf(!existsSync(RELEASED))('the changelog names each schema that differs from the last release', async () => {
  const { schemas } = JSON.parse(readFileSync(RELEASED, 'utf8')) as { schemas: Schemas };
  const current = Object.fromEntries(parseSchemas(await readSchemas()));
  expect(unnamedChanges(schemas, current, readFileSync('CHANGELOG.md', 'utf8'))).toEqual([]);
});

const FIELD: JsonSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const MORE: JsonSchema = { ...FIELD, properties: { ...FIELD.properties, title: { type: 'string' } } };

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- \`runs list\`

#### JSON

- \`runs show\` has \`title\`.

## [0.1.0] - 2026-01-05

#### JSON

- \`runs list\`
`;

describe('the check against the last release', () => {
  it.each<[string, Schemas, Schemas]>([
    ['the same schemas', { 'runs list': FIELD }, { 'runs list': FIELD }],
    ['another description', { 'runs list': FIELD }, { 'runs list': { ...FIELD, description: 'a run' } }],
    ['a change that the changelog names', { 'runs show': FIELD }, { 'runs show': MORE }],
  ])('passes for %s', (_, released, current) => {
    expect(unnamedChanges(released, current, CHANGELOG)).toEqual([]);
  });

  it.each<[string, Schemas, Schemas]>([
    ['a new field', { 'runs list': FIELD }, { 'runs list': MORE }],
    ['a removed field', { 'runs list': MORE }, { 'runs list': FIELD }],
    ['a removed schema', { 'runs list': FIELD }, {}],
    ['a new schema', {}, { 'runs list': FIELD }],
  ])('fails for %s that the changelog names elsewhere only', (_, released, current) => {
    expect(unnamedChanges(released, current, CHANGELOG)).toEqual(['runs list']);
  });
});
