import type { Finding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import { choiceParser } from '../define-command.ts';
import { rejectMisspelling } from './findings-gate.ts';
import { listValues } from './list-values.ts';
import { SEVERITIES, STATUSES, severityRank } from './value-ranks.ts';

export interface FilterFlags {
  status?: string;
  severity?: string;
  minSeverity?: string;
  /** The exit code depends on what the filters keep. */
  exitStatus?: boolean;
}

/** One filter of the command line, and what it has read. */
interface Filter {
  flag: string;
  field: 'status' | 'severity';
  /** The values to keep: in lower case, and as the user wrote them. Empty for a minimum. */
  wanted: ReadonlyMap<string, string>;
  /** Returns whether a value passes; undefined for one that the filter cannot read. */
  passes(value: unknown): boolean | undefined;
  /** Keeps a finding whose value it cannot read. */
  keepsUnreadable: boolean;
  unreadable: number;
  /** Whether any finding has the field. */
  isPresent: boolean;
  /** The values of the field: in lower case, and as the service first wrote them. */
  seen: Map<string, string>;
}

/** Values of a field that a filter remembers. */
const MAX_SEEN = 100;

/**
 * Filters findings by status and severity on this side, because the interface has no such parameters. Values are compared
 * regardless of case.
 */
export class FindingFilter {
  /** Number of findings that were filtered out. */
  dropped = 0;
  readonly #filters: readonly Filter[];
  readonly #isGate: boolean;
  #total = 0;

  /** @throws UsageError for an empty value, and for a severity without a rank as the minimum */
  constructor({ status, severity, minSeverity, exitStatus = false }: FilterFlags) {
    this.#isGate = exitStatus;
    this.#filters = [
      ...(status === undefined ? [] : [valueFilter('status', status, exitStatus)]),
      ...(severity === undefined ? [] : [valueFilter('severity', severity, exitStatus)]),
      ...(minSeverity === undefined ? [] : [minimumFilter(minSeverity)]),
    ];
  }

  /** Whether a finding passes the filters. A gate never passes because of a finding that it cannot read. */
  keeps(finding: Finding): boolean {
    this.#total++;
    let isKept = true;
    for (const filter of this.#filters) {
      const value = finding[filter.field];
      if (value !== undefined) filter.isPresent = true;
      if (value != null && filter.seen.size < MAX_SEEN) {
        const lowerCase = normalizeValue(renderCell(value));
        if (!filter.seen.has(lowerCase)) filter.seen.set(lowerCase, renderCell(value));
      }
      const passes = filter.passes(value);
      if (passes === undefined) filter.unreadable++;
      if (!(passes ?? filter.keepsUnreadable)) isKept = false;
    }
    if (!isKept) this.dropped++;
    return isKept;
  }

  /**
   * Checks the filters after the last finding.
   *
   * @returns warnings about values that no finding has or that were not readable
   * @throws UsageError for a field that no finding has, and with --exit-status for a misspelled value
   */
  check(): string[] {
    if (this.#total === 0) return [];
    return this.#filters.flatMap((filter) => this.#checkFilter(filter));
  }

  #checkFilter({ flag, field, wanted, isPresent, seen, unreadable, keepsUnreadable }: Filter): string[] {
    if (!isPresent)
      throw new UsageError(`${flag}: no finding has a field "${field}"`, 'Use --columns help to see the fields.');
    const documented = field === 'status' ? STATUSES : SEVERITIES;
    const unknown = [...wanted].filter(([value]) => !seen.has(value) && !documented.includes(value));
    if (this.#isGate)
      for (const [value, written] of unknown) rejectMisspelling(flag, { value, written, seen, documented });
    const values = `values seen: ${listValues([...seen.values()]) || 'none'}`;
    const kept = keepsUnreadable ? unreadable : 0;
    return [
      ...(kept > 0 ? [`${flag}: ${countOf(kept, 'finding')} without a known ${field} kept (${values})`] : []),
      ...(unknown.length > 0
        ? [`${flag}: no finding has ${listValues(unknown.map(([, written]) => written))} (${values})`]
        : []),
    ];
  }
}

function valueFilter(field: Filter['field'], list: string, isGate: boolean): Filter {
  const flag = `--${field}`;
  const wanted = new Map(list.split(',').map((value) => [normalizeValue(value), value.trim()]));
  if (wanted.has('')) throw new UsageError(`${flag}: "${list}" has an empty value`, `Write ${flag} value,value`);
  return {
    ...{ flag, field, wanted, keepsUnreadable: isGate, unreadable: 0, isPresent: false, seen: new Map() },
    passes: (value) => (value == null || typeof value === 'object' ? undefined : wanted.has(normalizeValue(value))),
  };
}

function minimumFilter(level: string): Filter {
  const flag = '--min-severity';
  const minimum = severityRank(choiceParser(normalizeValue(level), flag, SEVERITIES)) ?? 0;
  return {
    ...{ flag, field: 'severity', wanted: new Map(), keepsUnreadable: true, unreadable: 0, isPresent: false },
    seen: new Map(),
    passes(value) {
      const rank = severityRank(value);
      return rank === undefined ? undefined : rank <= minimum;
    },
  };
}

/** Normalizes a value for comparison with what a user typed. */
function normalizeValue(value: unknown): string {
  return String(value).trim().toLowerCase();
}
