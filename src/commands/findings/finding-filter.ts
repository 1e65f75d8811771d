import { renderCell } from '../../output/json.ts';
import { UsageError } from '../../util/errors.ts';
import { suggest } from '../../util/suggest.ts';
import { countOf } from '../../util/units.ts';
import { choiceParser } from '../define-command.ts';
import { listValues } from '../unknown-fields.ts';
import type { FindingCheck } from './finding-check.ts';
import { keepRepeatedKeys, rejectMisspelling } from './findings-gate.ts';
import { SEVERITIES, STATUSES, severityRank } from './value-ranks.ts';

export interface FilterFlags {
  status?: string;
  minSeverity?: string;
  /** The exit code depends on what the filters keep. */
  exitStatus?: boolean;
}

/**
 * Creates the filters of the command line. orgadm applies them itself, because the interface has no such parameters.
 *
 * @throws UsageError for an empty value, and for a severity without a rank as the minimum
 */
export function createFilters({ status, minSeverity, exitStatus = false }: FilterFlags): FindingCheck[] {
  const filters = [
    ...(status === undefined ? [] : [statusFilter(status, exitStatus)]),
    ...(minSeverity === undefined ? [] : [minimumFilter(minSeverity)]),
  ];
  return exitStatus ? [keepRepeatedKeys(filters)] : filters;
}

function statusFilter(list: string, isGate: boolean): FindingCheck {
  const flag = '--status';
  const wanted = new Map(list.split(',').map((value) => [normalizeValue(value), value.trim()]));
  if (wanted.has('')) throw new UsageError(`${flag}: "${list}" has an empty value`, `Write ${flag} value,value`);
  const passes = (value: unknown) => {
    if (value == null || typeof value === 'object') return undefined;
    const text = normalizeValue(value);
    if (wanted.has(text)) return true;
    // Nobody can tell that a finding which is "reopened" needs no attention.
    return isGate && !STATUSES.includes(text) ? undefined : false;
  };
  return createFilter({ flag, field: 'status', passes, wanted, keepsUnknown: isGate });
}

function minimumFilter(level: string): FindingCheck {
  const flag = '--min-severity';
  const minimum = severityRank(choiceParser(normalizeValue(level), flag, SEVERITIES)) ?? 0;
  const passes = (value: unknown) => {
    const rank = severityRank(value);
    return rank === undefined ? undefined : rank <= minimum;
  };
  return createFilter({ flag, field: 'severity', passes, wanted: new Map(), keepsUnknown: true });
}

interface FilterRule {
  flag: string;
  field: 'status' | 'severity';
  /** Returns whether a value passes, whatever its case; undefined for one that orgadm does not know. */
  passes(value: unknown): boolean | undefined;
  /** The values that the user named: in lower case, and as written. */
  wanted: ReadonlyMap<string, string>;
  /** Keeps findings with a value that orgadm does not know, and rejects misspelled values. */
  keepsUnknown: boolean;
}

/** The values that orgadm knows. */
const DOCUMENTED = { status: STATUSES, severity: SEVERITIES } as const;

/** Values of a field that a filter remembers for its messages. */
const MAX_SEEN = 100;

function createFilter({ flag, field, passes, wanted, keepsUnknown }: FilterRule): FindingCheck {
  const documented = DOCUMENTED[field];
  /** The values of the field: in lower case, and as the service first wrote them. */
  const seen = new Map<string, string>();
  /** Those that orgadm does not know. */
  const unknownValues = new Set<string>();
  /** The values that passed, in lower case. */
  const passed = new Set<string>();
  let total = 0;
  let isPresent = false;
  let unknown = 0;
  return {
    /** A gate never passes because of a finding whose value orgadm does not know. */
    keeps({ value: finding }) {
      const value = finding[field];
      total++;
      if (value !== undefined) isPresent = true;
      if (value != null && seen.size < MAX_SEEN) {
        const lowerCase = normalizeValue(renderCell(value));
        if (!seen.has(lowerCase)) seen.set(lowerCase, renderCell(value));
      }
      const result = passes(value);
      if (result) passed.add(normalizeValue(value));
      if (result !== undefined) return result;
      unknown++;
      if (unknownValues.size < MAX_SEEN) unknownValues.add(renderCell(value));
      return keepsUnknown;
    },
    /** Throws UsageError for a field that no finding has, and with --exit-status for a misspelled value. */
    remarks() {
      if (total > 0 && !isPresent) {
        throw new UsageError(
          `${flag}: no finding has a field "${field}"`,
          `To see their fields, use --json without ${flag}.`,
        );
      }
      const missing = [...wanted].filter(([value]) => !passed.has(value) && !documented.includes(value));
      if (keepsUnknown)
        for (const [value, written] of missing) rejectMisspelling(flag, { value, written, seen, documented });
      if (total === 0) return {};
      const values = `values seen: ${listValues([...seen.values()]) || 'none'}`;
      const near = new Set(missing.flatMap(([value]) => suggest(value, [...seen.keys(), ...documented]) ?? []));
      const question = near.size === 0 ? '' : `. Did you mean ${[...near].join(' or ')}?`;
      const kept = keepsUnknown ? unknown : 0;
      const known = `without a known ${field}: ${listValues([...unknownValues])}`;
      return {
        warnings: [
          ...(kept > 0 ? [`${flag}: kept ${countOf(kept, 'finding')} ${known}`] : []),
          ...(missing.length > 0
            ? [`${flag}: no finding has ${listValues(missing.map(([, written]) => written))} (${values})${question}`]
            : []),
        ],
      };
    },
  };
}

/** Normalizes a value for comparison with what a user typed. */
function normalizeValue(value: unknown): string {
  return String(value).trim().toLowerCase();
}
