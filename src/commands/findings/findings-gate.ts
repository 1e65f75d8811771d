import { parseIdentifier } from '../../client/bulk-response.ts';
import type { Finding } from '../../client/list-findings.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { repeatedKey } from '../../util/json/repeated-key.ts';
import { suggest } from '../../util/suggest.ts';
import { countOf } from '../../util/units.ts';
import type { Doubt } from '../doubt-findings.ts';
import { listValues } from '../unknown-fields.ts';
import { readerOf } from './finding-columns.ts';
import { type Selector, selectorFields } from './finding-selector.ts';

/*
 * A gate (--exit-status) passes only if orgadm understands everything that its result depends on. Each export is one rule:
 * nothing in the response is unknown, all findings belong to the selector, none has a key twice, and no filter is misspelled.
 * The filters add another: they keep a finding whose value they do not know.
 */

/** Doubts findings that may not match the selector: a service that does not know it returns everything. */
export class SelectorCheck {
  readonly #selector: Selector | undefined;
  readonly #readers: readonly ((finding: Finding) => unknown)[];
  #total = 0;
  #others = 0;
  #withoutField = 0;

  /** @param parameter the selector's query parameter, whose name the field may have, too */
  constructor(selector: Selector | undefined, parameter: string | undefined) {
    this.#selector = selector;
    this.#readers = selector === undefined ? [] : [...selectorFields(selector), parameter ?? ''].map(readerOf);
  }

  add(finding: Finding): void {
    if (this.#selector === undefined) return;
    this.#total++;
    const values = this.#readers.map((read) => read(finding)).filter((value) => value != null);
    if (values.length === 0) this.#withoutField++;
    else if (!values.some((value) => parseIdentifier(value) === this.#selector?.value)) this.#others++;
  }

  /** Returns the doubts after the last finding. */
  doubts(): Doubt[] {
    if (this.#selector === undefined || this.#others + this.#withoutField === 0) return [];
    const [field = ''] = selectorFields(this.#selector);
    const some = (count: number) => `${count} of ${this.#total} findings ${count === 1 ? 'has' : 'have'}`;
    const facts = [
      ...(this.#others > 0 ? [`${some(this.#others)} another ${field} than ${this.#selector.value}`] : []),
      ...(this.#withoutField > 0 ? [`${some(this.#withoutField)} no ${field}`] : []),
    ];
    return [
      {
        message: `the service may have ignored the selector: ${facts.join('; ')}`,
        hint: `If it has another name for the parameter, run: orgadm config set wire.findings.${this.#selector.kind} <name>`,
      },
    ];
  }
}

/** Keeps findings that have a key twice: nobody can say which of its values counts. */
export class RepeatedKeys {
  #kept = 0;
  #first = '';

  /** @param json the text of a finding */
  keeps(json: string): boolean {
    const key = repeatedKey(json);
    if (key === undefined) return false;
    if (this.#kept++ === 0) this.#first = key;
    return true;
  }

  warnings(): string[] {
    if (this.#kept === 0) return [];
    return [`kept ${countOf(this.#kept, 'finding')} with a key that occurs twice: ${listValues([this.#first])}`];
  }
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
export interface UnknownValue {
  value: string;
  /** As the user wrote it. */
  written: string;
  /** The values of the findings. */
  seen: ReadonlyMap<string, unknown>;
  documented: readonly string[];
}

/**
 * Rejects an unknown value of a filter, unless the findings have only values that are not documented: such a service may have
 * more of them. Then only a value that is close to a known one is rejected.
 *
 * @throws UsageError with the closest value, or all known ones
 */
export function rejectMisspelling(flag: string, { value, written, seen, documented }: UnknownValue): void {
  const known = [...new Set([...seen.keys(), ...documented])];
  const near = suggest(value, known);
  const hasOwnValues = seen.size > 0 && !documented.some((one) => seen.has(one));
  if (hasOwnValues && near === undefined) return;
  throw new UsageError(
    `${flag}: no finding has "${written}", so --exit-status could pass by mistake`,
    near === undefined ? `Known: ${listValues(known)}.` : `Did you mean ${near}?`,
  );
}
