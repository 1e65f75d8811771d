import { parseIdentifier } from '../../client/bulk-response.ts';
import { isIncompleteStatus } from '../../client/gates.ts';
import type { Finding, FindingsEnvelope } from '../../client/list-findings.ts';
import { cleanLine, quoteForShell } from '../../output/sanitize.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import type { ScannedMember } from '../../util/json/list-scanner.ts';
import { suggest } from '../../util/suggest.ts';
import { readerOf } from './finding-columns.ts';
import { type Selector, selectorFields } from './finding-selector.ts';

/*
 * A gate (--exit-status) passes only if orgadm understands everything that its result depends on. Each export is one rule:
 * nothing in the response is unknown, all findings belong to the selector, and no filter is misspelled. The filters add the
 * fourth: they keep a finding whose value they cannot read.
 */

/** A reason why the findings may not be all of those, or only those, that were requested. */
export interface Doubt {
  /** A clause, without a final period. */
  message: string;
  hint: string;
}

/** Names of members in a suggested command. */
const MAX_SUGGESTED = 20;

/** Members whose value is the length of the list next to them. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'total', 'totalCount']);

/** Matches a link (RFC 8288) whose relations include `next`, in double, single, or no quotes. */
const NEXT_LINK = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?|'(?:[^']*\s)?)?next(?=["'\s;,]|$)/i;

/**
 * Doubts every response except a list as `doubtBody` describes it, without a `Link` header that names a next page.
 *
 * @param ignored dotted names of members (setting wire.findings.ignore)
 */
export function doubtResponse(envelope: FindingsEnvelope, ignored: readonly string[]): Doubt[] {
  const { status, headers } = envelope;
  const body = doubtBody(envelope, ignored);
  const reasons = [
    ...(isIncompleteStatus(status) ? [`its status is ${status}`] : []),
    ...([headers.link ?? []].flat().some((link) => NEXT_LINK.test(link)) ? ['the header link names a next page'] : []),
    ...body.reasons,
  ];
  if (reasons.length === 0) return [];
  return [{ message: `the response may be incomplete: ${reasons.join('; ')}`, hint: body.hint }];
}

/**
 * Doubts every body except an array of objects, or an object with one such array and, next to it, only a count that equals its
 * length, `success: true`, and the members that are ignored.
 *
 * @returns the reasons, none for such a list, and what to do about them
 */
export function doubtBody(
  { isEmpty, members, listPath, listed }: FindingsEnvelope,
  ignored: readonly string[],
): { reasons: string[]; hint: string } {
  if (isEmpty) {
    return { reasons: ['it contains no list'], hint: 'Check that the base URL is the address of the service.' };
  }
  const inList = listPath.slice(0, listPath.lastIndexOf('.') + 1);
  const unknown = new Set<string>();
  const reasons: string[] = [];
  for (const member of members) {
    const { path, text } = member;
    if (ignored.includes(path)) continue;
    const isCount = path.startsWith(inList) && COUNTS.has(path.slice(inList.length));
    if (isCount && text !== String(listed)) reasons.push(`${describeMember(member)}, but the list has ${listed}`);
    else if (path === 'success' && text !== 'true') reasons.push(describeMember(member));
    else if (!isCount && path !== 'success') unknown.add(path);
  }
  if (unknown.size === 0) {
    return { reasons, hint: '--debug shows the response. If the service returns pages, request fewer findings.' };
  }
  const [noun, subject, object] =
    unknown.size === 1 ? ['field', 'that field does', 'it'] : ['fields', 'those fields do', 'them'];
  const names = [...ignored, ...unknown].slice(0, MAX_SUGGESTED).map(quoteForShell).join(' ');
  return {
    reasons: [...reasons, `orgadm does not understand the ${noun} ${listValues([...unknown])}`],
    hint: `If ${subject} not mean that findings are missing, ignore ${object}: orgadm config set wire.findings.ignore ${names}`,
  };
}

function describeMember({ path, type, text }: ScannedMember): string {
  return `${path} is ${type === 'scalar' ? (text ?? 'long').slice(0, 60) : `an ${type}`}`;
}

/** Doubts findings that may not belong to the selector: a service that does not know it returns everything. */
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

/** Upper bounds on the values that a message lists, and on their length. */
const [LISTED_VALUES, LISTED_CHARACTERS] = [5, 60];

/** Renders values for a message: `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  const listed = values.slice(0, LISTED_VALUES).map((value) => `"${cleanLine(value).slice(0, LISTED_CHARACTERS)}"`);
  const rest = values.length - listed.length;
  return `${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
