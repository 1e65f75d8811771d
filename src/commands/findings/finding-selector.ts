import { parseIdentifier } from '../../client/bulk-response.ts';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import type { Finding } from '../../client/list-findings.ts';
import { SETTINGS } from '../../config/setting-table.ts';
import type { FieldNames } from '../../config/settings.ts';
import { OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { choiceParser } from '../define-command.ts';
import { readerOf } from './finding-columns.ts';

export interface SelectorFlags {
  task?: string;
  evidenceSubmission?: string;
  evidenceFormType?: string;
  scope?: string;
  all?: boolean;
}

/** One of the four selectors of interface 4.4. */
interface Selector {
  kind: keyof FieldNames['findings'];
  value: string;
}

const FLAGS = '--task, --evidence-submission, --evidence-form-type, --scope or --all';

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
  if (flags.task !== undefined) selectors.push({ kind: 'task', value: notBlank(flags.task, '--task') });
  if (flags.evidenceSubmission !== undefined) {
    selectors.push({ kind: 'evidenceSubmission', value: notBlank(flags.evidenceSubmission, '--evidence-submission') });
  }
  const checked = (kind: 'evidenceFormType' | 'scope', value: string, flag: string, allowed: readonly string[]) =>
    names[kind] === SETTINGS[`wire.findings.${kind}`].default
      ? choiceParser(value, flag, allowed)
      : notBlank(value, flag);
  if (flags.evidenceFormType !== undefined) {
    const value = checked('evidenceFormType', flags.evidenceFormType, '--evidence-form-type', EVIDENCE_FORM_TYPES);
    selectors.push({ kind: 'evidenceFormType', value });
  }
  if (flags.scope !== undefined) {
    selectors.push({ kind: 'scope', value: checked('scope', flags.scope, '--scope', PEOPLE_SCOPES) });
  }

  const count = selectors.length + (flags.all ? 1 : 0);
  if (count === 0) throw new UsageError('a selector is required', `Pass one of ${FLAGS}.`);
  if (count > 1) throw new UsageError(`${count} selectors, but only one is allowed`, `Pass one of ${FLAGS}.`);
  return selectors[0];
}

function notBlank(value: string, flag: string): string {
  if (value.trim() === '') throw new UsageError(`${flag}: the identifier is blank`);
  return value;
}

type Kind = Selector['kind'];

/** Fields of a finding that identify what it belongs to; a service with another parameter name may use that name. */
const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  task: ['taskId', 'task.id'],
  evidenceSubmission: ['evidenceSubmissionId', 'evidenceSubmission.id'],
  evidenceFormType: ['evidenceFormType'],
  scope: ['scope'],
};

/** Other spellings of these fields, which are not listed in warnings. */
const OTHER_SPELLINGS: Readonly<Record<Kind, readonly string[]>> = {
  task: ['task_id'],
  evidenceSubmission: ['evidence_submission_id'],
  evidenceFormType: ['evidence_form_type'],
  scope: [],
};

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
    const fieldsOf = (kind: Kind) =>
      [...new Set([...FIELDS[kind], names[kind], ...OTHER_SPELLINGS[kind]])].map((path) => ({
        path,
        read: readerOf(path),
      }));
    const otherKinds = (Object.keys(FIELDS) as Kind[]).filter((kind) => kind !== selector?.kind);
    this.#selector = selector;
    this.#names = names;
    this.#own = selector === undefined ? [] : fieldsOf(selector.kind);
    this.#others = selector === undefined ? [] : otherKinds.flatMap(fieldsOf);
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
    const own = [...new Set([...FIELDS[kind], this.#names[kind]])].join(' or ');
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
