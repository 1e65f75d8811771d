import { parseIdentifier } from '../../client/bulk-response.ts';
import type { FindingsResponse } from '../../client/list-findings.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { repeatedKey } from '../../util/json/repeated-key.ts';
import { suggest } from '../../util/suggest.ts';
import { countOf } from '../../util/units.ts';
import { doubtResponse } from '../doubt-findings.ts';
import { type Doubt, listValues } from '../unknown-fields.ts';
import { type FindingCheck, keepsAll } from './finding-check.ts';
import { readerOf } from './finding-columns.ts';
import { type Selector, selectorFields } from './finding-selector.ts';

/*
 * A gate (--exit-status) passes only if orgadm understands everything that its result depends on. Each export is one rule:
 * nothing in the response is unknown, all findings belong to the selector, none has a key twice, and no filter is misspelled.
 * The filters add another: they keep a finding whose value they do not know.
 */

/** Doubts a response that may have more than its findings: see `doubtResponse`. */
export function responseCheck(response: FindingsResponse, ignored: readonly string[], profile: string): FindingCheck {
  return { keeps: () => true, remarks: () => ({ doubts: doubtResponse(response.envelope(), ignored, profile) }) };
}

/**
 * Doubts findings that may not match the selector: a service that does not know it returns everything.
 *
 * @param parameter the selector's query parameter, whose name the field may have, too
 * @param profile see `profileOption`
 */
export function selectorCheck(selector: Selector, parameter: string, profile: string): FindingCheck {
  const fields = selectorFields(selector);
  const readers = [...fields, parameter].map(readerOf);
  let total = 0;
  let others = 0;
  let withoutField = 0;
  return {
    keeps({ value: finding }) {
      total++;
      const values = readers.map((read) => read(finding)).filter((value) => value != null);
      if (values.length === 0) withoutField++;
      else if (!values.some((value) => parseIdentifier(value) === selector.value)) others++;
      return true;
    },
    remarks() {
      if (others + withoutField === 0) return {};
      const [field = ''] = fields;
      const some = (count: number) => `${count} of ${total} findings ${count === 1 ? 'has' : 'have'}`;
      const facts = [
        ...(others > 0 ? [`${some(others)} another ${field} than ${selector.value}`] : []),
        ...(withoutField > 0 ? [`${some(withoutField)} no ${field}`] : []),
      ];
      const message = `the service may have ignored the selector: ${facts.join('; ')}`;
      const hint = `If it has another name for the parameter, run: orgadm config set wire.findings.${selector.kind} <name>${profile}`;
      return { doubts: [{ message, hint }] };
    },
  };
}

/** Keeps what the filters drop if it has a key twice: nobody can say which of its values counts. */
export function keepRepeatedKeys(filters: readonly FindingCheck[]): FindingCheck {
  let kept = 0;
  let first = '';
  return {
    keeps(finding) {
      if (keepsAll(filters, finding)) return true;
      const key = repeatedKey(finding.text);
      if (key === undefined) return false;
      if (kept++ === 0) first = key;
      return true;
    },
    remarks() {
      const warnings = filters.flatMap((filter) => filter.remarks().warnings ?? []);
      if (kept === 0) return { warnings };
      const repeated = `kept ${countOf(kept, 'finding')} with a key that occurs twice: ${listValues([first])}`;
      return { warnings: [...warnings, repeated] };
    },
  };
}

/** Throws OrgadmError if there is any doubt: the gate would pass otherwise. */
export function rejectDoubts(doubts: readonly Doubt[]): void {
  if (doubts.length === 0) return;
  const messages = doubts.map(({ message }) => message).join('; ');
  throw new OrgadmError('incomplete-list', EXIT.failure, `no findings remain, but the list may be wrong: ${messages}`, {
    hint: doubts.map(({ hint }) => hint).join('\n'),
  });
}

/** A value of a filter that neither a finding nor the documentation has. All values are in lower case. */
interface UnknownValue {
  value: string;
  /** As the user wrote it. */
  written: string;
  /** The values of the findings. */
  seen: ReadonlyMap<string, unknown>;
  documented: readonly string[];
}

/**
 * Rejects an unknown value of a filter, unless no finding has a documented one: the service may have values of its own. Then only
 * a value that is close to a known one is rejected.
 *
 * @throws UsageError with the closest value, or all known ones
 */
export function rejectMisspelling(flag: string, { value, written, seen, documented }: UnknownValue): void {
  const known = [...new Set([...seen.keys(), ...documented])];
  const near = suggest(value, known);
  const hasOwnValues = !documented.some((one) => seen.has(one));
  if (hasOwnValues && near === undefined) return;
  throw new UsageError(
    `${flag}: no finding has "${written}", so --exit-status could pass by mistake`,
    near === undefined ? `Known: ${listValues(known)}.` : `Did you mean ${near}?`,
  );
}
