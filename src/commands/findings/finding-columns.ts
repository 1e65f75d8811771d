import type { Finding } from '../../client/list-findings.ts';
import { flatten } from '../../output/json.ts';
import type { Column } from '../../output/table.ts';
import { UsageError } from '../../util/errors.ts';

/** A column: a dotted name in the finding, and its header. */
export interface FindingColumn extends Pick<Column, 'header' | 'dropOrder'> {
  path: string;
  /** A time of which a terminal shows only the day. */
  isDay?: boolean;
}

/** Fields seen on services, the most useful first. The interface does not fix any (2.5). */
export const KNOWN_COLUMNS: readonly FindingColumn[] = [
  { path: 'id', header: 'id' },
  { path: 'severity', header: 'severity' },
  { path: 'status', header: 'status', dropOrder: 3 },
  { path: 'type', header: 'type', dropOrder: 2 },
  { path: 'content', header: 'content' },
  { path: 'createdAt', header: 'created', isDay: true, dropOrder: 1 },
];

/** Number of columns if a list has none of the known fields. */
const MAX_OTHER_COLUMNS = 6;

/** Parses `--columns a,b.c`. Throws UsageError for an empty name. */
export function parseColumns(text: string): FindingColumn[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--columns: "${text}" has an empty name`, 'Write --columns id,severity,createdBy.user.email');
  return [...new Set(names)].map((path) => ({ path, header: path }));
}

/** Chooses the columns: known fields that some findings have, or else the first fields. */
export function chooseColumns(findings: readonly Finding[]): FindingColumn[] {
  const present = KNOWN_COLUMNS.filter(({ path }) => findings.some((finding) => finding[path] != null));
  if (present.length > 0) return present;
  return allColumns(findings).slice(0, MAX_OTHER_COLUMNS);
}

/** Returns all fields of these findings by dotted name, the known ones first. */
export function allColumns(findings: readonly Finding[]): FindingColumn[] {
  const names = new Set<string>();
  for (const finding of findings) for (const name of flatten(finding).keys()) names.add(name);
  const known = KNOWN_COLUMNS.filter(({ path }) => names.has(path)).map(({ path }) => path);
  return [...new Set([...known, ...names])].map((path) => ({ path, header: path }));
}

/** Minimum width of the content, in terminal columns. */
const CONTENT_MIN = 30;
/** Minimum width of other fields; a longer value may be cut. */
const WORD_MIN = 16;

/** Returns the layout of a column: identifiers are never cut, and content gets the remaining width. */
export function findingColumnLayout({ path, header, dropOrder }: FindingColumn, wrap: boolean): Column {
  if (/(^|\.)id$|Id$/.test(path)) return { header, min: Number.POSITIVE_INFINITY };
  if (path === 'content') return { header, wrap, min: CONTENT_MIN, weight: 4 };
  return { header, wrap, min: WORD_MIN, dropOrder };
}
