import type { Finding } from '../../client/list-findings.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Column } from '../../output/table.ts';
import { UsageError } from '../../util/errors.ts';
import { flatten } from '../../util/json/json-object.ts';
import { formatCount, joinFirst } from '../../util/units.ts';

/** A column: a field of a finding, which may be a dotted name, and how a terminal shows it. */
export interface FindingColumn extends Pick<Column, 'dropOrder'> {
  path: string;
  /** A time of which a terminal shows only the day. */
  isDay?: boolean;
}

/** Fields seen on services, the most useful first. The interface does not fix any (2.5). */
const KNOWN_COLUMNS: readonly FindingColumn[] = [
  { path: 'id' },
  { path: 'severity' },
  { path: 'status', dropOrder: 3 },
  { path: 'type', dropOrder: 2 },
  { path: 'content' },
  { path: 'createdAt', isDay: true, dropOrder: 1 },
];

/** Number of columns if a list has none of the known fields. */
const MAX_OTHER_COLUMNS = 6;

/** Parses `--columns a,b.c`. Throws UsageError for an empty name. */
export function parseColumns(text: string): FindingColumn[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--columns: "${text}" has an empty name`, 'Write --columns id,severity,createdBy.user.email');
  return [...new Set(names)].map((path) => ({ path }));
}

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

/** Minimum width of the content, in terminal columns. */
const CONTENT_MIN = 30;
/** Minimum width of other fields; a longer value may be cut. */
const WORD_MIN = 16;

/** Returns the layout of a column: identifiers are never cut, and content gets the remaining width. */
export function findingColumnLayout({ path, dropOrder }: FindingColumn): Column {
  if (/(^|\.)id$|Id$/.test(path)) return { header: path, min: Number.POSITIVE_INFINITY };
  if (path === 'content') return { header: path, min: CONTENT_MIN, weight: 4 };
  return { header: path, min: WORD_MIN, dropOrder };
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

/** Names of fields in a hint. */
const MAX_LISTED_FIELDS = 40;

/**
 * Checks that each of these fields is one of some finding. The first key of a dotted name is enough: `createdBy.user.email` is a
 * field of a finding whose `createdBy` is null.
 *
 * @param flag the option that names them
 * @param isSample whether there are more findings, which have not arrived yet
 * @throws UsageError that names the others, and the fields that the findings have
 */
export function requireFields(
  flag: string,
  paths: readonly string[],
  findings: readonly Finding[],
  { isSample = false } = {},
): void {
  if (findings.length === 0) return;
  const missing = paths.filter((path) => {
    const [first = path] = path.split('.');
    return !findings.some((finding) => Object.hasOwn(finding, path) || Object.hasOwn(finding, first));
  });
  if (missing.length === 0) return;
  const names = fieldNames(findings).map(cleanLine);
  const searched = isSample ? `none of the first ${formatCount(findings.length)} findings` : 'no finding';
  const sampleHint = isSample
    ? ' If only later findings have it, add --sort, so that orgadm reads the entire list before it prints.'
    : '';
  throw new UsageError(
    `${flag}: ${searched} has a field ${missing.map((path) => `"${path}"`).join(', ')}`,
    `The fields are: ${joinFirst(names, MAX_LISTED_FIELDS)}.${sampleHint}`,
  );
}
