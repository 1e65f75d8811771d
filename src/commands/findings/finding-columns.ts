import type { Finding } from '../../client/operations.ts';
import { flatten } from '../../util/json/json-object.ts';

/** A column: a field of a finding, which may be a dotted name. */
export interface FindingColumn {
  path: string;
  /** A time of which a terminal shows only the day. */
  isDay?: boolean;
}

/** Fields seen on services, the longest last. The interface does not fix any (2.5). */
const KNOWN_COLUMNS: readonly FindingColumn[] = [
  { path: 'id' },
  { path: 'severity' },
  { path: 'status' },
  { path: 'type' },
  { path: 'createdAt', isDay: true },
  { path: 'content' },
];

/** Number of columns if a list has none of the known fields. */
const MAX_OTHER_COLUMNS = 6;

/** Chooses the columns: known fields that some findings have, or else the first fields. */
export function chooseColumns(findings: readonly Finding[]): readonly FindingColumn[] {
  const present = KNOWN_COLUMNS.filter(({ path }) => findings.some((finding) => finding[path] != null));
  if (present.length > 0) return present;
  return fieldNames(findings)
    .slice(0, MAX_OTHER_COLUMNS)
    .map((path) => ({ path }));
}

/** Returns the dotted names of all fields of these findings, the known ones first. */
export function fieldNames(findings: readonly Finding[]): string[] {
  const names = new Set<string>();
  for (const finding of findings) for (const name of flatten(finding).keys()) names.add(name);
  const known = KNOWN_COLUMNS.map(({ path }) => path).filter((path) => names.has(path));
  return [...new Set([...known, ...names])];
}

/** Returns a function that reads the field of a dotted name. A key that contains the dots wins over a nested one. */
export function readerOf(path: string): (finding: Finding) => unknown {
  const keys = path.split('.');
  return (finding) => {
    if (Object.hasOwn(finding, path)) return finding[path];
    let value: unknown = finding;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  };
}
