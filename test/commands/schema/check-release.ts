import type { JsonSchema } from '../../../build/docs/schema-types.ts';
import { compareSchemas } from './compare-schemas.ts';

/** The schemas of one version, by name. */
export interface SchemaRelease {
  /** Of the package. */
  version: string;
  /** As `orgadm schema --list` prints it. */
  schemaVersion: number;
  schemas: ReadonlyMap<string, JsonSchema>;
}

const majorOf = (version: string) => Number.parseInt(version, 10);

/**
 * Checks the current schemas against those of the last release.
 *
 * @param changelog text of CHANGELOG.md
 * @returns what is wrong: breaking changes without a new major version, and until 1.0 changes that the changelog does not name
 */
export function checkRelease(released: SchemaRelease, current: SchemaRelease, changelog: string): string[] {
  const names = [...new Set([...released.schemas.keys(), ...current.schemas.keys()])];
  const changes = names.flatMap((name) => changesOf(name, released, current));
  const isMajor = majorOf(current.version) > majorOf(released.version);
  const breaks = changes.filter(({ isBreaking }) => isBreaking);
  if (!isMajor)
    return [...breaks.map(({ name, message }) => `${name}: ${message}`), ...unnamed(changes, current, changelog)];
  const isCounted = breaks.length === 0 || current.schemaVersion > released.schemaVersion;
  return isCounted ? [] : ['schemaVersion must grow with a breaking change'];
}

interface NamedChange {
  name: string;
  message: string;
  isBreaking: boolean;
}

function changesOf(name: string, released: SchemaRelease, current: SchemaRelease): NamedChange[] {
  const [old, now] = [released.schemas.get(name), current.schemas.get(name)];
  if (old === undefined) return [{ name, message: 'was added', isBreaking: false }];
  if (now === undefined) return [{ name, message: 'was removed', isBreaking: true }];
  return compareSchemas(old, now, name === 'mapping' ? 'input' : 'output').map((change) => ({ name, ...change }));
}

function unnamed(changes: readonly NamedChange[], { version }: SchemaRelease, changelog: string): string[] {
  if (majorOf(version) > 0) return [];
  const [, section = ''] = changelog.split(/^## /m);
  const subsections = section.split(/^(?=#{3,4} )/m).filter((one) => one.startsWith('#### JSON\n'));
  const entries = subsections.join('');
  const names = new Set(changes.map(({ name }) => name));
  return [...names]
    .filter((name) => !entries.includes(`\`${name}\``))
    .map((name) => `CHANGELOG.md does not name \`${name}\` under "#### JSON" of its first section`);
}
