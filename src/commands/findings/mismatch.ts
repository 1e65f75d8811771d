import { identifierOf } from '../../service/identifier.ts';
import type { Finding } from '../../service/listed-finding.ts';
import { readerOf } from './columns.ts';
import type { Selector } from './selector.ts';

/** The fields in which findings carry what they belong to; a service that names its parameter otherwise may use that name. */
const FIELDS: Readonly<Record<Selector['kind'], readonly string[]>> = {
  task: ['taskId', 'task.id'],
  evidenceSubmission: ['evidenceSubmissionId', 'evidenceSubmission.id'],
  evidenceFormType: ['evidenceFormType'],
  scope: ['scope'],
};

/** Counts findings that evidently do not belong to the selector: some services ignore a parameter that they do not know. */
export class MismatchCount {
  /** Dotted names of what `add` looks at. */
  readonly fields: readonly string[];
  readonly #selector: Selector | undefined;
  readonly #readers: readonly ((finding: Finding) => unknown)[];
  #checked = 0;
  #mismatched = 0;

  /** @param wireName the selector's name as a query parameter */
  constructor(selector: Selector | undefined, wireName: string | undefined) {
    this.#selector = selector;
    this.fields = selector === undefined ? [] : [...new Set([...FIELDS[selector.kind], wireName ?? ''])];
    this.#readers = this.fields.map(readerOf);
  }

  /** @param finding all of it, or what it has of `fields` */
  add(finding: Finding): void {
    let value: unknown;
    for (const read of this.#readers) {
      value = read(finding);
      if (value !== undefined) break;
    }
    if (this.#selector === undefined || value === undefined) return;
    this.#checked++;
    if (identifierOf(value) !== this.#selector.value) this.#mismatched++;
  }

  /** One sentence where something is wrong, naming the setting that may mend it. */
  warning(): string | undefined {
    if (this.#mismatched === 0 || this.#selector === undefined) return undefined;
    const { kind, value } = this.#selector;
    return (
      `${this.#mismatched} of ${this.#checked} findings do not belong to ${value}: the service seems to ignore the selector. ` +
      `Its name for the parameter may be another (setting wire.findings.${kind}).`
    );
  }
}
