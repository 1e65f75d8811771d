import type { Finding } from '../../client/finding.ts';
import { parseIdentifier } from '../../client/identifier.ts';
import type { FieldNames } from '../../config/settings.ts';
import { readerOf } from './finding-columns.ts';
import type { Selector } from './finding-selector.ts';

type Kind = Selector['kind'];

/** The fields in which findings show what they belong to; a service with another parameter name may use that name. */
const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  task: ['taskId', 'task.id'],
  evidenceSubmission: ['evidenceSubmissionId', 'evidenceSubmission.id'],
  evidenceFormType: ['evidenceFormType'],
  scope: ['scope'],
};

interface Field {
  path: string;
  read: (finding: Finding) => unknown;
}

/**
 * Counts findings that do not belong to the selector, since some services ignore a parameter that they do not know and
 * return everything. A finding without the selector's field belongs to something else if it has another selector's.
 */
export class SelectorMismatch {
  /** Dotted names of the fields that `add` reads. */
  readonly fields: readonly string[];
  readonly #selector: Selector | undefined;
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
      [...new Set([...FIELDS[kind], names[kind]])].map((path) => ({ path, read: readerOf(path) }));
    const otherKinds = (Object.keys(FIELDS) as Kind[]).filter((kind) => kind !== selector?.kind);
    this.#selector = selector;
    this.#own = selector === undefined ? [] : fieldsOf(selector.kind);
    this.#others = selector === undefined ? [] : otherKinds.flatMap(fieldsOf);
    this.fields = [...this.#own, ...this.#others].map(({ path }) => path);
  }

  /** @param finding all of it, or what it has of `fields` */
  add(finding: Finding): void {
    if (this.#selector === undefined) return;
    this.#total++;
    const values = this.#own.map(({ read }) => read(finding)).filter((value) => value !== undefined);
    if (values.length > 0) {
      this.#carrying++;
      const { value } = this.#selector;
      if (!values.some((one) => parseIdentifier(one) === value)) this.#mismatched++;
      return;
    }
    const other = this.#others.find(({ read }) => parseIdentifier(read(finding)) !== undefined);
    if (other === undefined) return;
    if (this.#elsewhere++ === 0) this.#elsewhereField = other.path;
  }

  /** One sentence if the service seems to have ignored the selector, or if nothing shows that it did not. */
  warning(): string | undefined {
    if (this.#selector === undefined || this.#total === 0) return undefined;
    const { kind, value } = this.#selector;
    const fix = `It may use another name for the parameter (setting wire.findings.${kind}).`;
    const ignored = `the service seems to ignore the selector. ${fix}`;
    const own = this.#own.map(({ path }) => path).join(' or ');
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
