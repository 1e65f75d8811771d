import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSchemas, readSchemas } from '../../../build/docs/schema-files.ts';
import type { JsonSchema } from '../../../build/docs/schema-types.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { checkRelease, type SchemaRelease } from './check-release.ts';

const cli = createCommandRunner();

/** What `npm run schemas:release` writes. Nothing has been released with schemas while there is no such file. */
const RELEASED = 'test/fixtures/released-schemas.json';

async function currentSchemas(): Promise<SchemaRelease> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const { schemaVersion } = (await cli.plain(['schema', '--list', '--json'])).json() as { schemaVersion: number };
  return { version, schemaVersion, schemas: parseSchemas(await readSchemas()) };
}

it.skipIf(!existsSync(RELEASED))('the schemas keep what the last release promised', async () => {
  const { schemas, ...released } = JSON.parse(readFileSync(RELEASED, 'utf8'));
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const baseline = { ...released, schemas: new Map(Object.entries(schemas)) } as SchemaRelease;
  expect(checkRelease(baseline, await currentSchemas(), changelog)).toEqual([]);
});

const FIELD: JsonSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const MORE: JsonSchema = { ...FIELD, properties: { ...FIELD.properties, name: { type: 'string' } } };
const NONE: JsonSchema = { type: 'object', properties: {} };

function release(version: string, schemas: Record<string, JsonSchema>, schemaVersion = 1): SchemaRelease {
  return { version, schemaVersion, schemas: new Map(Object.entries(schemas)) };
}

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- \`runs list\`

#### JSON

- \`runs show\` has \`name\`.

### Fixed

- \`runs list\`

## [0.1.0] - 2026-01-05

### Changed

#### JSON

- \`runs list\`
`;

describe('the check against the last release', () => {
  it.each([
    ['the same schemas', release('1.0.0', { 'runs list': FIELD }), release('1.0.0', { 'runs list': FIELD })],
    ['a new field', release('1.0.0', { 'runs list': FIELD }), release('1.1.0', { 'runs list': MORE })],
    ['a new schema', release('1.0.0', {}), release('1.1.0', { 'runs list': FIELD })],
    [
      'a new field that the changelog names',
      release('0.1.0', { 'runs show': FIELD }),
      release('0.1.0', { 'runs show': MORE }),
    ],
    [
      'a removed field, with a new major version',
      release('1.0.0', { 'runs list': FIELD }),
      release('2.0.0', { 'runs list': NONE }, 2),
    ],
  ])('passes for %s', (_, released, current) => {
    expect(checkRelease(released, current, CHANGELOG)).toEqual([]);
  });

  it.each([
    [
      'a removed field',
      release('1.0.0', { 'runs list': FIELD }),
      release('1.1.0', { 'runs list': NONE }),
      'runs list: id: was removed',
    ],
    ['a removed schema', release('1.0.0', { 'runs list': FIELD }), release('1.1.0', {}), 'runs list: was removed'],
    [
      'a removed field that the changelog names, before 1.0',
      release('0.1.0', { 'runs show': FIELD }),
      release('0.2.0', { 'runs show': NONE }),
      'runs show: id: was removed',
    ],
    [
      'a removed field under the same schemaVersion',
      release('1.0.0', { 'runs list': FIELD }),
      release('2.0.0', { 'runs list': NONE }),
      'schemaVersion must grow with a breaking change',
    ],
    [
      'a new field before 1.0 that the changelog names elsewhere only',
      release('0.1.0', { 'runs list': FIELD }),
      release('0.2.0', { 'runs list': MORE }),
      'CHANGELOG.md does not name `runs list` under "#### JSON" of its first section',
    ],
  ])('fails for %s', (_, released, current, problem) => {
    expect(checkRelease(released, current, CHANGELOG)).toEqual([problem]);
  });

  it('passes for a mapping file with a field that is no longer required, since it is an input', () => {
    const current = release('1.1.0', { mapping: { ...FIELD, required: [] } });
    expect(checkRelease(release('1.0.0', { mapping: FIELD }), current, CHANGELOG)).toEqual([]);
  });
});
