import type { Finding } from '../../client/finding.ts';
import { flatten, renderCell } from '../../output/cell-text.ts';
import { UsageError } from '../../util/errors.ts';

/** A column: a dotted name in the finding, and its header. */
export interface FindingColumn {
  path: string;
  header: string;
  /** A point in time of which a terminal shows the day only. */
  isDay?: boolean;
}

/** Fields seen on services, in the order in which they help most. The interface fixes none (2.5). */
export const KNOWN_COLUMNS: readonly FindingColumn[] = [
  { path: 'id', header: 'id' },
  { path: 'severity', header: 'severity' },
  { path: 'status', header: 'status' },
  { path: 'type', header: 'type' },
  { path: 'content', header: 'content' },
  { path: 'createdAt', header: 'created', isDay: true },
];

/** Whether services are known to have a field of this name. */
export function isKnownField(path: string): boolean {
  return KNOWN_COLUMNS.some((known) => known.path === path);
}

/** Columns of a table when none of the known fields is there. */
const MAX_OTHER_COLUMNS = 6;

/** Reads `--columns a,b.c`. Throws UsageError for an empty name. */
export function parseColumns(text: string): FindingColumn[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--columns: "${text}" has an empty name`, 'Write --columns id,severity,createdBy.user.email');
  return [...new Set(names)].map((path) => ({ path, header: path }));
}

/** The columns that fit these findings: known fields that some of them have, else the first fields that arrive. */
export function chooseColumns(findings: readonly Finding[]): FindingColumn[] {
  const present = KNOWN_COLUMNS.filter(({ path }) => findings.some((finding) => finding[path] != null));
  if (present.length > 0) return present;
  return allColumns(findings).slice(0, MAX_OTHER_COLUMNS);
}

/** Every field of these findings by its dotted name: the known ones first, then as they arrive. */
export function allColumns(findings: readonly Finding[]): FindingColumn[] {
  const names = new Set<string>();
  for (const finding of findings) for (const name of flatten(finding).keys()) names.add(name);
  const known = KNOWN_COLUMNS.filter(({ path }) => names.has(path)).map(({ path }) => path);
  return [...new Set([...known, ...names])].map((path) => ({ path, header: path }));
}

/** The keys of a finding that have to do with the value at a dotted name. */
export function keysAt(path: string): string[] {
  const [outermost = path] = path.split('.');
  return [...new Set([path, outermost])];
}

/** The value at a dotted name; a key that has the dots in itself goes before a nested one. */
export function valueAt(finding: Finding, path: string): unknown {
  return readerOf(path)(finding);
}

/** `valueAt` for one dotted name, for many findings. */
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

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}/;

/** A finding's text in a column of a table, not yet safe for a terminal. */
export function findingCell(finding: Finding, { path, isDay }: FindingColumn, medium: 'terminal' | 'pipe'): string {
  const text = renderCell(valueAt(finding, path));
  return isDay && medium === 'terminal' ? (TIME.exec(text)?.[1] ?? text) : text;
}
