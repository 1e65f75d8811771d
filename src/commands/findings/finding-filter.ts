import { listValues } from '../../client/gate.ts';
import type { Finding } from '../../client/operations.ts';
import { renderCell } from '../../output/json.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import { choiceParser } from '../define-command.ts';
import { SEVERITIES, STATUSES, severityRank } from './value-ranks.ts';

export interface FilterFlags {
  status?: string;
  minSeverity?: string;
  /** The exit code depends on what the filters keep. */
  exitStatus?: boolean;
}

/** A filter of the command line. orgadm applies it itself, because the interface has no such parameter. */
export interface Filter {
  readonly flag: string;
  readonly field: 'status' | 'severity';
  /** Returns whether a value passes, whatever its case; undefined for one that orgadm does not know: then the finding remains. */
  passes(value: unknown): boolean | undefined;
  /** The values that the user named, in lower case, if the service may have others. */
  readonly named: readonly string[];
}

/** Reads the options. Throws UsageError for an empty value, and for a minimum that is not a severity. */
export function readFilters({ status, minSeverity, exitStatus = false }: FilterFlags): Filter[] {
  return [
    ...(status === undefined ? [] : [statusFilter(status, exitStatus)]),
    ...(minSeverity === undefined ? [] : [minimumFilter(minSeverity)]),
  ];
}

function statusFilter(list: string, isCheck: boolean): Filter {
  const flag = '--status';
  const named = list.split(',').map(normalizeValue);
  if (named.includes(''))
    throw new UsageError(`${flag}: "${list}" has an empty value`, `For example: ${flag} open,needs_revision`);
  const passes = (value: unknown) => {
    if (named.includes(normalizeValue(value))) return true;
    // Nobody can tell that a finding which is "reopened" needs no attention.
    return isCheck && !STATUSES.includes(normalizeValue(value)) ? undefined : false;
  };
  return { flag, field: 'status', passes, named };
}

function minimumFilter(level: string): Filter {
  const flag = '--min-severity';
  const minimum = severityRank(choiceParser(normalizeValue(level), flag, SEVERITIES)) ?? 0;
  const passes = (value: unknown) => {
    const rank = severityRank(value);
    return rank === undefined ? undefined : rank <= minimum;
  };
  return { flag, field: 'severity', passes, named: [] };
}

/** Returns the findings that remain. */
export function applyFilters(findings: readonly Finding[], filters: readonly Filter[]): Finding[] {
  return findings.filter((finding) => filters.every(({ field, passes }) => passes(finding[field]) !== false));
}

/**
 * Returns what a filter cannot decide: findings that remain because orgadm does not know their value, and named values that
 * nobody knows.
 *
 * @throws UsageError for a field that no finding has, and in a check for a value that neither orgadm nor a finding has
 */
export function filterWarnings(
  { flag, field, passes, named }: Filter,
  findings: readonly Finding[],
  kept: readonly Finding[],
  isCheck: boolean,
): string[] {
  if (findings.length > 0 && !findings.some((finding) => finding[field] !== undefined)) {
    const hint = `To see their fields, use --json without ${flag}.`;
    throw new UsageError(`${flag}: no finding has a field "${field}"`, hint);
  }
  const seen = [...new Set(findings.map((finding) => normalizeValue(finding[field])))];
  const unseen = named.filter((value) => !seen.includes(value) && !STATUSES.includes(value));
  if (unseen.length > 0 && isCheck) {
    throw new UsageError(
      `${flag}: no finding has ${listValues(unseen)}, so --exit-status could pass by mistake`,
      `Known: ${listValues([...new Set([...STATUSES, ...seen])])}.`,
    );
  }
  const unknown = kept.map((finding) => finding[field]).filter((value) => passes(value) === undefined);
  const values = listValues([...new Set(unknown.map(renderCell))]);
  return [
    ...(unknown.length > 0
      ? [`${flag}: kept ${countOf(unknown.length, 'finding')} without a known ${field}: ${values}`]
      : []),
    ...(unseen.length > 0 && findings.length > 0
      ? [`${flag}: no finding has ${listValues(unseen)} (values seen: ${listValues(seen)})`]
      : []),
  ];
}

/** Normalizes a value for comparison with what a user typed. */
function normalizeValue(value: unknown): string {
  return renderCell(value).trim().toLowerCase();
}
