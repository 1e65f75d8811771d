import type { Finding } from '../../client/list-findings.ts';
import { UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import { KNOWN_COLUMNS } from './finding-columns.ts';

/**
 * Returns a function that reads the value at a dotted name. A key that contains the dots wins over a nested one, and a field
 * over the header under which a table shows another one (`created`).
 */
export function readerOf(path: string): (finding: Finding) => unknown {
  const read = pathReader(path);
  const shown = shownPath(path);
  if (shown === undefined) return read;
  const readShown = pathReader(shown);
  return (finding) => {
    const value = read(finding);
    return value === undefined ? readShown(finding) : value;
  };
}

function pathReader(path: string): (finding: Finding) => unknown {
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

/** Returns the field that a table shows under this header; undefined if that is its own name, or there is none. */
function shownPath(header: string): string | undefined {
  return KNOWN_COLUMNS.find((column) => column.header === header && column.path !== header)?.path;
}

/**
 * Returns a function that tells whether a finding has the first key of a dotted name. What is below that key may be missing:
 * `createdBy.user.email` is a field of a finding whose `createdBy` is null.
 */
export function fieldTest(path: string): (finding: Finding) => boolean {
  const [first = path] = path.split('.');
  const keys = [path, first, shownPath(path) ?? path];
  return (finding) => keys.some((key) => Object.hasOwn(finding, key));
}

/**
 * Checks that each of these fields is one of some finding, as far as `fieldTest` tells.
 *
 * @param flag the option that names them
 * @param isSample whether there are more findings, which have not arrived yet
 * @throws UsageError that names the others
 */
export function requireFields(
  flag: string,
  paths: readonly string[],
  findings: readonly Finding[],
  { isSample = false } = {},
): void {
  const missing = paths.filter((path) => !findings.some(fieldTest(path)));
  if (findings.length === 0 || missing.length === 0) return;
  if (!isSample) throw missingFieldError(flag, missing);
  throw missingFieldError(
    flag,
    missing,
    `none of the first ${formatCount(findings.length)} findings`,
    ' If only later findings have it, add --sort, so that orgadm reads the entire list before it prints.',
  );
}

/** Returns the error for fields that no finding has. */
export function missingFieldError(
  flag: string,
  paths: readonly string[],
  findings = 'no finding',
  moreHints = '',
): UsageError {
  const names = paths.map((path) => `"${path}"`).join(', ');
  return new UsageError(
    `${flag}: ${findings} has a field ${names}`,
    `Use --columns help to see the fields.${moreHints}`,
  );
}
