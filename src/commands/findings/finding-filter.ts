import type { ListedFinding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { UsageError } from '../../util/errors.ts';
import { suggest } from '../../util/suggest.ts';
import { countOf } from '../../util/units.ts';
import { choiceParser } from '../define-command.ts';
import { listValues } from '../unknown-fields.ts';
import type { FindingCheck, Remarks } from './finding-check.ts';
import { keepRepeatedKeys, rejectMisspelling } from './findings-gate.ts';
import { SEVERITIES, STATUSES, severityRank } from './value-ranks.ts';

export interface FilterFlags {
  status?: string;
  severity?: string;
  minSeverity?: string;
  /** The exit code depends on what the filters keep. */
  exitStatus?: boolean;
}

/**
 * Creates the filters of the command line. orgadm applies them itself, because the interface has no such parameters.
 *
 * @throws UsageError for an empty value, and for a severity without a rank as the minimum
 */
export function createFilters({ status, severity, minSeverity, exitStatus = false }: FilterFlags): FindingCheck[] {
  const filters = [
    ...(status === undefined ? [] : [valueFilter('status', status, exitStatus)]),
    ...(severity === undefined ? [] : [valueFilter('severity', severity, exitStatus)]),
    ...(minSeverity === undefined ? [] : [minimumFilter(minSeverity)]),
  ];
  return exitStatus ? [keepRepeatedKeys(filters)] : filters;
}

function valueFilter(field: 'status' | 'severity', list: string, isGate: boolean): FindingFilter {
  const flag = `--${field}`;
  const wanted = new Map(list.split(',').map((value) => [normalizeValue(value), value.trim()]));
  if (wanted.has('')) throw new UsageError(`${flag}: "${list}" has an empty value`, `Write ${flag} value,value`);
  const passes = (value: unknown) => {
    if (value == null || typeof value === 'object') return undefined;
    const text = normalizeValue(value);
    if (wanted.has(text)) return true;
    // Nobody can tell that a finding which is "reopened" needs no attention.
    return isGate && !DOCUMENTED[field].includes(text) ? undefined : false;
  };
  return new FindingFilter({ flag, field, passes, wanted, isGate, keepsUnknown: isGate });
}

function minimumFilter(level: string): FindingFilter {
  const flag = '--min-severity';
  const minimum = severityRank(choiceParser(normalizeValue(level), flag, SEVERITIES)) ?? 0;
  const passes = (value: unknown) => {
    const rank = severityRank(value);
    return rank === undefined ? undefined : rank <= minimum;
  };
  return new FindingFilter({
    flag,
    field: 'severity',
    passes,
    wanted: new Map(),
    isGate: false,
    keepsUnknown: true,
  });
}

interface FilterRule {
  flag: string;
  field: 'status' | 'severity';
  /** Returns whether a value passes, whatever its case; undefined for one that orgadm does not know. */
  passes(value: unknown): boolean | undefined;
  /** The values that the user named: in lower case, and as written. */
  wanted: ReadonlyMap<string, string>;
  /** Rejects misspelled values. */
  isGate: boolean;
  keepsUnknown: boolean;
}

/** The values that orgadm knows. */
const DOCUMENTED = { status: STATUSES, severity: SEVERITIES } as const;

/** Values of a field that a filter remembers for its messages. */
const MAX_SEEN = 100;

/** One filter, and what it has read. */
class FindingFilter implements FindingCheck {
  readonly #rule: FilterRule;
  #total = 0;
  #unknown = 0;
  #isPresent = false;
  /** The values of the field: in lower case, and as the service first wrote them. */
  readonly #seen = new Map<string, string>();
  /** Those that orgadm does not know. */
  readonly #unknownValues = new Set<string>();
  /** The values that passed, in lower case. */
  readonly #passed = new Set<string>();

  constructor(rule: FilterRule) {
    this.#rule = rule;
  }

  /** Whether a finding passes. A gate never passes because of a finding whose value orgadm does not know. */
  keeps({ value: finding }: ListedFinding): boolean {
    const { field, passes, keepsUnknown } = this.#rule;
    const value = finding[field];
    this.#total++;
    if (value !== undefined) this.#isPresent = true;
    if (value != null && this.#seen.size < MAX_SEEN) {
      const lowerCase = normalizeValue(renderCell(value));
      if (!this.#seen.has(lowerCase)) this.#seen.set(lowerCase, renderCell(value));
    }
    const result = passes(value);
    if (result) this.#passed.add(normalizeValue(value));
    if (result !== undefined) return result;
    this.#unknown++;
    if (this.#unknownValues.size < MAX_SEEN) this.#unknownValues.add(renderCell(value));
    return keepsUnknown;
  }

  /**
   * Warns about values that no finding has, and about those that orgadm does not know.
   *
   * @throws UsageError for a field that no finding has, and with --exit-status for a misspelled value
   */
  remarks(): Remarks {
    if (this.#total === 0) return {};
    const { flag, field, wanted, isGate, keepsUnknown } = this.#rule;
    if (!this.#isPresent) {
      throw new UsageError(
        `${flag}: no finding has a field "${field}"`,
        `To see their fields, use --json without ${flag}.`,
      );
    }
    const seen = this.#seen;
    const documented = DOCUMENTED[field];
    const unknown = [...wanted].filter(([value]) => !this.#passed.has(value) && !documented.includes(value));
    if (isGate) for (const [value, written] of unknown) rejectMisspelling(flag, { value, written, seen, documented });
    const values = `values seen: ${listValues([...seen.values()]) || 'none'}`;
    const near = new Set(unknown.flatMap(([value]) => suggest(value, [...seen.keys(), ...documented]) ?? []));
    const question = near.size === 0 ? '' : `. Did you mean ${[...near].join(' or ')}?`;
    const kept = keepsUnknown ? this.#unknown : 0;
    const warnings = [
      ...(kept > 0
        ? [
            `${flag}: kept ${countOf(kept, 'finding')} without a known ${field}: ${listValues([...this.#unknownValues])}`,
          ]
        : []),
      ...(unknown.length > 0
        ? [`${flag}: no finding has ${listValues(unknown.map(([, written]) => written))} (${values})${question}`]
        : []),
    ];
    return { warnings };
  }
}

/** Normalizes a value for comparison with what a user typed. */
function normalizeValue(value: unknown): string {
  return String(value).trim().toLowerCase();
}
