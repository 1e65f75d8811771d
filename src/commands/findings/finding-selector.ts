import { parseIdentifier } from '../../client/bulk-response.ts';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import type { Finding } from '../../client/list-findings.ts';
import { SETTINGS } from '../../config/setting-table.ts';
import type { FieldNames } from '../../config/settings.ts';
import { OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { choiceParser } from '../define-command.ts';
import { readerOf } from './finding-columns.ts';

/** One of the four selectors of interface 4.4. */
interface Selector {
  kind: Kind;
  value: string;
}

type Kind = keyof FieldNames['findings'];

export interface SelectorFlags extends Partial<Record<Kind, string>> {
  all?: boolean;
}

interface SelectorKind {
  flag: string;
  /** The values that the interface lists. */
  allowed?: readonly string[];
  /** Fields of a finding that identify what it belongs to; a service with another parameter name may use that name. */
  fields: readonly string[];
  /** Other spellings of these fields, which are not listed in warnings. */
  otherSpellings: readonly string[];
}

const SELECTORS: Readonly<Record<Kind, SelectorKind>> = {
  task: { flag: '--task', fields: ['taskId', 'task.id'], otherSpellings: ['task_id'] },
  evidenceSubmission: {
    flag: '--evidence-submission',
    fields: ['evidenceSubmissionId', 'evidenceSubmission.id'],
    otherSpellings: ['evidence_submission_id'],
  },
  evidenceFormType: {
    flag: '--evidence-form-type',
    allowed: EVIDENCE_FORM_TYPES,
    fields: ['evidenceFormType'],
    otherSpellings: ['evidence_form_type'],
  },
  scope: { flag: '--scope', allowed: PEOPLE_SCOPES, fields: ['scope'], otherSpellings: [] },
};
const KINDS = Object.keys(SELECTORS) as Kind[];

/**
 * Reads the selector flags, of which exactly one is required. If a setting renames the parameter of a form type or scope, any
 * value is accepted, because such a service has its own.
 *
 * @param names the parameter names in effect
 * @returns undefined for --all
 * @throws UsageError, which lists the allowed values of a form type or scope
 */
export function readSelector(flags: SelectorFlags, names: FieldNames['findings']): Selector | undefined {
  const selectors: Selector[] = [];
  for (const kind of KINDS) {
    const value = flags[kind];
    if (value === undefined) continue;
    const { flag, allowed } = SELECTORS[kind];
    const isRenamed = names[kind] !== SETTINGS[`wire.findings.${kind}`].default;
    if (allowed !== undefined && !isRenamed) choiceParser(value, flag, allowed);
    if (value.trim() === '') throw new UsageError(`${flag}: the identifier is blank`);
    selectors.push({ kind, value });
  }
  const count = selectors.length + (flags.all ? 1 : 0);
  if (count === 1) return selectors[0];
  const message = count === 0 ? 'a selector is required' : `${count} selectors, but only one is allowed`;
  throw new UsageError(message, 'Pass one of --task, --evidence-submission, --evidence-form-type, --scope or --all.');
}

interface Field {
  path: string;
  read: (finding: Finding) => unknown;
}

/**
 * Counts findings that do not belong to the selector, because some services ignore an unknown parameter and return
 * everything. A finding without the selector's field belongs to something else if it has another selector's field.
 */
export class SelectorMismatch {
  /** Dotted names of the fields that `add` reads. */
  readonly fields: readonly string[];
  readonly #selector: Selector | undefined;
  readonly #names: FieldNames['findings'];
  readonly #own: readonly Field[];
  readonly #others: readonly Field[];
  /** Findings that have the selector's field. */
  #carrying = 0;
  /** Findings whose field has another value. */
  #mismatched = 0;
  /** Findings that have another selector's field instead. */
  #elsewhere = 0;
  /** The first such field. */
  #elsewhereField = '';
  #total = 0;

  constructor(selector: Selector | undefined, names: FieldNames['findings']) {
    const fieldsOf = (kind: Kind) => {
      const { fields, otherSpellings } = SELECTORS[kind];
      const paths = new Set([...fields, names[kind], ...otherSpellings]);
      return [...paths].map((path) => ({ path, read: readerOf(path) }));
    };
    this.#selector = selector;
    this.#names = names;
    this.#own = selector === undefined ? [] : fieldsOf(selector.kind);
    this.#others = selector === undefined ? [] : KINDS.filter((kind) => kind !== selector.kind).flatMap(fieldsOf);
    this.fields = [...this.#own, ...this.#others].map(({ path }) => path);
  }

  /** Adds `count` findings with the same `fields`. */
  add(finding: Finding, count: number): void {
    if (this.#selector === undefined) return;
    this.#total += count;
    const values = this.#own.map(({ read }) => read(finding)).filter((value) => value !== undefined);
    if (values.length > 0) {
      this.#carrying += count;
      const { value } = this.#selector;
      if (!values.some((one) => parseIdentifier(one) === value)) this.#mismatched += count;
      return;
    }
    const other = this.#others.find(({ read }) => parseIdentifier(read(finding)) !== undefined);
    if (other === undefined) return;
    if (this.#elsewhere === 0) this.#elsewhereField = other.path;
    this.#elsewhere += count;
  }

  /** Returns a warning if the service may have ignored the selector. */
  warning(): string | undefined {
    if (this.#selector === undefined || this.#total === 0) return undefined;
    const { kind, value } = this.#selector;
    const fix = `It may use another name for the parameter (setting wire.findings.${kind}).`;
    const ignored = `the service seems to ignore the selector. ${fix}`;
    const own = [...new Set([...SELECTORS[kind].fields, this.#names[kind]])].join(' or ');
    if (this.#mismatched > 0) {
      const checked = this.#carrying + this.#elsewhere;
      return `${this.#mismatched + this.#elsewhere} of ${checked} findings do not belong to ${value}: ${ignored}`;
    }
    if (this.#elsewhere > 0) {
      return `${this.#elsewhere} of ${this.#total} findings have no ${own}, but ${this.#elsewhereField}: ${ignored}`;
    }
    if (this.#carrying > 0) return undefined;
    return (
      `no finding has a field ${own}, so whether they belong to ${value} cannot be checked; ` +
      `a service that does not know the selector may return everything. ${fix}`
    );
  }
}

/** Matches messages about an unknown or missing parameter. */
const ABOUT_A_PARAMETER =
  /param|query|propert|field|filter|selector|argument|unknown|unexpected|unrecogni[sz]ed|unsupported|required|missing|must be (given|provided|set|specified)|should not (be empty|exist)|not allowed|no .* given/i;

/**
 * Explains an error 400 or 422 about a parameter: the interface does not fix the parameter's name (4.4), so this service may
 * use another one. Adds to the hint how to set it; returns any other error unchanged.
 */
export function explainRejectedSelector(
  error: unknown,
  selector: Selector | undefined,
  parameter: string | undefined,
): unknown {
  if (!(error instanceof OrgadmError) || (error.status !== 400 && error.status !== 422)) return error;
  if (!ABOUT_A_PARAMETER.test(error.message)) return error;
  const remedy =
    selector === undefined
      ? 'This service may require a selector: pass --task, --evidence-submission, --evidence-form-type or --scope.'
      : `The parameter was sent as ${parameter}. If this service uses another name, set it with: ` +
        `orgadm config set wire.findings.${selector.kind} <name>`;
  return withHint(error, [error.hint, remedy].filter(Boolean).join(' '));
}
