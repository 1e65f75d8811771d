import type { Finding } from '../../client/finding.ts';
import { type FindingColumn, valueAt } from './finding-columns.ts';

/** Finds out which columns that were asked for no finding has: most often a name with a slip in it. */
export class MissingColumns {
  #absent: readonly FindingColumn[];
  #count = 0;

  constructor(columns: readonly FindingColumn[]) {
    this.#absent = columns;
  }

  add(finding: Finding): void {
    this.#count++;
    if (this.#absent.length === 0) return;
    this.#absent = this.#absent.filter(({ path }) => valueAt(finding, path) === undefined);
  }

  /** One sentence where there are any. */
  warning(): string | undefined {
    if (this.#count === 0 || this.#absent.length === 0) return undefined;
    const names = this.#absent.map(({ path }) => `"${path}"`).join(', ');
    return `--columns: no finding has a field ${names}. --columns help lists the fields.`;
  }
}
