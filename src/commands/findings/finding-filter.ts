import type { Finding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { suggest } from '../../util/suggest.ts';
import { countOf } from '../../util/units.ts';
import { choiceParser } from '../define-command.ts';

export interface FilterFlags {
  status?: string;
  severity?: string;
  minSeverity?: string;
  /** The exit code depends on what the filters keep. */
  exitStatus?: boolean;
}

/** Values of a field that a warning may list. */
const MAX_SEEN = 100;

/** One filter of the command line, and what it has seen. */
interface Filter {
  flag: string;
  field: 'status' | 'severity';
  keeps(value: unknown, count: number): boolean;
  /** Whether any finding has the field. */
  isPresent: boolean;
  /** The distinct values of the field, normalized, as the service first wrote them. */
  seen: Map<string, string>;
  /** Returns warnings about the values seen. */
  warnings(filter: Filter): string[];
}

/**
 * Filters findings by status and severity on this side, because the interface has no such parameters. Values are compared
 * regardless of case.
 */
export class FindingFilter {
  /** Names of the fields that `keeps` reads. */
  readonly fields: readonly string[];
  /** Number of findings that were filtered out. */
  dropped = 0;
  readonly #filters: readonly Filter[];
  #total = 0;

  /** @throws UsageError for an empty value, and for a severity without a rank as the minimum */
  constructor({ status, severity, minSeverity, exitStatus = false }: FilterFlags) {
    this.#filters = [
      ...(status === undefined ? [] : [valueFilter('status', status, STATUSES, exitStatus)]),
      ...(severity === undefined ? [] : [valueFilter('severity', severity, SEVERITIES, exitStatus)]),
      ...(minSeverity === undefined ? [] : [minimumFilter(minSeverity)]),
    ];
    this.fields = this.#filters.map(({ field }) => field);
  }

  /** Whether `count` findings with the same `fields` pass the filters. */
  keeps(finding: Finding, count: number): boolean {
    this.#total += count;
    let isKept = true;
    for (const filter of this.#filters) {
      const value = finding[filter.field];
      if (value !== undefined) filter.isPresent = true;
      if (value != null && filter.seen.size < MAX_SEEN) {
        const normalized = normalizeValue(renderCell(value));
        if (!filter.seen.has(normalized)) filter.seen.set(normalized, renderCell(value));
      }
      if (!filter.keeps(value, count)) isKept = false;
    }
    if (!isKept) this.dropped += count;
    return isKept;
  }

  /**
   * Checks the filters after the last finding, and before anything is printed if none is left.
   *
   * @returns warnings about values that no finding has, and about severities without a rank
   * @throws UsageError for a field that no finding has, and with --exit-status for a misspelled value: a gate must not pass
   *   because of that
   */
  check(): string[] {
    if (this.#total === 0) return [];
    for (const { flag, field, isPresent } of this.#filters) {
      if (isPresent) continue;
      throw new UsageError(`${flag}: no finding has a field "${field}"`, 'Use --columns help to see the fields.');
    }
    return this.#filters.flatMap((filter) => filter.warnings(filter));
  }
}

/** @param documented the values that services usually have */
function valueFilter(field: Filter['field'], list: string, documented: readonly string[], exitStatus: boolean): Filter {
  const flag = `--${field}`;
  const wanted = new Map(list.split(',').map((value) => [normalizeValue(value), value.trim()]));
  if (wanted.has('')) throw new UsageError(`${flag}: "${list}" has an empty value`, `Write ${flag} value,value`);
  const unmatched = new Map(wanted);
  let unreadable = 0;
  return {
    flag,
    field,
    isPresent: false,
    seen: new Map(),
    keeps(value, count) {
      if (value == null || typeof value === 'object') {
        // Kept with --exit-status, because a gate must not pass on a finding that it does not understand.
        unreadable += count;
        return exitStatus;
      }
      const normalized = normalizeValue(renderCell(value));
      unmatched.delete(normalized);
      return wanted.has(normalized);
    },
    warnings({ seen }) {
      const kept =
        exitStatus && unreadable > 0 ? [`${flag}: ${countOf(unreadable, 'finding')} without a ${field}, kept`] : [];
      if (unmatched.size === 0) return kept;
      const values = seen.size === 0 ? 'all are empty' : `values seen: ${listValues([...seen.values()])}`;
      if (exitStatus) {
        for (const [normalized, value] of unmatched) checkSpelling(flag, normalized, value, documented, seen);
      }
      return [...kept, `${flag}: no finding has ${listValues([...unmatched.values()])} (${values})`];
    },
  };
}

/**
 * Rejects a value that neither a finding nor the documentation has. A service whose findings have only values of its own
 * may have more of them: there, only a value that is close to another one is rejected.
 */
function checkSpelling(
  flag: string,
  normalized: string,
  value: string,
  documented: readonly string[],
  seen: ReadonlyMap<string, string>,
): void {
  if (documented.includes(normalized)) return;
  const known = [...new Set([...seen.keys(), ...documented])];
  const near = suggest(normalized, known);
  const hasOwnValues = seen.size > 0 && ![...seen.keys()].some((one) => documented.includes(one));
  if (hasOwnValues && near === undefined) return;
  throw new UsageError(
    `${flag}: no finding has "${value}", and --exit-status must not pass because of a misspelling`,
    near === undefined ? `Known: ${listValues(known)}.` : `Did you mean ${near}?`,
  );
}

function minimumFilter(level: string): Filter {
  const flag = '--min-severity';
  const minimum = severityRank(choiceParser(normalizeValue(level), flag, SEVERITIES)) ?? 0;
  let unknown = 0;
  return {
    flag,
    field: 'severity',
    isPresent: false,
    seen: new Map(),
    keeps(value, count) {
      const rank = severityRank(value);
      // Kept, because a gate must not pass only because a severity is not understood.
      if (rank === undefined) unknown += count;
      return rank === undefined || rank <= minimum;
    },
    warnings({ seen }) {
      if (unknown === 0) return [];
      const unranked = [...seen.values()].filter((value) => severityRank(value) === undefined);
      const values = unranked.length === 0 ? 'no severity' : `a severity without a rank (${listValues(unranked)})`;
      return [`${flag}: ${unknown} ${unknown === 1 ? 'finding has' : 'findings have'} ${values}, kept`];
    },
  };
}

/** The rank of a medium severity; lower ranks are more severe. */
export const MEDIUM_SEVERITY = 3;

const SEVERITY_RANKS: ReadonlyMap<string, number> = new Map([
  ['blocker', 0],
  ['critical', 1],
  ['high', 2],
  ['medium', MEDIUM_SEVERITY],
  ['moderate', MEDIUM_SEVERITY],
  ['low', 4],
  ['info', 5],
  ['informational', 5],
]);

/** The severities with a rank, most severe first. */
export const SEVERITIES: readonly string[] = [...SEVERITY_RANKS.keys()];

/** The states of a finding in their usual order. */
const STATUSES: readonly string[] = ['open', 'needs_revision', 'ready_for_review', 'closed'];

/** Ranks a severity, whatever its case: 0 is the most severe. Undefined for an unknown value. */
export function severityRank(value: unknown): number | undefined {
  return SEVERITY_RANKS.get(normalizeValue(value));
}

/** Returns how values of a field are ranked; undefined for a field that is sorted alphabetically. */
export function rankerOf(path: string): ((value: unknown) => number | undefined) | undefined {
  if (path === 'severity') return severityRank;
  if (path !== 'status') return undefined;
  return (value) => {
    const rank = STATUSES.indexOf(normalizeValue(value));
    return rank < 0 ? undefined : rank;
  };
}

/** Normalizes a value for comparison with what a user typed. */
function normalizeValue(value: unknown): string {
  return String(value).trim().toLowerCase();
}

/** Number of values that a message lists, and their length. */
const NAMED_VALUES = 5;
const NAMED_CHARACTERS = 60;

/** Renders `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  const named = values.slice(0, NAMED_VALUES).map((value) => `"${cleanLine(value).slice(0, NAMED_CHARACTERS)}"`);
  const rest = values.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
